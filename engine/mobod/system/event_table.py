"""Where what is remembered of events lies in a State, and what of them is computed."""

from dataclasses import dataclass

import numpy as np

from mobod.scalar.slot import Slot
from mobod.scalar.sweep import Sweep
from mobod.system.event_actions import NEVER
from mobod.system.event_recording import Program
from mobod.system.events import Event, EventHandler, EventReporter, ScheduledEvent, TriggeredEvent
from mobod.system.saved_numbers import Numbers
from mobod.system.stage import Stage

# what an event's memory holds; as in fmu_src/native/events.h
NEXT = 0  # s, when it happens next by its own rule
SCHEDULED = 1  # s, when its handler is to be called besides
SIDE = 2  # of its witness: 1 above zero, -1 below, 0 not known yet
VALUE = 3  # of its witness when that was last decided
NOISE = 4  # not 0: the witness was at zero then, and is on its side, or has one, once it is farther from zero than this
LAST = 5  # s, when a triggered event happened last
INTERVAL = 6  # s, between the last two times
N_SHORTER = 7  # how often in sequence the interval has become shorter
N_SHORT = 8  # how often in sequence it has been next to nothing
SINCE = 9  # s, when that sequence of shorter ones began
IMPACT_SPEED = 10  # of a unilateral row: the largest with which it was met
RAISED = 11  # of a unilateral row: how often its capture speed was raised tenfold
N_AMBIGUOUS = 12  # of a unilateral row: how often impacts that cannot be told apart in time decided on it; see contacts.h
AMBIGUOUS_AT = 13  # s, of a unilateral row: the last time
SIZE_OF_MEMORY = 14

# what the subsystem of events remembers
UNTIL = 0  # s, the time up to which events have been handled
TERMINATED = 1  # the number from 1 of the event that ended the run; 0: none did
SIZE_OF_SHARED_MEMORY = 2

# what these can be in a saved State; a count is below what a run could reach
_COUNT = Numbers(1, 0.0, 1e15, is_whole=True)
_NUMBERS = {
    SIDE: Numbers(1, -1.0, 1.0, is_whole=True),
    NOISE: Numbers(1, 0.0),
    N_SHORTER: _COUNT,
    N_SHORT: _COUNT,
    IMPACT_SPEED: Numbers(1, 0.0),
    RAISED: Numbers(1, 0.0, 100.0, is_whole=True),  # a power of ten
    N_AMBIGUOUS: _COUNT,
}


def start_of_memory() -> np.ndarray:
    """Of an event before a run begins."""
    memory = np.zeros(SIZE_OF_MEMORY)
    memory[NEXT] = NEVER
    return memory


def numbers_of_memory(*, has_times: bool) -> tuple[Numbers, ...]:
    """has_times: whether the event says when it happens next; of another one no handler changes that, and a run would not get past it."""
    numbers = _NUMBERS if has_times else {**_NUMBERS, NEXT: Numbers(1, NEVER, NEVER)}
    return tuple(numbers.get(i, Numbers(1)) for i in range(SIZE_OF_MEMORY))


def numbers_of_shared_memory(n_events: int) -> tuple[Numbers, ...]:
    """For so many events."""
    return (Numbers(1), Numbers(1, 0.0, float(n_events), is_whole=True))


@dataclass(frozen=True, kw_only=True)
class EventRow:
    """An event in one layout.

    witness    where the value of a recorded witness lies
    direction  which way it crossed, for the handler
    handling   what a recorded handler does
    times      what its next_event_time does: (without now, with now)
    """

    event: Event
    enabled: Slot
    memory: Slot
    direction: Slot
    witness: Slot | None = None
    handling: Program | None = None
    times: tuple[Program, Program] | None = None

    @property
    def triggered(self) -> TriggeredEvent:
        """The event of a row that has a witness."""
        assert isinstance(self.event, TriggeredEvent)
        return self.event

    @property
    def scheduled(self) -> ScheduledEvent:
        """The event of a row that says its times itself."""
        assert isinstance(self.event, ScheduledEvent)
        return self.event

    @property
    def handler(self) -> EventHandler:
        assert isinstance(self.event, EventHandler)
        return self.event

    @property
    def reporter(self) -> EventReporter:
        assert isinstance(self.event, EventReporter)
        return self.event


@dataclass(frozen=True, kw_only=True)
class EventTable:
    """All events of a System, in the order in which they were added.

    shared     memory of the subsystem
    witnesses  computes the recorded witnesses, after a State was realized to `stage`
    """

    rows: tuple[EventRow, ...]
    shared: Slot
    witnesses: Sweep
    stage: Stage
