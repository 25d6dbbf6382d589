"""Anderson acceleration for algebraic loops without derivatives."""

from typing import final

import numpy as np

from mobod.cosim.signals.fixed_point import FixedPoint, NotSolvedError, SingularLoopError
from mobod.errors import MobodError

_MOST_EVALUATIONS = 100
_MOST_KEPT = 20  # pairs of changes
_DEPENDENT = 1e-6  # relative part of a change that is new, below which it says nothing new
_GROWTH = 1e3  # of the residual, above which a step is shortened
_SHORTEST = 1e-4  # of a step
_FLAT = 1e-11  # change of the residual relative to that of x, below which the loop is singular in this direction


@final
class Anderson:
    """Solves x = g(x) from the changes of g that it has seen, also in earlier solutions.

    x_changes, changes
        lists of (n,): changes of x, the newest first, and of the residual g(x) - x

    As long as the loop is not known to be real, values are passed as they are: a loop that exists only in declarations then has its
    exact values after as many rounds as there are connections in the longest chain.

    Source: Walker and Ni, Anderson acceleration for fixed-point iterations (2011), SIAM J. Numer. Anal. 49(4), equation 2.2. Changes of
    earlier solutions are used as in Degroote et al., Performance of a new partitioned procedure (2009), Comput. Struct. 87.
    """

    def __init__(self) -> None:
        self.x_changes: list[np.ndarray] = []
        self.changes: list[np.ndarray] = []
        self.is_real = False

    def solve(self, problem: FixedPoint, x: np.ndarray) -> np.ndarray:
        """The solution near x, at which g was evaluated last. Raises SingularLoopError, NotSolvedError, and errors of g."""
        value = problem.value(x)
        if not self.is_real:
            x, value = self._passed(problem, x, value)
        residual = value - x
        for _ in range(_MOST_EVALUATIONS):
            size = problem.size(residual, x)
            if problem.is_small(size):
                return x
            trial, following = _trial(problem, x, self._step(residual, problem.scale(x)), size)
            moved, changed = trial - x, following - residual
            distance = problem.size(moved, x)
            if not problem.is_round_off(distance):
                if problem.size(changed, x) <= _FLAT * distance:
                    raise SingularLoopError
                self.x_changes.insert(0, moved)
                self.changes.insert(0, changed)
            x, residual = trial, following
        if problem.is_round_off(problem.size(residual, x)):
            return x
        raise NotSolvedError(problem.size(residual, x))

    def _passed(self, problem: FixedPoint, x: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Pass values on until they settle. A loop in which they do not is real; the search for its solution starts at the best values.

        Returns x and g(x).
        """
        best, size_of_best = x, problem.size(value - x, x)
        for _ in range(len(x)):
            if not (value - x).any():
                break
            x = value
            value = problem.value(x)
            size = problem.size(value - x, x)
            if size < size_of_best:
                best, size_of_best = x, size
            elif size > _GROWTH * size_of_best:
                break
        if not (value - x).any():
            return x, value
        self.is_real = True
        return best, problem.value(best)

    def _step(self, residual: np.ndarray, scale: np.ndarray) -> np.ndarray:
        """What the kept changes take away from the residual, and the rest of it as it is."""
        chosen = self._independent(scale)
        self.x_changes, self.changes = [self.x_changes[k] for k in chosen], [self.changes[k] for k in chosen]
        if not chosen:
            return residual
        q, r = np.linalg.qr(np.column_stack(self.changes) / scale[:, None])
        shares = np.linalg.solve(r, q.T @ (residual / scale))
        rest = residual - np.column_stack(self.changes) @ shares
        return rest - np.column_stack(self.x_changes) @ shares

    def _independent(self, scale: np.ndarray) -> list[int]:
        """The kept changes that are no combination of newer ones."""
        chosen: list[int] = []
        directions: list[np.ndarray] = []
        for k, change in enumerate(self.changes[: max(_MOST_KEPT, len(scale))]):
            rest = scaled = change / scale
            for direction in directions:
                rest = rest - direction * (direction @ rest)
            length = float(np.linalg.norm(rest))
            if length > _DEPENDENT * float(np.linalg.norm(scaled)) and len(chosen) < len(scale):
                chosen.append(k)
                directions.append(rest / length)
        return chosen


def _trial(problem: FixedPoint, x: np.ndarray, step: np.ndarray, size: float) -> tuple[np.ndarray, np.ndarray]:
    """The x at the end of a step, shorter if that is much worse or has no value, and its residual."""
    part = 1.0
    while True:
        trial = x + part * step
        try:
            residual = problem.residual(trial)
        except MobodError:  # a component may have no value there
            if part < _SHORTEST:
                raise
        else:
            if part < _SHORTEST or problem.size(residual, trial) <= _GROWTH * size:
                return trial, residual
        part /= 10
