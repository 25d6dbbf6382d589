"""Communication points: the times at which FMUs exchange values."""

import math
from typing import final

import numpy as np

from mobod.errors import InputError

MAX_STEPS = 10**8


@final
class CommunicationPoints:
    """The communication points after start + done step: start + (done + 1) step, ... and, exactly, `until` as the last one.

    times      (m,)  s   each computed from its number, so that round-off does not accumulate
    last_step        s   shorter than step if until - start is no multiple of it

    Raises InputError.
    """

    def __init__(self, start: float, until: float, step: float, *, done: int = 0) -> None:
        for name, value in (("start", start), ("until", until), ("step", step)):
            if not math.isfinite(value):
                raise InputError(f"{name} is {value} s. Give a finite time.")
        if step <= 0:
            raise InputError(f"the communication step is {step} s. Give a positive one.")
        now = start + done * step
        count = (until - start) / step
        # largest deviation of a quotient from a whole number by round-off in the three numbers and the division
        round_off = 8 * np.finfo(float).eps * (abs(start) + abs(until)) / step
        if until <= now or (done > 0 and count - done <= round_off):
            raise InputError(f"the run ends at {until} s, not after its start at {now} s. Give a later end.")
        if count - done > MAX_STEPS:
            raise InputError(f"from {now} s until {until} s there are {count - done:.3g} steps of {step} s, more than {MAX_STEPS:.0e}.")
        whole = round(count)
        self.is_even = whole > done and abs(count - whole) <= round_off
        full_steps = whole if self.is_even else math.floor(count)
        times = start + np.arange(done, full_steps + 1) * step
        self.times = times if self.is_even else np.append(times, until)
        self.times[-1] = until
        self.last_step = step if self.is_even else float(until - times[-1])
