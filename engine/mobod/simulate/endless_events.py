"""Triggered events that follow each other without end: ever sooner, as bounces do, or at practically one time."""

import numpy as np

from mobod.errors import EventError
from mobod.simulate.event_errors import ENDLESS, endless
from mobod.system.event_table import INTERVAL, LAST, N_SHORT, N_SHORTER, SINCE, EventRow

MANY_SHORTER, VANISHING = 30, 1e-6  # so many intervals in sequence, each shorter; the last one of the time that all of them took
MANY_SHORT, SHORT = ENDLESS, 1e-8  # so many intervals in sequence, each shorter than this of the time


def count(row: EventRow, memory: np.ndarray, time: float) -> None:
    """One more, into the event's memory. Raises EventError where there is no end of them."""
    interval = time - memory[LAST]
    if interval < memory[INTERVAL]:
        memory[N_SHORTER] += 1
    else:
        memory[[N_SHORTER, SINCE]] = 0, memory[LAST]
    memory[N_SHORT] = memory[N_SHORT] + 1 if interval <= SHORT * abs(time) else 0
    memory[[LAST, INTERVAL]] = time, interval
    is_zeno = memory[N_SHORTER] >= MANY_SHORTER and interval <= VANISHING * (time - memory[SINCE])
    if is_zeno or memory[N_SHORT] > MANY_SHORT:
        raise EventError(endless(row.event, time, float(interval), is_zeno=bool(is_zeno)))
