"""History: what a quantity was at past times, and between them. A twin of fmu_src/native/history.c.

Between two times it is the cubic that has the values and the rates of both (Hermite). Several entries of one time are a jump, or where
something else is not smooth: before it the first holds, from it on the last. So two entries at the oldest time tell that the record begins
there, and that nothing was forgotten.
"""

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
        self.memory = memory
        self.n = n
        self._entries = memory[_ENTRIES:].reshape(-1, 1 + 2 * n)

    @property
    def capacity(self) -> int:
        return len(self._entries)

    @property
    def count(self) -> int:
        return int(self.memory[_COUNT])

    def time(self, i: int) -> float:
        """Of the i-th entry, the oldest being 0."""
        return float(self.entry(i)[0])

    def record(self, entry: np.ndarray) -> bool:
        """Add (1 + 2 n,) time, values and rates, of a time not before the newest; False, and nothing is added, if there is no room."""
        count = self.count
        if count == self.capacity:
            return False
        self.memory[_COUNT] = count + 1
        self.entry(count)[...] = entry
        return True

    def forget_before(self, time: float) -> None:
        """Drop the entries that nothing from that time on needs."""
        while self.count > 1 and self.time(1) <= time:
            self.memory[_OLDEST] = (int(self.memory[_OLDEST]) + 1) % self.capacity
            self.memory[_COUNT] -= 1

    def forget_after(self, time: float) -> None:
        """Drop the entries of later times."""
        while self.count and self.time(self.count - 1) > time:
            self.memory[_COUNT] -= 1

    def forget_newest(self) -> None:
        """Drop the newest entry; there is one."""
        self.memory[_COUNT] -= 1

    def forget(self) -> None:
        """Drop all entries."""
        self.memory[_COUNT] = self.memory[_OLDEST] = 0

    def jumps(self) -> list[tuple[float, int]]:
        """The times, in order, of which there are several entries, and how many."""
        places = (int(self.memory[_OLDEST]) + np.arange(self.count)) % self.capacity
        times, counts = np.unique(self._entries[places, 0], return_counts=True)
        return [(float(time), int(count)) for time, count in zip(times[counts > 1], counts[counts > 1], strict=True)]

    def move_newest(self, time: float) -> None:
        """Give the newest entry, if there is one, another time."""
        if self.count:
            self.entry(self.count - 1)[0] = time

    def find(self, time: float) -> int:
        """The number of the last entry that is not later; -1 if all are."""
        low, high = -1, self.count
        while high - low > 1:
            middle = (low + high) // 2
            if self.time(middle) <= time:
                low = middle
            else:
                high = middle
        return low

    def at(self, time: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Values, rates and rates of these, each (n,). Needs an entry.

        From the newest entry on its values and rates, before the start of the record the oldest values; what is not said is 0. What was
        forgotten is NaN.
        """
        i, zero = self.find(time), np.zeros(self.n)
        if i < 0:
            return (self._values(0), zero, zero) if self.knows_start else (zero + np.nan,) * 3
        if i == self.count - 1:
            return self._values(i), self.entry(i)[1 + self.n :].copy(), zero
        return between(time, self.entry(i), self.entry(i + 1))

    @property
    def knows_start(self) -> bool:
        """Whether nothing was forgotten."""
        return self.count > 1 and bool(self.entry(0)[0] == self.entry(1)[0])

    def excerpt(self, time: float) -> np.ndarray:
        """(k, 1 + 2 n) the entries, none to two, that are needed for one time: with them alone all is the same there."""
        i = self.find(time)
        places = range(max(i, 0), min(max(i, 0) + 2, self.count))
        return np.array([self.entry(place) for place in places]).reshape(len(places), 1 + 2 * self.n)

    def replace(self, entries: np.ndarray) -> None:
        """Take (k, 1 + 2 n) other entries."""
        self.forget()
        for entry in entries:
            self.record(entry)

    def _values(self, i: int) -> np.ndarray:
        return self.entry(i)[1 : 1 + self.n].copy()

    def entry(self, i: int) -> np.ndarray:
        """(1 + 2 n,) time, values and rates of the i-th entry, the oldest being 0; a view."""
        return self._entries[(int(self.memory[_OLDEST]) + i) % len(self._entries)]


def between(time: float, before: np.ndarray, after: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values, rates and rates of these, each (n,), between two entries (time, values, rates)."""
    n = len(before) // 2
    h = after[0] - before[0]
    s = (time - before[0]) / h
    change = after[1 : 1 + n] - before[1 : 1 + n]
    at_start, at_end = h * before[1 + n :] - change, change - h * after[1 + n :]
    values = before[1 : 1 + n] + s * (change + (1 - s) * ((1 - s) * at_start + s * at_end))
    rates = (change + (1 - s) * (1 - 3 * s) * at_start + s * (2 - 3 * s) * at_end) / h
    bends = ((6 * s - 4) * at_start + (2 - 6 * s) * at_end) / (h * h)
    return values, rates, bends
