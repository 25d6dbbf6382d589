"""Whether FMUs step at the same time in several threads."""

from collections import deque
from typing import final

_WORTHWHILE = 20e-6  # s, of a step of the network, below which threads cost more than they save
_CALLS = 10  # between two trials of what was slower
_KEPT = 4  # durations, of which the smallest counts: other processes may disturb the others


@final
class ThreadChoice:
    """Chooses between one thread and several by measuring both. The bits do not depend on it.

    most  the largest number of threads
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._durations = {several: deque[float](maxlen=_KEPT) for several in (False, True)}  # s, of a step
        self._calls = 0

    def next(self) -> bool:
        """Whether the next call should use several threads."""
        alone, together = self._durations[False], self._durations[True]
        if self.most < 2 or not alone or min(alone) < _WORTHWHILE:
            return False
        self._calls += 1
        if len(together) < _KEPT or len(alone) < _KEPT:
            return len(together) <= len(alone)
        is_trial = self._calls % _CALLS == 0
        return (min(together) < min(alone)) != is_trial

    def note(self, several: bool, duration: float) -> None:
        """Note how long a step took, s."""
        self._durations[several].append(duration)
