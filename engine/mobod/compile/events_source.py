"""The events of a System as C: what fmu_src/native/events.h asks for."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from mobod.compile.liveness import LiveSweep, live_sweeps
from mobod.errors import UnsupportedError
from mobod.matter import Constraint
from mobod.scalar.c_code import c_kernel
from mobod.scalar.c_literal import c_literal, c_string
from mobod.scalar.c_tables import c_tables
from mobod.scalar.slot import Slot
from mobod.system import Stage, System, Variable
from mobod.system.event_actions import NEVER
from mobod.system.event_recording import Action, Function, Program
from mobod.system.event_table import EventRow, EventTable
from mobod.system.layout import Layout


@dataclass(frozen=True)
class Events:
    """Those that become C: all that there are, or the handlers alone, as in an FMU."""

    table: EventTable
    rows: tuple[EventRow, ...]
    bounds: tuple[Variable, ...]

    @property
    def programs(self) -> list[Program]:
        return [program for row in self.rows for program in (row.handling, *(row.times or ())) if program is not None]

    @property
    def functions(self) -> list[Function]:
        return [function for program in self.programs for function in program.functions]

    @property
    def witnesses(self) -> LiveSweep | None:
        """What computes them."""
        wanted = [row.witness.offset for row in self.rows if row.witness is not None]
        return live_sweeps({Stage.REPORT: self.table.witnesses}, wanted)[Stage.REPORT] if wanted else None

    @property
    def reads(self) -> list[int]:
        """Offsets of what must have been computed."""
        witnesses = self.witnesses
        slots = [slot for row in (witnesses.rows if witnesses else ()) for slot in row.row.inputs]  # type: ignore[union-attr] # no steps
        slots += [slot for function in self.functions for slot in function.inputs]
        return [offset for slot in slots for offset in offsets_of(slot)]

    @property
    def writes(self) -> set[int]:
        """Offsets of what handlers set."""
        return {offset for function in self.functions for slot in function.outputs for offset in offsets_of(slot)}

    @property
    def stages_of_tangents(self) -> set[Stage]:
        """Whose changes along a direction are asked for: before the witnesses, and of accelerations where impulses are applied."""
        stages = {stage for stage in Stage if stage <= self.table.stage} if self.witnesses else set()
        if any(action.kind == "impulse" for program in self.programs for action in program.actions):
            stages.add(Stage.ACCELERATION)
        return stages


def events_of(system: System, layout: Layout, variables: list[Variable], *, with_reporters: bool) -> Events | None:
    """Raises UnsupportedError for an event that is plain Python."""
    if not (system.has_events and system.events.events):
        return None
    table = system.events.table(layout)
    rows = tuple(row for row in table.rows if with_reporters or not row.event.is_reporter)
    for row in rows:
        if not row.event.recordable:
            raise UnsupportedError(
                f"{row.event.told} has recordable = False: it is plain Python, which cannot become C. Write it so that it can be recorded, "
                "simulate the System with backend='vm', or export it with kind='python'."
            )
    if not rows:
        return None
    events = Events(table, rows, ())
    bounded = (each for each in variables if each.discrete is not None and (each.minimum is not None or each.maximum is not None))
    return replace(events, bounds=tuple(each for each in bounded if not events.writes.isdisjoint(offsets_of(each.slot))))


def offsets_of(slot: Slot) -> range:
    return range(slot.offset, slot.offset + slot.size)


def functions_c(events: Events) -> str:
    """event_functions.c: the recorded functions."""
    functions = events.functions
    names = [f"event_function_{i}" for i in range(len(functions))]
    texts = [
        f"static {c_kernel(function.recording, name, adds=frozenset(), writes_early=False)}"
        for function, name in zip(functions, names, strict=True)
    ]
    return "\n".join(
        [
            "/* Made by mobod: what the handlers of events compute. */",
            '#include "elementary.h"\n#include "model.h"\n',
            *c_tables(function.recording for function in functions),
            *texts,
            f"Kernel *const mobod_event_functions[] = {{{', '.join(names) or 'NULL'}}};\n",
        ]
    )


def table_c(events: Events, layout: Layout) -> str:
    """C of `events`, which follows `witnesses_sweep` where there are witnesses."""
    writer = _Writer(events, layout)
    rows = [writer.event(i, row) for i, row in enumerate(events.rows)]
    triggered = [i for i, row in enumerate(events.rows) if row.witness is not None]
    bounds = [bound for variable in events.bounds for bound in _bounds(variable)]
    return "\n".join(
        [
            '#include "events.h"\n\n#include <float.h>\n',
            "extern Kernel *const mobod_event_functions[];\n",
            _ints("event_at", writer.at),
            *writer.texts,
            "static const Event event_rows[] = {",
            *rows,
            "};\n",
            _ints("triggered_events", triggered),
            "static const Bound event_bounds[] = {",
            *(bounds or ['    {"", 0, 0, 0},']),
            "};\n",
            f"static const char *const event_names[] = {{{', '.join(c_string(row.event.name) for row in events.table.rows)}}};\n",
            "static const EventTable events = {",
            f"    .n = {len(rows)},",
            "    .events = event_rows,",
            "    .names = event_names,",
            f"    .shared = {events.table.shared.offset},",
            f"    .n_witnesses = {len(triggered)},",
            "    .triggered = triggered_events,",
            *(["    .witnesses = &witnesses_sweep,"] if triggered else []),
            "    .functions = mobod_event_functions,",
            "    .at = event_at,",
            f"    .n_bounds = {len(bounds)},",
            "    .bounds = event_bounds,",
            "};\n",
        ]
    )


class _Writer:
    """Programs, one after the other; at: offsets of the functions."""

    def __init__(self, events: Events, layout: Layout):
        self._layout = layout
        self._numbers = {id(function): i for i, function in enumerate(events.functions)}
        self.at: list[int] = []
        self.texts: list[str] = []

    def event(self, number: int, row: EventRow) -> str:
        event = row.event
        wants = " | ".join(
            name for name, way in (("WANTS_RISING", 1), ("WANTS_FALLING", -1)) if row.witness is not None and row.triggered.wants(way)
        )
        without_now, with_now = row.times or (None, None)
        fields = [
            f".name = {c_string(event.name)}",
            f".cause = CAUSE_{event.cause.name}",
            f".is_reporter = {int(event.is_reporter)}",
            f".wants = {wants or 0}",
            f".window = {c_literal(getattr(event, 'window', 0.0))}",
            f".stage = STAGE_{event.stage.name}",
            f".enabled = {row.enabled.offset}",
            f".memory = {row.memory.offset}",
            f".direction = {row.direction.offset}",
            f".witness = {-1 if row.witness is None else row.witness.offset}",
            f".handling = {self._program(f'event_{number}_handling', row.handling)}",
            f".next = {self._program(f'event_{number}_next', without_now)}",
            f".start = {self._program(f'event_{number}_start', with_now)}",
        ]
        return f"    {{{', '.join(fields)}}},"

    def _program(self, name: str, program: Program | None) -> str:
        if program is None or not program.steps:
            return "{0, NULL}"
        lines = [self._instruction(f"{name}_{i}", step) for i, step in enumerate(program.steps)]
        self.texts.append("\n".join([f"static const Instruction {name}[] = {{", *lines, "};"]))
        return f"{{{len(lines)}, {name}}}"

    def _instruction(self, name: str, step: Function | Action) -> str:
        if isinstance(step, Function):
            first = len(self.at)
            self.at += [slot.offset for slot in (*step.inputs, *step.outputs)]
            self.texts.append(_ints(f"{name}_writes", [number for slot in step.outputs for number in (slot.offset, slot.size)]))
            numbers = f"{self._numbers[id(step)]}, STAGE_{step.invalidates.name}, {first}, {len(step.outputs)}"
            return f"    {{DO_FUNCTION, {numbers}, {name}_writes}},"
        if step.kind == "realize":
            assert step.stage is not None
            return f"    {{DO_REALIZE, STAGE_{step.stage.name}, 0, 0, 0, NULL}},"
        if step.kind == "project":
            return "    {DO_PROJECT, 0, 0, 0, 0, NULL},"
        constraint, place = step.constraint, step.restitution
        assert isinstance(constraint, Constraint)
        assert isinstance(place, Slot)
        sweeps = constraint.matter.constraint_sweeps(self._layout)
        block = sweeps.table.block_at(sweeps.lines(constraint).start)
        return f"    {{DO_IMPULSE, {block}, 0, {place.offset}, 0, NULL}},"


def _bounds(variable: Variable) -> Iterable[str]:
    least = -NEVER if variable.minimum is None else variable.minimum
    greatest = NEVER if variable.maximum is None else variable.maximum
    for i, name in enumerate(variable.entry_names()):
        yield f"    {{{c_string(name)}, {variable.slot.offset + i}, {c_literal(least)}, {c_literal(greatest)}}},"


def _ints(name: str, values: list[int]) -> str:
    lines = [", ".join(map(str, values[i : i + 24])) for i in range(0, len(values), 24)] or ["0"]
    return f"static const int {name}[] = {{\n    " + ",\n    ".join(lines) + "\n};"
