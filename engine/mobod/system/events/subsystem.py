"""EventSubsystem: all handlers and reporters of a System, and their memory in a State (SimTK's default subsystem)."""

from collections.abc import Callable
from dataclasses import replace
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from mobod.errors import InputError
from mobod.scalar import Array, Slot, Sweep
from mobod.system.events.handler_actions import NEVER
from mobod.system.events.handlers import Event, EventHandler
from mobod.system.events.kinds import ScheduledEvent, TriggeredEvent
from mobod.system.events.memory_guard import guarded
from mobod.system.events.program import EventProgram
from mobod.system.events.recording import RecordedActions, as_numbers, reader_of, record_handler, record_time
from mobod.system.events.table import (
    SCHEDULED,
    SIZE_OF_SHARED_MEMORY,
    TERMINATED,
    UNTIL,
    EventRow,
    EventTable,
    numbers_of_memory,
    numbers_of_shared_memory,
    start_of_memory,
)
from mobod.system.stage import Stage
from mobod.system.state.handles import DiscreteVariable
from mobod.system.state.layout import Layout
from mobod.system.state.recorded_state import RecordedState, slots_read
from mobod.system.state.state import State
from mobod.system.subsystem import Subsystem, SystemStructure
from mobod.system.variable import CatalogueVariable, VariableType


@final
class EventSubsystem(Subsystem):
    """The subsystem of events, made by a System's first event. It is realized last, since witnesses and handlers read quantities of all
    others.
    """

    recordable = True
    rank = 2

    def __init__(self, system: SystemStructure, recorded_actions: type[RecordedActions]):
        """recorded_actions: what recorded handlers may ask for"""
        self.events: list[Event] = []
        self._recorded_actions = recorded_actions
        super().__init__(system, "events")
        self._shared: DiscreteVariable

    def add(self, event: Event, name: str | None) -> tuple[int, str]:
        """Add an event; returns its number and its name."""
        kind = type(event).__name__.lower().strip("_") or "event"
        if name is None:
            name = self.system.free_name(kind, len(self.events) + 1)
        self.system.claim(name, "an event")
        self.events.append(event)
        self.invalidate_topology()
        return len(self.events) - 1, name

    def event(self, name: str) -> Event:
        """The event with this name. Raises InputError if there is none."""
        for event in self.events:
            if event.name == name:
                return event
        raise InputError(f"System '{self.system.name}' has no event named '{name}'.")

    def realize_topology(self, state: State) -> None:
        shared = np.zeros(SIZE_OF_SHARED_MEMORY)
        shared[UNTIL] = -NEVER
        numbers = numbers_of_shared_memory(len(self.events))
        self._shared = state.allocate_discrete_variable(self, "memory of events", shared, Stage.REPORT, numbers=numbers)
        for event in self.events:
            event.allocate(state, self, start_of_memory(event), numbers_of_memory(event))

    def tabulate(self, layout: Layout) -> None:
        witnesses = Sweep("witnesses")
        stages = [Stage.INSTANCE]
        rows = []
        for event in self.events:
            row = self._row(layout, event, witnesses)
            rows.append(row)
            if row.witness is not None:
                stages.append(event.stage)
        layout.tables[self.index] = EventTable(rows=tuple(rows), shared=layout.slots[self._shared], witnesses=witnesses, stage=max(stages))

    def table(self, layout: Layout) -> EventTable:
        table: EventTable = layout.tables[self.index]
        return table

    def variables(self, layout: Layout) -> list[CatalogueVariable]:
        """The catalogued variables: which handlers are enabled, and their own numeric variables. Reporters are not part of an FMU."""
        return [each for event in self.events if not (event.is_reporter or event.is_internal) for each in _variables_of(event, layout)]

    # internal
    def _row(self, layout: Layout, event: Event, witnesses: Sweep) -> EventRow:
        memory, direction = layout.slots[event.handle_of("memory")], layout.reserve(())
        row = EventRow(event=event, enabled=layout.slots[event.handle_of("enabled")], memory=memory, direction=direction)
        if not event.recordable:
            return row
        if isinstance(event, TriggeredEvent):
            row = replace(row, witness=self._add_witness(layout, event, witnesses))
        if isinstance(event, ScheduledEvent):
            row = replace(row, times=(self._record_time(layout, event, False), self._record_time(layout, event, True)))
        if isinstance(event, EventHandler):
            handling = self._record_handler(layout, event, memory, direction) if event.has_handler else EventProgram(event.stage, ())
            row = replace(row, handling=handling)
        return row

    def _add_witness(self, layout: Layout, event: TriggeredEvent, sweep: Sweep) -> Slot:
        about = f"witness of {event.title}"
        slot = layout.reserve(())
        if (call := event.witness_call(layout)) is not None:
            sweep.add(call.function, call.slots, [slot], structure=call.structure)
            return slot
        with guarded(event.remembered_by(type(event).witness), about):
            slots = slots_read(event.witness, self.system, layout, reader_of(about, event.stage))
        sweep.add(_evaluate_witness, slots, [slot], structure=(event.name, _Witness(event, tuple(slots), layout, about)))
        return slot

    def _record_handler(self, layout: Layout, event: EventHandler, memory: Slot, direction: Slot) -> EventProgram:
        return record_handler(
            event.handle_event,
            self._recorded_actions,
            event.remembered_by(type(event).handle_event),
            self.system,
            layout,
            event.stage,
            f"handle_event of {event.title}",
            direction=direction,
            scheduled=Slot(memory.offset + SCHEDULED, ()),
            terminates=Slot(layout.slots[self._shared].offset + TERMINATED, ()),
            number=event.index + 1,
        )

    def _record_time(self, layout: Layout, event: ScheduledEvent, includes_now: bool) -> EventProgram:
        return record_time(
            lambda state: event.next_event_time(state, includes_now),
            event.remembered_by(type(event).next_event_time),
            self.system,
            layout,
            event.stage,
            f"next_event_time of {event.title}",
            layout.slots[event.handle_of("memory")][0],
        )


def _variables_of(event: Event, layout: Layout) -> list[CatalogueVariable]:
    """The event's own variables. Needs no table of events: handlers set variables by name, and are recorded while that table is made."""
    found = []
    for name in ("enabled", *event.variables):
        handle = event.handle_of(name)
        if handle.shape is not None:
            what = f"whether {event.title} acts" if name == "enabled" else f"variable of {event.title}"
            kind: VariableType = "boolean" if handle.is_boolean else "real"
            slot, stage = layout.slots[handle], handle.invalidates
            found.append(CatalogueVariable.parameter(f"{event.name}.{name}", slot, "1", what, stage, type=kind, discrete=handle))
    return found


class _Witness:
    """The function that a witness's row calls, and the slots of its arguments."""

    def __init__(self, event: TriggeredEvent, slots: tuple[Slot, ...], layout: Layout, about: str):
        self.event, self.slots, self.layout, self.about = event, slots, layout, about

    def __call__(self, *arrays: Array) -> object:
        read = dict(zip(self.slots, arrays, strict=True))
        state = RecordedState(self.event.system, self.layout, reader_of(self.about, self.event.stage), read)
        witness: Callable[..., ArrayLike] = self.event.witness
        return as_numbers(witness(state), (), self.about)[()]


def _evaluate_witness(name: str, witness: _Witness, *arrays: Array) -> object:
    return witness(*arrays)
