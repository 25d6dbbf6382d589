"""The tables of a System's events for the C runtime: event_table.h in fmu_src/native."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from mobod.compilation.calls.liveness import LiveCall, LiveSweep, whole_kind
from mobod.errors import UnsupportedError
from mobod.matter.event_actions import Impulse
from mobod.runtime.library import constant
from mobod.runtime.tables import Struct, StructArray
from mobod.scalar.c_code import c_kernel
from mobod.scalar.c_tables import c_tables
from mobod.scalar.slot import Slot
from mobod.scalar.sweep import SweepCall
from mobod.system import NEVER, CatalogueVariable, Layout, Stage, System
from mobod.system.events.kinds import TriggeredEvent
from mobod.system.events.program import Action, EventFunction, EventProgram, Project
from mobod.system.events.table import EventRow, EventTable


@dataclass(frozen=True)
class Events:
    """The events that become C: all events, or without reporters, as in an FMU.

    has_constraints  whether the System has constraint rows, to which speeds are projected after handlers
    """

    table: EventTable
    rows: tuple[EventRow, ...]
    bounds: tuple[CatalogueVariable, ...]
    has_constraints: bool

    @property
    def triggered(self) -> list[EventRow]:
        """The events that a witness triggers."""
        return [row for row in self.rows if isinstance(row.event, TriggeredEvent)]

    @property
    def programs(self) -> list[EventProgram]:
        return [program for row in self.rows for program in (row.handling, *(row.times or ())) if program is not None]

    @property
    def functions(self) -> list[EventFunction]:
        return [function for program in self.programs for function in program.functions]

    @cached_property
    def witnesses(self) -> LiveSweep | None:
        """The sweep that computes the witnesses."""
        wanted = {row.witness.offset for row in self.rows if row.witness is not None}
        calls = [each for each in self.table.witnesses.calls if isinstance(each, SweepCall) and each.outputs[0].offset in wanted]
        return LiveSweep([], [LiveCall(call, whole_kind(call)) for call in calls]) if calls else None

    @cached_property
    def read_by_witnesses(self) -> list[int]:
        """Offsets that must be computed before the witnesses."""
        witnesses = self.witnesses
        return [offset for call in (witnesses.calls if witnesses else ()) for slot in call.call.inputs for offset in offsets_of(slot)]  # type: ignore[union-attr] # no procedures

    @cached_property
    def reads(self) -> list[int]:
        """Offsets that must be computed before the events."""
        return [*self.read_by_witnesses, *(k for function in self.functions for slot in function.inputs for k in offsets_of(slot))]

    @property
    def writes(self) -> set[int]:
        """Offsets that handlers set."""
        return {offset for function in self.functions for slot in function.outputs for offset in offsets_of(slot)}

    @property
    def _gives_impulses(self) -> bool:
        """Whether handlers request impulses, or change speeds so that constraints need an impulse."""
        kinds = {type(action) for program in self.programs for action in program.actions}
        changes = any(Stage.EMPTY < function.invalidates <= Stage.ACCELERATION for function in self.functions)
        return Impulse in kinds or (self.has_constraints and (changes or Project in kinds))

    @property
    def _calls_handlers(self) -> bool:
        """Whether handlers run as plain Python, so that their actions are not known."""
        return any(not (row.event.recordable or row.event.is_reporter) for row in self.rows)

    @property
    def stages_of_tangents(self) -> set[Stage]:
        """The stages whose tangents are needed: those before the witnesses, and ACCELERATION if there are impulses."""
        stages = {stage for stage in Stage if stage <= self.table.stage} if self.witnesses else set()
        if self._gives_impulses or self._calls_handlers:
            stages.add(Stage.ACCELERATION)
        return stages


def events_of(
    system: System, layout: Layout, variables: list[CatalogueVariable], *, with_reporters: bool, calls_back: bool = False
) -> Events | None:
    """The events of a System. calls_back: an event in plain Python becomes a callback; if False, it raises UnsupportedError."""
    if not (system.has_events and system.events.events):
        return None
    table = system.events.table(layout)
    rows = tuple(row for row in table.rows if with_reporters or not row.event.is_reporter)
    for row in rows:
        if not (row.event.recordable or calls_back):
            raise UnsupportedError(
                f"{row.event.title} has recordable = False: it runs as plain Python, which cannot become C. Write it so that it can be "
                "recorded, "
                "or export the System with kind='python'."
            )
    if not rows:
        return None
    events = Events(table, rows, (), "rows" in layout.c_tables)
    bounded = (each for each in variables if each.discrete is not None and (each.minimum is not None or each.maximum is not None))
    return replace(events, bounds=tuple(each for each in bounded if not events.writes.isdisjoint(offsets_of(each.slot))))


def offsets_of(slot: Slot) -> range:
    return range(slot.offset, slot.offset + slot.size)


def functions_c(events: Events) -> str:
    """The text of event_functions.c, with the recorded functions."""
    texts = [c_kernel(function.recording, name, adds=frozenset(), writes_early=False) for function, name in event_functions(events).items()]
    return "\n".join(
        [
            "/* Made by mobod: what the handlers of events compute. */",
            '#include "kernel.h"\n#include "number.h"\n',
            *c_tables(function.recording for function in events.functions),
            *texts,
        ]
    )


def event_functions(events: Events) -> dict[EventFunction, str]:
    """The recorded functions and their names in C."""
    return {function: f"event_function_{i}" for i, function in enumerate(events.functions)}


def event_table(
    events: Events,
    layout: Layout,
    witnesses: Struct | None,
    before_witnesses: Mapping[str, object],
    kernel: Callable[[EventFunction], Struct],
    *,
    has_tangents: bool,
) -> Struct:
    """The `EventTable` of event_table.h.

    witnesses         the sweep of the witnesses
    before_witnesses  fields for the sweeps that run before it (see witness_tables)
    kernel            of a recorded function
    has_tangents      whether there are tangents of everything that witnesses depend on
    """
    writer = _ActionsWriter(events, layout)
    rows = [writer.event(row) for row in events.rows]
    triggered = [i for i, row in enumerate(events.rows) if isinstance(row.event, TriggeredEvent)]
    bounds = [bound for variable in events.bounds for bound in _bounds(variable)]
    return Struct(
        "EventTable",
        n=len(rows),
        events=StructArray("Event", rows),
        n_names=len(events.table.rows),
        names=[row.event.name for row in events.table.rows],
        shared=events.table.shared.offset,
        n_witnesses=len(triggered),
        triggered=triggered,
        witnesses=witnesses,
        **before_witnesses,
        has_tangents=has_tangents,
        functions=[kernel(function) for function in events.functions],
        at=writer.at,
        n_bounds=len(bounds),
        bounds=bounds,
    )


class _ActionsWriter:
    """Writes the instructions of handlers one after the other. at: offsets of the functions."""

    def __init__(self, events: Events, layout: Layout):
        self._layout = layout
        self._numbers = {id(function): i for i, function in enumerate(events.functions)}
        self.at: list[int] = []

    def event(self, row: EventRow) -> Struct:
        event = row.event
        ways = [way for way in (1, -1) if row.triggered.wants(way)] if isinstance(event, TriggeredEvent) else ()
        if event.recordable:
            handling, next_time, start_time = (self._actions(each) for each in (row.handling, *(row.times or (None, None))))
        else:
            handling, next_time, start_time = (_called(role) for role in ("ROLE_HANDLE", "ROLE_NEXT_TIME", "ROLE_START_TIME"))
        return Struct(
            "Event",
            name=event.name,
            cause=constant(f"CAUSE_{event.cause.name}"),
            is_reporter=event.is_reporter,
            wants=sum(constant({1: "WANTS_RISING", -1: "WANTS_FALLING"}[way]) for way in ways),
            window=event.window if isinstance(event, TriggeredEvent) else 0.0,
            stage=int(event.stage),
            enabled=row.enabled.offset,
            memory=row.memory.offset,
            direction=row.direction.offset,
            witness=-1 if row.witness is None else row.witness.offset,
            is_called=isinstance(event, TriggeredEvent) and row.witness is None,
            handling=handling,
            next=next_time,
            start=start_time,
        )

    def _actions(self, program: EventProgram | None) -> Struct:
        steps = [] if program is None else program.steps
        return Struct("Actions", n=len(steps), instructions=[self._instruction(step) for step in steps] if steps else None)

    def _instruction(self, step: EventFunction | Action) -> Struct:
        if isinstance(step, EventFunction):
            first = len(self.at)
            self.at += [slot.offset for slot in (*step.inputs, *step.outputs)]
            return Struct(
                "Instruction",
                kind=constant("DO_FUNCTION"),
                number=self._numbers[id(step)],
                invalidates=int(step.invalidates),
                at=first,
                n_writes=len(step.outputs),
                writes=[number for slot in step.outputs for number in (slot.offset, slot.size)],
            )
        return step.in_c(self._layout)


def _called(role: str) -> Struct:
    """The instructions that call the Python code of an event."""
    return Struct("Actions", n=1, instructions=[Struct("Instruction", kind=constant("DO_CALLBACK"), number=constant(role))])


def _bounds(variable: CatalogueVariable) -> Iterable[Struct]:
    least = -NEVER if variable.minimum is None else variable.minimum
    greatest = NEVER if variable.maximum is None else variable.maximum
    for i, name in enumerate(variable.entry_names()):
        yield Struct("Bound", name=name, at=variable.slot.offset + i, least=float(least), greatest=float(greatest), unit=variable.unit(i))
