"""The memory of events in a State, and the recorded functions of events."""

from dataclasses import dataclass

import numpy as np

from mobod.runtime.library import enumerators
from mobod.scalar import Slot, Sweep
from mobod.system.events.handler_actions import NEVER
from mobod.system.events.handlers import Cause, Event, EventHandler, EventReporter
from mobod.system.events.kinds import ScheduledEvent, TriggeredEvent
from mobod.system.events.program import EventProgram
from mobod.system.stage import Stage
from mobod.system.state.saved_numbers import Numbers

# places in the memory of one event and in the shared memory; fmu_src/native/tables/event_table.h describes them
_MEMORY, _SHARED = enumerators("EventMemory"), enumerators("SharedEventMemory")
NEXT = _MEMORY["MEMORY_NEXT"]
SCHEDULED = _MEMORY["MEMORY_SCHEDULED"]
SIDE = _MEMORY["MEMORY_SIDE"]
NOISE = _MEMORY["MEMORY_NOISE"]
CROSSED = _MEMORY["MEMORY_CROSSED"]
CROSSED_NOISE = _MEMORY["MEMORY_CROSSED_NOISE"]
N_SHORTER = _MEMORY["MEMORY_N_SHORTER"]
N_SHORT = _MEMORY["MEMORY_N_SHORT"]
SIZE_OF_MEMORY = _MEMORY["SIZE_OF_MEMORY"]
UNTIL = _SHARED["SHARED_UNTIL"]
TERMINATED = _SHARED["SHARED_TERMINATED"]
SIZE_OF_SHARED_MEMORY = _SHARED["SIZE_OF_SHARED"]

# valid values of these in a saved State; a count is smaller than any run could reach
COUNT = Numbers(1, 0.0, 1e15, is_whole=True)
_SIGN, _SIZE = Numbers(1, -1.0, 1.0, is_whole=True), Numbers(1, 0.0)
_NUMBERS = {SIDE: _SIGN, NOISE: _SIZE, CROSSED: _SIGN, CROSSED_NOISE: _SIZE, N_SHORTER: COUNT, N_SHORT: COUNT}


def start_of_memory(event: Event) -> np.ndarray:
    """Before a run begins."""
    memory = np.zeros(SIZE_OF_MEMORY + len(event.memory_of_element))
    memory[NEXT] = NEVER
    return memory


def numbers_of_memory(event: Event) -> tuple[Numbers, ...]:
    """What can be remembered. An event that is not scheduled has no next time: a run would not get past it."""
    numbers = _NUMBERS if event.cause in (Cause.SCHEDULED, Cause.SAMPLE) else {**_NUMBERS, NEXT: Numbers(1, NEVER, NEVER)}
    return (*(numbers.get(i, Numbers(1)) for i in range(SIZE_OF_MEMORY)), *event.memory_of_element)


def numbers_of_shared_memory(n_events: int) -> tuple[Numbers, ...]:
    """Valid values in the shared memory of n events."""
    return (Numbers(1), Numbers(1, 0.0, float(n_events), is_whole=True))


@dataclass(frozen=True, kw_only=True)
class EventRow:
    """An event in one layout.

    witness    slot of the value of a recorded witness
    direction  slot of the direction of the crossing, for the handler
    handling   program of a recorded handler
    times      programs of its next_event_time: (includes_now=False, includes_now=True)
    """

    event: Event
    enabled: Slot
    memory: Slot
    direction: Slot
    witness: Slot | None = None
    handling: EventProgram | None = None
    times: tuple[EventProgram, EventProgram] | None = None

    @property
    def triggered(self) -> TriggeredEvent:
        """The event of a row with a witness."""
        assert isinstance(self.event, TriggeredEvent)
        return self.event

    @property
    def scheduled(self) -> ScheduledEvent:
        """The event of a row that determines its own times."""
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
    """All events of a System, in the order of addition.

    shared     memory of the subsystem
    witnesses  sweep of the recorded witnesses; runs after a State was realized to `stage`
    """

    rows: tuple[EventRow, ...]
    shared: Slot
    witnesses: Sweep
    stage: Stage
