"""StepGrid: the times at which equal steps of a stepped run end."""

from typing import NamedTuple, Self


class StepGrid(NamedTuple):
    """Equal steps end at start + n size, which is not a running sum.

    start    s  of the first of them
    size     s  0: there are none yet
    taken       their number so far
    reached  s  the time at the end of the last one: of a time event, if that is round-off later
    """

    start: float
    size: float
    taken: int
    reached: float

    @classmethod
    def from_time(cls, start: float, time: float) -> Self:
        """Steps that begin where one was asked to end, at `start`, and has ended, at `time`."""
        return cls(start, 0.0, 0, time)

    @property
    def end(self) -> float:
        """The end of the last step, as it was asked for, s."""
        return self.start + self.taken * self.size

    @property
    def next_end(self) -> float:
        """The end of the next step, s."""
        return self.start + (self.taken + 1) * self.size

    def with_size(self, size: float, time: float) -> "StepGrid":
        """These steps if one of this size continues them at this time; else the steps that begin with it."""
        return self if size == self.size and time == self.reached else StepGrid(time, size, 0, time)

    def after_step(self, time: float) -> "StepGrid":
        """With a step more, which has ended at this time."""
        return StepGrid(self.start, self.size, self.taken + 1, time)
