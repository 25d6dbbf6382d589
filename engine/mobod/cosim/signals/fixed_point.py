"""The equation x = g(x) of an algebraic loop, and the errors of its solution."""

from collections.abc import Callable
from typing import final

import numpy as np

_TOLERANCE = 1e-10
_ROUND_OFF = 1e-7  # to which outputs must be computed at least: some components compute theirs by an iteration of their own


class NotSolvedError(Exception):
    """No solution was found. size: of what remains, relative to values and nominal values"""

    def __init__(self, size: float) -> None:
        super().__init__(f"{size:.2g}")
        self.size = size


class SingularLoopError(Exception):
    """The equation has no solution or infinitely many."""


@final
class FixedPoint:
    """The equation x = g(x) of a loop.

    g        the values that come back for values x that are given to the inputs
    nominal  (n,)  of x
    """

    def __init__(self, g: Callable[[np.ndarray], np.ndarray], nominal: np.ndarray) -> None:
        self._g = g
        self._nominal = nominal
        self.evaluations = 0

    def value(self, x: np.ndarray) -> np.ndarray:
        self.evaluations += 1
        return self._g(x)

    def residual(self, x: np.ndarray) -> np.ndarray:
        return self.value(x) - x

    def scale(self, x: np.ndarray) -> np.ndarray:
        return np.maximum(np.abs(x), self._nominal)

    def size(self, change: np.ndarray, x: np.ndarray) -> float:
        """The largest change relative to the value or the nominal value."""
        return float((np.abs(change) / self.scale(x)).max())

    def is_small(self, size: float) -> bool:
        return size <= _TOLERANCE

    def is_round_off(self, size: float) -> bool:
        """Whether what remains may be due to the accuracy of the outputs, if it cannot be made smaller."""
        return size <= _ROUND_OFF
