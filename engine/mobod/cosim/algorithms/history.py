"""OutputHistory: the last values of some outputs, and the polynomial through them."""

from typing import Any, final

import numpy as np

_ROUND_OFF = 1e-9  # of a step: two times closer than this are equal


@final
class OutputHistory:
    """The values of outputs of one component at up to `length` different times."""

    def __init__(self, length: int) -> None:
        self._length = length
        self._times: list[float] = []  # s, the latest first
        self._values: list[np.ndarray] = []  # (n,)

    @property
    def times(self) -> list[float]:
        """s, the latest first"""
        return self._times

    def add(self, time: float, values: np.ndarray) -> None:
        """Add values (n,) at a time, s. Values at the latest time replace those that are there."""
        if self._times and not time > self._times[0]:
            del self._times[0], self._values[0]
        self._times.insert(0, time)
        self._values.insert(0, values)
        del self._times[self._length :], self._values[self._length :]

    def polynomial(self, time: float, step: float, order: int) -> np.ndarray:
        """The value and the first two derivatives (3, n) at a time (s) of the polynomial through the latest values, of this order at most.

        step  s   to which the result applies, for the comparison of times
        """
        times, values = self._times, self._values
        found = np.zeros((3, len(values[0])))
        since = time - times[0]
        found[0] = values[0]
        if order == 0 or len(times) == 1:
            return found
        slope = (values[0] - values[1]) / (times[0] - times[1])
        found[1] = slope
        if order > 1 and len(times) > 2:
            earlier = (values[1] - values[2]) / (times[1] - times[2])
            bend = (slope - earlier) / (times[0] - times[2])
            found[1] += bend * (times[0] - times[1])
            found[2] = 2 * bend
        if abs(since) > _ROUND_OFF * step:
            found[0] += since * (found[1] + since / 2 * found[2])
            found[1] += since * found[2]
        return found

    def memory(self) -> list[object]:
        """Its content as numbers and lists."""
        return [[time, values.tolist()] for time, values in zip(self._times, self._values, strict=True)]

    def recall(self, memory: list[Any]) -> None:
        """Take what `memory` of another history returned."""
        self._times = [time for time, _ in memory]
        self._values = [np.array(values, dtype=float) for _, values in memory]

    def copy(self) -> "OutputHistory":
        other = OutputHistory(self._length)
        other._times, other._values = list(self._times), list(self._values)
        return other
