"""Pacing: a run at the speed of a clock."""

import time as clock
from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True)
class PacingReport:
    """How a run kept the pace of a clock.

    steps       communication steps
    missed      steps that ended after the clock had passed their time
    worst    s  largest delay, in the time of the clock
    worst_at s  time of the run at which it occurred
    """

    steps: int
    missed: int
    worst: float
    worst_at: float

    def __str__(self) -> str:
        if not self.missed:
            return f"all of {self.steps} steps were in time"
        return f"{self.missed} of {self.steps} steps were late, by up to {self.worst:.3g} s, at {self.worst_at:.9g} s"


@final
class Pacing:
    """Waits at the end of each step for a clock. pace: seconds of the run in a second of the clock; start: s, time of the run now"""

    def __init__(self, pace: float, start: float) -> None:
        self._pace, self._start = pace, start
        self._began = clock.perf_counter()
        self._steps = self._missed = 0
        self._worst, self._worst_at = 0.0, start

    def wait(self, time: float) -> None:
        """Wait until the clock reaches this time of the run (s). After a late step the next ones still end at their own times."""
        self._steps += 1
        rest = (time - self._start) / self._pace - (clock.perf_counter() - self._began)
        if rest > 0:
            clock.sleep(rest)
            return
        self._missed += 1
        if -rest > self._worst:
            self._worst, self._worst_at = -rest, time

    def report(self) -> PacingReport:
        return PacingReport(self._steps, self._missed, self._worst, self._worst_at)
