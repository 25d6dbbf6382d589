"""What a delay remembers, as fmu_src/native/state/history.h lays it out: results read it and put it back. C records and interpolates."""

from typing import final

import numpy as np

# where the numbers lie in the memory: how many entries there are, which is the oldest, then the entries, each (time, values, rates)
_COUNT, _OLDEST, _ENTRIES = 0, 1, 2


def history_size(capacity: int, n: int) -> int:
    """How many numbers the memory of a History has."""
    return _ENTRIES + capacity * (1 + 2 * n)


@final
class History:
    """A ring of entries in an array that somebody else keeps.

    memory    (history_size(capacity, n),)  all zeros: nothing has been recorded
    n         entries of the quantity
    """

    def __init__(self, memory: np.ndarray, n: int):
        self._memory = memory
        self._ring = memory[_ENTRIES:].reshape(-1, 1 + 2 * n)

    @property
    def entries(self) -> np.ndarray:
        """(k, 1 + 2 n) the oldest first."""
        return self._ring[(int(self._memory[_OLDEST]) + np.arange(int(self._memory[_COUNT]))) % len(self._ring)]

    def excerpt(self, time: float) -> np.ndarray:
        """(k, 1 + 2 n) the entries, none to two, that are needed for one time: with them alone all is the same there."""
        entries = self.entries
        first = max(int(np.searchsorted(entries[:, 0], time, side="right")) - 1, 0)
        return entries[first : first + 2]

    def replace(self, entries: np.ndarray) -> None:
        """Take (k, 1 + 2 n) other entries, for which there is room."""
        self._memory[_COUNT], self._memory[_OLDEST] = len(entries), 0
        self._ring[: len(entries)] = entries
