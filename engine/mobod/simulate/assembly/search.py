"""The search of an Assembler: coordinates with zero errors, and among these the ones with least goals, within bounds.

Errors are solved by the method of Levenberg and Marquardt. Goals are minimized by the method of Gauss and Newton on the manifold of zero
errors: each step solves a damped linear least-squares problem that includes the linearised errors. The damping increases until the step
lowers the goals, after the errors were brought back to zero. Where steps converge slowly, as for observations that are far out of reach,
second derivatives are added by finite differences. Both methods accept redundant errors and take the smallest of equivalent steps. The
linear problems satisfy the bounds.

Source: Nocedal & Wright, Numerical Optimization (2006), 10.3; the linear problems with bounds: Stark & Parker, Computational Statistics 10
(1995) 129, in SciPy.
"""

# Decision: docs/decisions/047-assembly.md

from dataclasses import dataclass
from typing import Protocol, final

import numpy as np
import scipy  # whose parts are loaded when they are used

from mobod.numerics import factor_rows

MOST_ITERATIONS = 100
OVERSHOOT = 0.1  # errors count as zero if they are smaller than this times the tolerance
LARGEST_CHANGE = 1.0  # of a coordinate in one step, relative to its scale and |q|: the range in which linearisation is useful
FIRST_DAMPING, LEAST_DAMPING, MOST_DAMPING = 1e-6, 1e-12, 1e8  # relative to the square of the largest column
STUCK = 1e-10  # a step that is smaller, relative to the scale of a coordinate and |q|, makes no progress
DIFFERENCE = 1e-6  # step of coordinates, relative to their scales, in finite differences for second derivatives
LEAST_CURVATURE = 1e-6  # relative to that of the largest column; finite differences resolve no less
ERRORS_BEFORE_GOALS = 1e5  # weight of errors in the linear problem of the goals, relative to its largest column


class Problem(Protocol):
    """The functions of coordinates q (n,) that a search needs. They return NaN where they cannot be computed."""

    def errors(self, q: np.ndarray) -> np.ndarray:
        """(m,) errors, which the search makes zero."""

    def error_jacobian(self, q: np.ndarray) -> np.ndarray:
        """(m, n) derivative of the errors."""

    def goals(self, q: np.ndarray) -> np.ndarray:
        """(k,) goals, whose sum of squares the search minimizes."""

    def goal_jacobian(self, q: np.ndarray) -> np.ndarray:
        """(k, n) derivative of the goals."""

    def normalized(self, q: np.ndarray) -> np.ndarray:
        """The same coordinates with quaternions of unit length."""


@final
@dataclass
class Search:
    """problem; free (n,) whether a coordinate may change; low and high (n,) bounds; scales (n,) of the coordinates, to which steps are
    relative; tolerance of each error; accuracy of the goals.

    iterations  number of steps tried so far
    """

    problem: Problem
    free: np.ndarray
    low: np.ndarray
    high: np.ndarray
    scales: np.ndarray
    tolerance: float
    accuracy: float
    iterations: int = 0

    def largest_error(self, q: np.ndarray) -> float:
        return _largest(self.problem.errors(q))

    def satisfies(self, q: np.ndarray) -> bool:
        return self.largest_error(q) <= self.tolerance

    def perturbed(self, q: np.ndarray, most: float, rng: "np.random.Generator") -> np.ndarray:
        """Coordinates with a random change of up to `most` scales in each free one, within its bounds."""
        return self._moved(q, rng.uniform(-most, most, size=int(self.free.sum())))

    def satisfy(self, q: np.ndarray) -> np.ndarray:
        """Coordinates near q with zero errors, to round-off if possible; otherwise coordinates where no step makes the errors smaller."""
        errors, damping = self.problem.errors(q), FIRST_DAMPING
        for _ in range(MOST_ITERATIONS):
            size = np.linalg.norm(errors)  # 0 also if the squares of all errors are below the smallest number
            if size == 0 or not np.isfinite(errors).all() or not self.free.any():
                break
            J = self._along_free(self.problem.error_jacobian(q))
            if not J.any() or not np.isfinite(J).all():
                break
            step = self._step(q, J, errors, damping, _largest_column(J))
            trial = self._moved(q, step)
            trial_errors = self.problem.errors(trial)
            self.iterations += 1
            has_vanished = _largest(errors) <= OVERSHOOT * self.tolerance
            gain = np.linalg.norm(trial_errors) / size
            if gain < 1:
                q, errors, damping = trial, trial_errors, max(damping / 10, LEAST_DAMPING)
                if has_vanished and gain > 0.5:  # round-off is reached
                    break
            elif has_vanished or damping > MOST_DAMPING:
                break
            else:
                damping *= 10
            if not has_vanished and self._is_small(q, step, STUCK):
                break
        return q

    def improve(self, q: np.ndarray) -> np.ndarray:
        """Coordinates with zero errors and least goals, starting from q, which has zero errors. The goals are never larger than at q."""
        goals, damping, before, is_slow = self.problem.goals(q), FIRST_DAMPING, np.inf, False
        for _ in range(MOST_ITERATIONS):
            if not goals.any() or not np.isfinite(goals).all() or not self.free.any():
                break
            G, J = self._along_free(self.problem.error_jacobian(q)), self._along_free(self.problem.goal_jacobian(q))
            if not J.any() or not np.isfinite(J).all() or not np.isfinite(G).all():
                break
            independent, scale = factor_rows(G).independent, _largest_column(J)
            G, errors = G[independent], self.problem.errors(q)[independent]
            model = self._curved(q, G, independent, J, goals) if is_slow else (J, goals)
            size = ERRORS_BEFORE_GOALS * scale / np.linalg.norm(G, axis=1)
            both = np.concatenate([G * size[:, None], model[0]]), np.concatenate([errors * size, model[1]])
            step = self._step(q, *both, damping, scale)
            self.iterations += 1
            trial = self.satisfy(self._moved(q, step))
            trial_goals = self.problem.goals(trial)
            is_better = np.linalg.norm(trial_goals) < np.linalg.norm(goals) and self.satisfies(trial)
            is_slow = not is_better or bool(np.linalg.norm(step) > 0.1 * before)  # the neglected second derivatives matter here
            if is_better:
                q, goals, damping, before = trial, trial_goals, max(damping / 10, LEAST_DAMPING), float(np.linalg.norm(step))
            elif damping > MOST_DAMPING:
                break
            else:
                damping *= 10
            if self._is_small(q, step, 0.01 * self.accuracy):
                break
        return q

    # internal
    def _along_free(self, J: np.ndarray) -> np.ndarray:
        """Of a derivative with respect to coordinates: that with respect to the free ones, relative to their scales."""
        along: np.ndarray = J[:, self.free] * self.scales[self.free]
        return along

    def _step(self, q: np.ndarray, J: np.ndarray, values: np.ndarray, damping: float, scale: float) -> np.ndarray:
        """A step of the free coordinates: minimizes |values + J step|^2 + damping scale^2 |step|^2 within the bounds."""
        n = J.shape[1]
        A = np.concatenate([J, np.sqrt(damping) * scale * np.eye(n)])
        b = -np.concatenate([values, np.zeros(n)])
        scales = self.scales[self.free]
        low, high = (self.low[self.free] - q[self.free]) / scales, (self.high[self.free] - q[self.free]) / scales
        step = np.linalg.lstsq(A, b)[0]
        if (step < low).any() or (step > high).any():
            step = scipy.optimize.lsq_linear(A, b, (np.minimum(low, 0), np.maximum(high, 0)), method="bvls").x
        return step / max(1.0, float(np.max(np.abs(step) / (1 + np.abs(q[self.free]) / scales))) / LARGEST_CHANGE)

    def _curved(self, q: np.ndarray, G: np.ndarray, rows: np.ndarray, J: np.ndarray, goals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(R, r): |r + R step|^2 approximates the goals to second order on the manifold. It includes the curvatures of goals and errors,
        made positive.
        """
        Z = scipy.linalg.null_space(G) if len(G) else np.eye(J.shape[1])
        gradient = J.T @ goals
        multipliers = np.linalg.lstsq(G.T, -gradient)[0]
        bend = np.zeros((len(gradient), Z.shape[1]))
        for i, direction in enumerate(Z.T):
            beside = q.copy()
            beside[self.free] += DIFFERENCE * direction * self.scales[self.free]
            of_goals = (self._along_free(self.problem.goal_jacobian(beside)) - J).T @ goals
            of_errors = (self._along_free(self.problem.error_jacobian(beside)[rows]) - G).T @ multipliers
            bend[:, i] = (of_goals + of_errors) / DIFFERENCE
        H = Z.T @ (J.T @ J @ Z + bend)
        if not np.isfinite(H).all():
            return J, goals
        curvature, axes = np.linalg.eigh((H + H.T) / 2)
        curvature = np.maximum(np.abs(curvature), LEAST_CURVATURE * _largest_column(J) ** 2)
        return np.sqrt(curvature)[:, None] * (Z @ axes).T, (Z @ axes).T @ gradient / np.sqrt(curvature)

    def _moved(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        moved = q.copy()
        moved[self.free] = np.clip(moved[self.free] + step * self.scales[self.free], self.low[self.free], self.high[self.free])
        return self.problem.normalized(moved)

    def _is_small(self, q: np.ndarray, step: np.ndarray, relative: float) -> bool:
        return bool((np.abs(step) <= relative * (1 + np.abs(q[self.free]) / self.scales[self.free])).all())


def _largest(values: np.ndarray) -> float:
    """The largest absolute value; NaN if one value is NaN."""
    return float(np.max(np.abs(values), initial=0.0))


def _largest_column(J: np.ndarray) -> float:
    return float(np.linalg.norm(J, axis=0).max())
