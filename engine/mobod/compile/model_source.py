"""From a System to C: what fmu_src/native/model.h asks for.

Each kind of row becomes one C function, each stage one table of calls; the size of the code grows with the number of kinds, that of the
tables with the number of bodies.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from mobod.compile.contacts_source import contacts_c
from mobod.compile.dependencies import Dependencies
from mobod.compile.events_source import Events, events_of, functions_c, table_c
from mobod.compile.kinds_source import KindsSource, kernels_c, tangents_c
from mobod.compile.liveness import LiveKind, LiveSweep, live_sweeps
from mobod.errors import UnsupportedError
from mobod.scalar.c_literal import c_literal, c_string
from mobod.scalar.slot import Slot
from mobod.scalar.step import Step
from mobod.scalar.sweep import Sweep
from mobod.system import CacheEntry, Layout, Stage, State, System, Variable
from mobod.system.stage_sweeps import stage_sweeps


@dataclass
class GeneratedModel:
    """A System ready to become model.c, and what its array w holds.

    name       the System's
    variables  the System's catalogue
    start      w of a new instance, without the block of initial conditions that C has after it
    system     whose events become C with it
    """

    name: str
    variables: list[Variable]
    start: np.ndarray
    layout: Layout
    sweeps: dict[Stage, Sweep]
    system: System
    _dependencies: Dependencies | None = None

    @property
    def time(self) -> Slot:
        return self.layout.time

    @property
    def y(self) -> Slot:
        return self.layout.y

    @property
    def y_dot(self) -> Slot:
        return self.layout.y_dot

    def source(self, wanted: Iterable[int]) -> dict[str, str]:
        """C files, name -> text: model.c, which computes y_dot and the numbers at the wanted offsets, and nothing that these do not need;
        tangents.c, which computes how they change along a direction; more functions of both if there are many; event_functions.c.

        Raises UnsupportedError for an event handler that is plain Python; reporters are left out.
        """
        events = self.events(with_reporters=False)
        sweeps = self._live_sweeps(wanted, events)
        return self._source(sweeps, events, set(sweeps), is_whole=True)

    def events(self, *, with_reporters: bool) -> Events | None:
        """Raises UnsupportedError for one that is plain Python."""
        return events_of(self.system, self.layout, self.variables, with_reporters=with_reporters)

    def set_by_events(self) -> set[int]:
        """The offsets of what handlers set of their own accord; it is for nobody else to set while time goes on."""
        events = self.events(with_reporters=False)
        return events.writes if events else set()

    def bare_source(self, wanted: Iterable[int] = ()) -> dict[str, str]:
        """What computes y_dot and the numbers at the wanted offsets, without start values, names, and tangents that no event needs:
        Systems that differ in values alone have the same.

        Raises UnsupportedError for an event that is plain Python.
        """
        events = self.events(with_reporters=True)
        sweeps = self._live_sweeps(wanted, events)
        return self._source(sweeps, events, events.stages_of_tangents if events else set(), is_whole=False)

    def _source(
        self, sweeps: dict[Stage, LiveSweep], events: Events | None, with_tangents: set[Stage], *, is_whole: bool
    ) -> dict[str, str]:
        witnesses = {"witnesses": events.witnesses} if events and events.witnesses else {}
        kernels = kernels_c({**sweeps, **witnesses})
        files = {**kernels.files}
        has_tangents = bool(with_tangents) or bool(witnesses) or is_whole
        if has_tangents:
            tangents = tangents_c({stage: sweep for stage, sweep in sweeps.items() if stage in with_tangents} | witnesses)
            files |= {"tangents.c": _tangents_c(tangents, kernels), **tangents.files}
        if events:
            files["event_functions.c"] = functions_c(events)
        model_c = _model_c(self, sweeps, witnesses, events, kernels, is_whole=is_whole, has_tangents=has_tangents)
        return {"model.c": model_c, **files}

    def _live_sweeps(self, wanted: Iterable[int], events: Events | None) -> dict[Stage, LiveSweep]:
        read_by_runtime = [self.layout.y_dot, *self.layout.c_reads]
        read_by_events = events.reads if events else []
        return live_sweeps(self.sweeps, {*wanted, *read_by_events, *(offset for slot in read_by_runtime for offset in slot.offsets)})

    def depends_on(self, offset: int) -> frozenset[int]:
        """The offsets of time, of states, parameters and inputs that the number at `offset` depends on, by structure."""
        if self._dependencies is None:
            self._dependencies = Dependencies(self.variables, self.sweeps)
        return self._dependencies.of(offset)


def generate(system: System, state: State | None = None) -> GeneratedModel:
    """model.c of a System; `state` gives the start values, the default State if left out.

    Raises UnsupportedError for a subsystem that computes by Python hooks, which cannot be recorded, or has auto-update variables.
    """
    state = system.realize_topology() if state is None else state
    state.check_belongs_to(system)
    for variable in state.auto_update_variables:
        owner = system.subsystems[variable.subsystem].name
        raise UnsupportedError(
            f"discrete variable '{variable.name}' of subsystem '{owner}' is updated at the start of each step, which C does not do. "
            "Simulate the System with backend='vm'."
        )
    for subsystem in system.subsystems:
        if reason := subsystem.why_not_recordable():
            raise UnsupportedError(
                f"{reason}, which cannot become C. Write it so that it can be recorded, simulate with backend='vm', or export a Python "
                "FMU: kind='python'."
            )
    layout = state.layout
    variables = system.variables(state)
    sweeps = stage_sweeps(system.realization_order, layout, [variable.entry for variable in variables if variable.entry is not None])
    return GeneratedModel(system.name, variables, start_values(state), layout, sweeps, system)


def start_values(state: State) -> np.ndarray:
    """The variables of the State and what the structure fixes; everything computed is 0."""
    layout = state.layout
    start = np.zeros(layout.size)
    variables = [slot for handle, slot in layout.slots.items() if not isinstance(handle, CacheEntry)]
    for slot in [layout.time, layout.y, *variables]:
        start[slot.slice] = state.values[slot.slice]
    for offset, value in layout.constants.items():
        start[offset] = value
    return start


def _tangents_c(kinds: KindsSource, kernels: KindsSource) -> str:
    """kernels: of all kinds, by whose numbers the tangents are found."""
    names = [kinds.names.get(kind, "NULL") for kind in kernels.names]
    parts = [
        "/* Made by mobod: how the results of each kind in model.c change when its arguments do. */",
        '#include "elementary.h"\n#include "model.h"\n',
        kinds.text,
        f"Tangent *const mobod_tangents[] = {{{', '.join(names) or 'NULL'}}};",
    ]
    return "\n".join(parts) + "\n"


def _model_c(
    model: GeneratedModel,
    sweeps: dict[Stage, LiveSweep],
    witnesses: dict[str, LiveSweep],
    events: Events | None,
    kinds: KindsSource,
    *,
    is_whole: bool,
    has_tangents: bool,
) -> str:
    """is_whole: with start values and names."""
    layout, names = model.layout, kinds.names
    contacts = contacts_c(events, layout) if events else None
    tables = layout.c_tables | ({"own_errors": own_errors_c(layout)} if layout.errors else {})
    numbers = {kind: number for number, kind in enumerate(names)}
    parts = [
        f"/* Made by mobod from {_c_comment(model.name) if is_whole else 'a System'}: its kinds of elements, and tables of them. */",
        '#include "elementary.h"\n#include "model.h"\n',
        kinds.text,
        f"static Kernel *const kernels[] = {{{', '.join(names.values()) or 'NULL'}}};\n",
        *(_sweep_c(stage.name.lower(), sweep, numbers) for stage, sweep in sweeps.items()),
        *tables.values(),
        *(_sweep_c(name, sweep, numbers) for name, sweep in witnesses.items()),
        *([table_c(events, layout)] if events else []),
        *([contacts] if contacts else []),
        "static const Sweep *const sweeps[N_STAGES] = {",
        *(f"    [STAGE_{stage.name}] = &{stage.name.lower()}_sweep," for stage in sweeps),
        "};\n",
        *(_values_c(model) if is_whole else []),
        *(["extern Tangent *const mobod_tangents[];\n"] if has_tangents else []),
        _ints_c("quaternions", layout.quaternions),
        "const Model mobod_model = {",
        f"    .name = {c_string(model.name if is_whole else '')},",
        f"    .n_w = {layout.size + layout.n_y},",
        f"    .n_q = {layout.n_q},",
        f"    .n_u = {layout.n_u},",
        f"    .n_z = {layout.n_z},",
        f"    .time_at = {layout.time.offset},",
        f"    .y_at = {layout.y.offset},",
        f"    .y_dot_at = {layout.y_dot.offset},",
        f"    .q_dot_stage = STAGE_{layout.q_dot_stage.name},",
        f"    .y_start_at = {layout.size},",
        *(["    .start = start,", "    .y_names = y_names,"] if is_whole else []),
        *(["    .tangents = mobod_tangents,"] if has_tangents else []),
        *(["    .events = &events,"] if events else []),
        *(["    .contacts = &contacts,"] if contacts else []),
        f"    .n_quaternions = {len(layout.quaternions)},",
        "    .quaternions = quaternions,",
        f"    .n_kernels = {len(names)},",
        "    .kernels = kernels,",
        "    .sweeps = sweeps,",
        *(f"    .{name} = &{name}," for name in tables),
        "};",
    ]
    return "\n".join(parts) + "\n"


def y_names(layout: Layout, variables: list[Variable]) -> list[str]:
    """The names of the entries of y, in order."""
    names: dict[int, str] = {}
    for variable in variables:
        if variable.role == "state":
            names.update(zip(range(variable.slot.offset, variable.slot.offset + variable.slot.size), variable.entry_names(), strict=True))
    return [names[offset] for offset in range(layout.y.offset, layout.y.offset + layout.n_y)]


def _sweep_c(name: str, sweep: LiveSweep, kernels: dict[LiveKind | Step, int]) -> str:
    clears = [number for each in sweep.clears for number in each]
    numbers: list[int] = []
    first: list[int] = []
    at: list[int] = []
    for each in sweep.rows:
        numbers.append(kernels[each if isinstance(each, Step) else each.kind])
        first.append(len(at))
        at += [] if isinstance(each, Step) else [slot.offset for slot in (*each.row.inputs, *each.row.outputs)]
    return "\n".join(
        [
            _ints_c(f"{name}_clear", clears),
            _ints_c(f"{name}_kernel", numbers),
            _ints_c(f"{name}_first", first),
            _ints_c(f"{name}_at", at),
            f"static const Sweep {name}_sweep = {{",
            f"    {len(clears) // 2}, {name}_clear, {len(numbers)}, {name}_kernel, {name}_first, {name}_at,",
            "};\n",
        ]
    )


def _values_c(model: GeneratedModel) -> list[str]:
    names = ", ".join(c_string(name) for name in y_names(model.layout, model.variables)) or "NULL"
    return [
        _start_c(model.start, model.layout),
        f"static const char *const y_names[] = {{{names}}};\n",
    ]


def _start_c(start: np.ndarray, layout: Layout) -> str:
    """All of w that is not 0; the initial conditions repeat y at its end."""
    whole = np.concatenate([start, start[layout.y.slice]])
    lines = [f"    [{offset}] = {c_literal(float(whole[offset]))}," for offset in np.flatnonzero(whole)]
    return "\n".join([f"static const double start[{len(whole)}] = {{", *(lines or ["    0.0,"]), "};\n"])


def own_errors_c(layout: Layout) -> str:
    """C that defines `own_errors`, the table of own_errors.h."""
    blocks = [
        f"    {{{c_string(each.name)}, {int(each.kind == 'u')}, {each.errors.size}, {each.unknowns.size}, {each.errors.offset}, "
        f"{each.unknowns.offset}, {each.jacobian.offset}, {each.workspace.offset}}},"
        for each in layout.errors
    ]
    return "\n".join(
        [
            '#include "own_errors.h"\n',
            "static const OwnErrors own_error_blocks[] = {",
            *blocks,
            "};",
            f"static const OwnErrorTable own_errors = {{{len(blocks)}, own_error_blocks}};\n",
        ]
    )


def _ints_c(name: str, values: list[int]) -> str:
    lines = [", ".join(map(str, values[i : i + 24])) for i in range(0, len(values), 24)] or ["0"]
    return f"static const int {name}[] = {{\n    " + ",\n    ".join(lines) + "\n};"


def _c_comment(name: str) -> str:
    """A System's name within a C comment, which it must not end."""
    return f"System {c_string(name)}".replace("*/", "* /")
