"""Newton's method for algebraic loops."""

from collections.abc import Callable
from typing import final

import numpy as np

from mobod.cosim.signals.fixed_point import FixedPoint, NotSolvedError, SingularLoopError
from mobod.errors import MobodError

_MOST_STEPS = 50
_SLOW = 0.25  # contraction above which a step asks for a new Jacobian
_SHORTEST = 2.0**-10  # of a step


@final
class Newton:
    """Solves x = g(x) by Newton's method; the inverse of 1 - dg/dx is kept from one solution to the next while it contracts well, and is
    improved by Broyden's update.

    Steps are damped by the affine invariant monotonicity test, which does not depend on the units of x.

    Source: Deuflhard, Newton Methods for Nonlinear Problems (2004), sections 2.1.4 and 3.3.
    """

    def __init__(self, jacobian: Callable[[], np.ndarray], *, condition: float = 1e13) -> None:
        """jacobian: dg/dx at the x of the last evaluation; condition: above which it is singular, as far as its accuracy shows"""
        self._jacobian = jacobian
        self._condition = condition
        self.inverse: np.ndarray | None = None

    def solve(self, problem: FixedPoint, x: np.ndarray) -> np.ndarray:
        """The solution near x, at which g was evaluated last. Raises SingularLoopError, NotSolvedError, and errors of g."""
        residual = problem.residual(x)
        is_fresh = self.inverse is None
        step = self._step(residual, renew=is_fresh)
        for _ in range(_MOST_STEPS):
            size = problem.size(step, x)
            if problem.is_small(size):
                return x
            found = self._damped(problem, x, step, size, is_fresh=is_fresh)
            if found is None and is_fresh:
                if problem.is_round_off(size):
                    problem.residual(x)
                    return x
                raise NotSolvedError(size)
            if found is None:
                residual = problem.residual(x)  # the Jacobian is that of the last evaluation
            else:
                moved = found[0] - x
                x, residual, step, contraction = found
                if contraction <= _SLOW or problem.is_small(problem.size(step, x)):
                    if not problem.is_round_off(problem.size(moved, x)):
                        step = self._updated(moved, step, problem.scale(x))
                    is_fresh = False
                    continue
            step, is_fresh = self._step(residual, renew=True), True
        raise NotSolvedError(problem.size(step, x))

    def _damped(
        self, problem: FixedPoint, x: np.ndarray, step: np.ndarray, size: float, *, is_fresh: bool
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, float] | None:
        """The new x, its residual, the step from there with the same Jacobian, and the ratio of its length to that of the last one; None
        if no part of the step comes closer to a solution.
        """
        part, failure = 1.0, None
        while part >= (_SHORTEST if is_fresh else 1.0):
            trial = x + part * step
            try:
                residual = problem.residual(trial)
                following = self._step(residual, renew=False)
            except MobodError as error:  # a component may have no value there
                failure = error
            else:
                contraction = problem.size(following, x) / size
                if contraction <= (1 - part / 4 if is_fresh else _SLOW) or problem.is_small(problem.size(following, trial)):
                    return trial, residual, following, contraction
                failure = None
            part /= 2
        if is_fresh and failure is not None:
            raise failure
        return None

    def _step(self, residual: np.ndarray, *, renew: bool) -> np.ndarray:
        if renew or self.inverse is None:
            self.inverse = inverse(np.eye(len(residual)) - self._jacobian(), self._condition)
        return self.inverse @ residual

    def _updated(self, moved: np.ndarray, step: np.ndarray, scale: np.ndarray) -> np.ndarray:
        """Adapt the inverse to what a whole step has shown, by Broyden's update, and return the next step with it.

        moved  the step
        step   the next one, with the inverse as it was
        """
        assert self.inverse is not None
        along = moved / scale**2
        agreement = along @ (moved - step)
        if agreement < along @ moved / 2:
            return step
        share = step / agreement
        self.inverse = self.inverse + np.outer(share, along @ self.inverse)
        return step + share * (along @ step)


def inverse(matrix: np.ndarray, most: float) -> np.ndarray:
    """The inverse. Raises SingularLoopError if its condition is above `most`, whatever the units of rows and columns.

    The condition is the least one over all scalings of rows and columns.

    Source: Bauer, Optimally scaled matrices (1963), Numer. Math. 5.
    """
    try:
        found = np.linalg.inv(matrix)
    except np.linalg.LinAlgError:
        raise SingularLoopError from None
    if not np.isfinite(found).all() or np.abs(np.linalg.eigvals(np.abs(found) @ np.abs(matrix))).max() > most:
        raise SingularLoopError
    return found
