"""Newton's method for the inputs at the end of a step."""

from typing import Any, final

import numpy as np

from mobod.cosim.algorithms.iterated import Trial

_SLOW = 3  # if a step needs more iterations than this, the Jacobian is computed again


@final
class InterfaceNewton:
    """A `Correction`. The Jacobian is made of difference quotients of repeated steps. It is kept, with Broyden's updates, as long as it
    works.

    Source: Schweizer, Li, Lu, Implicit co-simulation methods (2015), ZAMM 96(8); Broyden (1965), Math. Comp. 19.
    """

    settles = False

    def __init__(self, most_iterations: int) -> None:
        self.most_iterations = most_iterations
        self._jacobian: np.ndarray | None = None  # of outputs - at_end
        self._sizes = np.empty(0)  # of the values, when it was computed
        self._last: tuple[np.ndarray, np.ndarray] | None = None  # at_end and outputs - at_end
        self._since = 0  # iterations in this step

    def begin(self) -> None:
        self._last, self._since = None, 0

    def next(self, trial: Trial, at_end: np.ndarray, outputs: np.ndarray) -> np.ndarray:
        residual = outputs - at_end
        if self._jacobian is None or self._since == _SLOW:
            self._jacobian = trial.jacobian(at_end, outputs) - np.eye(len(at_end))
            self._sizes = trial.sizes(outputs)
        elif self._last is not None:
            moved, change = at_end - self._last[0], residual - self._last[1]
            relative = moved / self._sizes**2
            if (length := float(moved @ relative)) > 0:
                self._jacobian = self._jacobian + np.outer(change - self._jacobian @ moved, relative) / length
        self._last, self._since = (at_end, residual), self._since + 1
        correction: np.ndarray = np.linalg.lstsq(self._jacobian, -residual, rcond=None)[0]
        return at_end + correction

    def memory(self) -> object:
        return None if self._jacobian is None else [self._jacobian.tolist(), self._sizes.tolist()]

    def recall(self, memory: Any) -> None:
        self._jacobian = None
        if memory is not None:
            self._jacobian, self._sizes = (np.array(each, dtype=float) for each in memory)
