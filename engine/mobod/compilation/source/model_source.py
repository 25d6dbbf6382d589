"""Generates C code or tables of a System for the C runtime: fmu_src/native/tables/model.h.

Each kind of row becomes one C function, each stage one table of calls. The size of the code is proportional to the number of kinds, that
of the tables to the number of bodies.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from mobod.compilation.calls.dependencies import Dependencies, OffsetSets
from mobod.compilation.calls.liveness import CallsKind, LiveKind, LiveSweep, live_sweeps
from mobod.compilation.calls.operation_counts import StepOperations, step_operations
from mobod.compilation.source.blob import blob
from mobod.compilation.source.events_source import Events, events_of
from mobod.compilation.source.independent_states import independent_states
from mobod.compilation.source.model_kernels import Called, CompiledKernels, InterpretedKernels, TextKernels
from mobod.compilation.source.model_struct import model_c, model_table, witness_index
from mobod.compilation.source.model_sweeps import ModelSweeps
from mobod.compilation.source.model_tables import n_numbers_of_fmu, scales_table
from mobod.compilation.source.own_error_table import own_error_table
from mobod.compilation.source.scales import estimated_scales
from mobod.compilation.source.start_dependencies import StartDependencies, run_numbers
from mobod.errors import UnsupportedError
from mobod.runtime.tables import Struct, StructArray
from mobod.scalar import Slot, Sweep
from mobod.scalar.procedure import PythonProcedure
from mobod.system import CatalogueVariable, DiscreteVariable, Layout, Stage, State, Subsystem, System, check_state
from mobod.system.auto_update_search import updated_offsets
from mobod.system.scales import Scales
from mobod.system.stage_sweeps import stage_sweeps

Code = Literal["compiled", "interpreted", "text"]
"""The form of the equations: C, bytecode, or callbacks to the NumPy code of the elements."""


@dataclass(frozen=True)
class Tangents:
    """Tangents of a model's kernels.

    table        `Kernel` of kernel.h for each kernel; its function is null for a kernel in Python
    n_registers  size of the scratch memory that they need, in floats
    compiled     kernels that must be compiled for them
    """

    table: StructArray
    n_registers: int
    compiled: CompiledKernels | None


@dataclass
class GeneratedModel:
    """A System that is ready to become model.c, and the contents of its array w.

    name       the System's name
    variables  the System's catalogue
    start      w of a new instance, without the block of initial conditions that follows it in C
    system     whose events become C with it
    calls_back whether plain Python is called back, for runs in this process
    scales     to which errors and tolerances are relative
    n_extra    how many numbers there are besides, for rows that are added to the sweeps: see `extra`
    """

    name: str
    variables: list[CatalogueVariable]
    start: np.ndarray
    layout: Layout
    sweeps: dict[Stage, Sweep]
    system: System
    calls_back: bool = False
    scales: Scales = field(default_factory=Scales)
    n_extra: int = 0
    _fmu: tuple[list[int], ModelSweeps] | None = None
    _runs: dict[tuple[tuple[int, ...], int], ModelSweeps] = field(default_factory=dict)
    _table: tuple[tuple[list[int], int], bool, Struct] | None = None

    @property
    def time(self) -> Slot:
        return self.layout.time

    @property
    def y(self) -> Slot:
        return self.layout.y

    @property
    def y_dot(self) -> Slot:
        return self.layout.y_dot

    @property
    def extra(self) -> Slot:
        """(n_extra,) numbers of rows that are no System's, after those of an FMU without inputs. They are 0 at the start."""
        first = self.layout.size + self.layout.n_y + n_numbers_of_fmu(self.layout, 0, self.events(with_reporters=False))
        return Slot(first, (self.n_extra,))

    def source(self, wanted: Iterable[int], n_inputs: int = 0, *, with_adjoints: bool = False) -> dict[str, str]:
        """C files, name -> text: model.c with all tables; and the functions that compute y_dot and the numbers at the wanted offsets, their
        tangents, and the recorded handlers.

        n_inputs       number of the FMU's inputs that are Reals
        with_adjoints  whether there are adjoints of the functions too

        Raises UnsupportedError for an event handler in plain Python. Reporters are omitted.
        """
        sweeps = self._of_fmu(wanted)
        kernels = CompiledKernels(sweeps.kinds, sweeps.kinds, sweeps.events, with_adjoints=with_adjoints)
        return self._source(sweeps, kernels, n_inputs)

    def table(self, wanted: Iterable[int], n_inputs: int = 0, *, with_adjoints: bool = False) -> Struct:
        """The `Model` of model.h for an FMU, with programs as kernels, callbacks for plain Python, start values and names.

        The arguments are those of `source`. The last table is kept, and serves again; one with adjoints also where none are needed.

        Raises UnsupportedError for an event handler in plain Python that cannot be called back. Reporters are omitted.
        """
        wanted = sorted(set(wanted))
        key = (wanted, n_inputs)
        if self._table is None or self._table[0] != key or with_adjoints > self._table[1]:
            sweeps = self._of_fmu(wanted)
            kernels = InterpretedKernels(sweeps.kinds, with_adjoints=with_adjoints)
            self._table = key, with_adjoints, model_table(self, sweeps, kernels, n_inputs)
        return self._table[2]

    def step_operations(self, wanted: Iterable[int]) -> StepOperations:
        """The operations of a step of an FMU with these wanted offsets."""
        return step_operations(self._of_fmu(wanted).single, self.layout.q_dot_stage, self.layout.n_y)

    def identity(self, wanted: Iterable[int], n_inputs: int = 0, *, with_adjoints: bool = False) -> bytes:
        """The bytes of the table, which identify the model."""
        return blob(self.table(wanted, n_inputs, with_adjoints=with_adjoints))

    def events(self, *, with_reporters: bool) -> Events | None:
        """The events of the model. Raises UnsupportedError for one in plain Python."""
        return events_of(self.system, self.layout, self.variables, with_reporters=with_reporters, calls_back=self.calls_back)

    def set_by_model(self) -> set[int]:
        """Offsets that only the model may set during a run. See ExportedModel."""
        events = self.events(with_reporters=False)
        return (events.writes if events else set()) | updated_offsets(self.layout)

    def event_indicators(self) -> list[str]:
        """See ExportedModel."""
        events = self.events(with_reporters=False)
        names = [row.event.name for row in events.triggered] if events else []
        earlier = [names[:i].count(name) for i, name in enumerate(names)]
        return [name if not count else f"{name} {count + 1}" for name, count in zip(names, earlier, strict=True)]

    def states_that_jump(self) -> frozenset[int]:
        """See ExportedModel."""
        events, layout = self.events(with_reporters=False), self.layout
        set_by_handlers = events.writes if events else set()
        is_constrained = "rows" in layout.c_tables or own_error_table(layout, 0) is not None
        projected = [*layout.q.offsets, *layout.u.offsets] if is_constrained else []
        normalized = [first + i for first in layout.quaternions for i in range(4)]
        return frozenset(layout.y.offsets) & {*set_by_handlers, *projected, *normalized}

    def bare_source(self, wanted: Iterable[int] = ()) -> dict[str, str]:
        """The same without start values, names, and tangents that no event needs. It is equal for Systems that differ only in values.

        Raises UnsupportedError for an event in plain Python.
        """
        sweeps = self._of_runs(wanted)
        return self._source(sweeps, CompiledKernels(sweeps.kinds, sweeps.with_tangents(), sweeps.events), None, with_scales=False)

    def compiled(self, side_by_side: int = 0) -> "tuple[Struct, CompiledKernels]":
        """The `Model` of model.h with compiled kernels, for runs in this process.

        side_by_side  how many calls of a sweep one kernel does where that saves time; 0: none

        Raises UnsupportedError for an event in plain Python.
        """
        sweeps = self._of_runs(side_by_side=side_by_side)
        kernels = CompiledKernels(
            [each for each in sweeps.called_by_runs if isinstance(each, LiveKind)],
            sweeps.with_tangents(),
            sweeps.events,
            side_by_side=[each for each in sweeps.called_by_runs if isinstance(each, CallsKind)],
        )
        return model_table(self, sweeps, kernels, with_index=False), kernels

    def interpreted(self) -> Struct:
        """The `Model` of model.h with programs as kernels, for runs in this process."""
        sweeps = self._of_runs()
        return model_table(self, sweeps, InterpretedKernels(sweeps.with_tangents()), with_index=False)

    def witness_index(self, side_by_side: int) -> dict[str, list[Struct | None]]:
        """The fields of `EventTable` that `compiled`, `interpreted` and `as_text` leave out: the sweeps before single witnesses, which only
        runs that follow events need.
        """
        return witness_index(self._of_runs(side_by_side=side_by_side))

    def called(self, side_by_side: int) -> list[Called]:
        """What the kernels of `compiled` compute, or those of `interpreted` (side_by_side = 0), in their order."""
        return self._of_runs(side_by_side=side_by_side).called

    def tangents(self, code: Code, side_by_side: int) -> "Tangents":
        """The tangents of the kernels of `called`, which implicit steps need."""
        sweeps = self._of_runs(side_by_side=side_by_side)
        kinds = sweeps.kinds
        kernels = CompiledKernels([], kinds, None) if code == "compiled" else InterpretedKernels([] if code == "text" else kinds)
        each = [Struct("Kernel") if isinstance(called, PythonProcedure) else kernels.tangent(called) for called in sweeps.called]
        return Tangents(StructArray("Kernel", each), kernels.n_registers, kernels if isinstance(kernels, CompiledKernels) else None)

    def as_text(self) -> Struct:
        """The `Model` of model.h whose kernels call the NumPy code of the elements."""
        sweeps = self._of_runs()
        return model_table(self, sweeps, TextKernels(sweeps.with_tangents()), with_index=False)

    def single_calls(self) -> dict[Stage, LiveSweep]:
        """The sweeps of runs in this process, by stage, each call alone."""
        return self._of_runs().single

    def scales_table(self, scales: Scales) -> Struct:
        """The `Scales` of scales.h."""
        return scales_table(self.system, self.layout, self.variables, scales)

    def _of_fmu(self, wanted: Iterable[int]) -> ModelSweeps:
        wanted = sorted(set(wanted))
        if self._fmu is None or self._fmu[0] != wanted:
            events = self.events(with_reporters=False)
            self._fmu = wanted, ModelSweeps.each_alone(events, self._live_sweeps(wanted, events))
        return self._fmu[1]

    def _of_runs(self, wanted: Iterable[int] = (), side_by_side: int = 0) -> ModelSweeps:
        key = tuple(wanted), side_by_side
        if key not in self._runs:
            events = self.events(with_reporters=True)
            sweeps = ModelSweeps.each_alone(events, self._live_sweeps(wanted, events))
            self._runs[key] = sweeps.with_calls_side_by_side(side_by_side, self.layout.size + self.layout.n_y)
        return self._runs[key]

    def _source(self, sweeps: ModelSweeps, kernels: CompiledKernels, n_inputs: int | None, *, with_scales: bool = True) -> dict[str, str]:
        table = model_table(self, sweeps, kernels, n_inputs, with_scales=with_scales)
        return {"model.c": model_c(table, None if n_inputs is None else self.name), **kernels.files}

    def _live_sweeps(self, wanted: Iterable[int], events: Events | None) -> dict[Stage, LiveSweep]:
        # y, too, is computed: known motion replaces coordinates and speeds
        y_and_rates, next_values = [self.layout.y, self.layout.y_dot], [update.next for update in self.layout.auto_updates.in_c]
        read_by_runtime = [*y_and_rates, *self.layout.c_reads, *next_values]
        read_by_events = events.reads if events else []
        return live_sweeps(self.sweeps, [*wanted, *read_by_events, *read_by_runtime])

    def depends_on(self, offsets: Iterable[int]) -> OffsetSets:
        """The sets of time, states, parameters and inputs on which the numbers at these offsets depend structurally."""
        return self._dependencies.of(offsets)

    def depends_on_at_start(self, offsets: Iterable[int]) -> OffsetSets:
        """See ExportedModel."""
        return StartDependencies(self.system, self.layout, self._dependencies).of(offsets)

    def independent_states(self) -> frozenset[int]:
        """See ExportedModel."""
        return independent_states(self.system, self.layout, self.variables, self._dependencies)

    @cached_property
    def _dependencies(self) -> Dependencies:
        return Dependencies(self.variables, self.sweeps, decided=run_numbers(self.system, self.layout))


def generate(system: System, state: State | None = None, *, calls_back: bool = False, scales: Scales | None = None) -> GeneratedModel:
    """Generate the model of a System. `state` gives the start values; default: the default State.

    calls_back  whether plain Python is called back, for runs in this process
    scales      to which errors and tolerances are relative; default: the System's estimates

    Raises UnsupportedError for plain Python if calls_back is False.
    """
    state = system.realize_topology() if state is None else state
    check_state(state, system)
    for variable in () if calls_back else state.layout.auto_updates.called_back:
        owner = system.subsystems[variable.subsystem]
        raise UnsupportedError(
            f"discrete variable '{variable.name}' of subsystem '{owner.name}' is updated at the start of each step by Python, which a "
            f"native FMU does not have: {_why_not_recorded(variable, owner)}. Export a Python FMU: kind='python'."
        )
    for subsystem in () if calls_back else system.subsystems:
        if reason := subsystem.why_not_recordable():
            raise UnsupportedError(
                f"{reason}, which cannot become C. Write it so that it can be recorded, or export a Python FMU: kind='python'."
            )
    layout = state.layout
    variables = system.variables(state)
    entries = [variable.entry for variable in variables if variable.entry is not None]
    sweeps = stage_sweeps(system.realization_order, layout, entries, leaves_out_python=calls_back, with_hooks=calls_back)
    return GeneratedModel(
        system.name,
        variables,
        start_values(state),
        layout,
        sweeps,
        system,
        calls_back,
        estimated_scales(system).scales if scales is None else scales,
    )


def _why_not_recorded(variable: DiscreteVariable, owner: Subsystem) -> str:
    """Why the variable's next value is not recorded."""
    if variable.shape is None:
        return "it holds no number and no array of numbers"
    return owner.why_not_recordable() or "no hook that is recorded sets its next value"


def start_values(state: State) -> np.ndarray:
    """w with the variables of the State and the numbers that the structure fixes; all computed numbers are 0."""
    start = np.zeros(state.layout.size)
    write_start(state, start)
    return start


def write_start(state: State, w: np.ndarray) -> None:
    """Write the variables of the State and the numbers that the structure fixes into w, which has zeros elsewhere."""
    state.layout.write_variables(state.values, w)
