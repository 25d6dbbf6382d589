"""The points in time at which FMUs exchange values."""

import math
from typing import final

import numpy as np

from mobod.errors import InputError

MAX_STEPS = 10**8


@final
class CommunicationPoints:
    """What lies ahead of start + done step, where a run is: start + (done + 1) step, ... and at last `until`, exactly.

    times      (m,)  s   each computed from its number, never from the one before, so that round-off does not add up
    last_step        s   shorter than step if until - start is no multiple of it

    Errors: InputError.
    """

    def __init__(self, start: float, until: float, step: float, *, done: int = 0) -> None:
        for name, value in (("start", start), ("until", until), ("step", step)):
            if not math.isfinite(value):
                raise InputError(f"{name} is {value} s. Give a finite time.")
        if step <= 0:
            raise InputError(f"the communication step is {step} s. Give a positive one.")
        now = start + done * step
        count = (until - start) / step
        # how far round-off in the three numbers and in the quotient can carry a multiple from a whole number
        round_off = 8 * np.finfo(float).eps * (abs(start) + abs(until)) / step
        if until <= now or (done > 0 and count - done <= round_off):
            raise InputError(f"the run goes from {now} s until {until} s. Let it end after its start.")
        if count - done > MAX_STEPS:
            raise InputError(f"from {now} s until {until} s in steps of {step} s are {count - done:.3g} steps, more than {MAX_STEPS:.0e}.")
        whole = round(count)
        self.is_even = whole > done and abs(count - whole) <= round_off
        full_steps = whole if self.is_even else math.floor(count)
        times = start + np.arange(done, full_steps + 1) * step
        self.times = times if self.is_even else np.append(times, until)
        self.times[-1] = until
        self.last_step = step if self.is_even else float(until - times[-1])
