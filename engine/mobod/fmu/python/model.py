"""A System in a Python FMU: it is pickled as a whole and stepped by the C runtime, which calls back what runs as Python."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.compilation.calls.dependencies import Dependencies, OffsetSets
from mobod.compilation.source.independent_states import independent_states
from mobod.compilation.source.model_source import start_values
from mobod.compilation.source.scales import estimated_scales
from mobod.compilation.source.start_dependencies import StartDependencies, run_numbers
from mobod.errors import InputError, UnknownNameError, UnsupportedError
from mobod.fmu.python.system_pickle import PickledSystem, pickle_system, unpickle_system
from mobod.scalar.slot import Slot
from mobod.system import CacheEntry, CatalogueVariable, Layout, Stage, State, System, check_state
from mobod.system.auto_update_search import updated_offsets
from mobod.system.scales import Scales
from mobod.system.stage_hooks import HOOKS
from mobod.system.stage_sweeps import stage_sweeps
from mobod.system.state.handles import Prerequisite


@final
@dataclass(frozen=True)
class PythonModel:
    """The ExportedModel of a Python FMU."""

    pickled: PickledSystem
    system: System
    variables: list[CatalogueVariable]
    start: np.ndarray
    layout: Layout
    dependencies: Dependencies
    set_in_runs: frozenset[int]
    scales: Scales

    @property
    def time(self) -> Slot:
        return self.layout.time

    @property
    def y(self) -> Slot:
        return self.layout.y

    @property
    def y_dot(self) -> Slot:
        return self.layout.y_dot

    def identity(self, wanted: Iterable[int], n_inputs: int, *, with_adjoints: bool) -> bytes:
        """Bytes that identify the System, for any wanted offsets."""
        return hashlib.sha256(self.pickled.data).digest()

    def event_indicators(self) -> list[str]:
        """None: it is for co-simulation alone."""
        return []

    def states_that_jump(self) -> frozenset[int]:
        """None: as event_indicators."""
        return frozenset()

    def set_by_model(self) -> set[int]:
        """Offsets that the model sets; see ExportedModel. For a handler that is not recorded, those of its declared variables
        (Event.sets).
        """
        return set(self.set_in_runs)

    def depends_on(self, offsets: Iterable[int]) -> OffsetSets:
        return self.dependencies.of(offsets)

    def depends_on_at_start(self, offsets: Iterable[int]) -> OffsetSets:
        """See ExportedModel."""
        return StartDependencies(self.system, self.layout, self.dependencies).of(offsets)

    def independent_states(self) -> frozenset[int]:
        """See ExportedModel."""
        return independent_states(self.system, self.layout, self.variables, self.dependencies)


def python_model(system: System, state: State, scales: Scales | None = None) -> PythonModel:
    """The model of the System that results from pickling and unpickling, which has no reporters.

    Raises UnsupportedError for a System that cannot be pickled (see pickle_system), or that differs afterwards.
    """
    check_state(state, system)
    pickled = pickle_system(system, state)
    theirs, their_state = _carried(pickled, system, state)
    variables, layout = theirs.variables(their_state), their_state.layout
    return PythonModel(
        pickled,
        theirs,
        variables,
        start_values(their_state),
        layout,
        dependencies(theirs, their_state),
        frozenset(_written_by_handlers(theirs, layout, variables)) | updated_offsets(layout),
        estimated_scales(system).scales if scales is None else scales,
    )


def _carried(pickled: PickledSystem, system: System, state: State) -> tuple[System, State]:
    """The unpickled System and State. Failures of unpickling are reported here instead of where the FMU runs."""
    try:
        theirs, their_state = unpickle_system(pickled.data)
    except Exception as error:  # an object's own unpickling may raise anything
        raise UnsupportedError(
            f"System '{system.name}' cannot be exported to a Python FMU: it cannot be unpickled. {type(error).__name__}: {error}. "
            "Check __getstate__, __setstate__ and __reduce__ of your elements' classes."
        ) from error
    names = [[(each.name, each.slot) for each in one.variables(its)] for one, its in ((theirs, their_state), (system, state))]
    if names[0] != names[1]:
        raise UnsupportedError(
            f"System '{system.name}' cannot be exported to a Python FMU: after unpickling it has other variables. What elements "
            "allocate must depend only on their own data, not on the process."
        )
    return theirs, their_state


def _written_by_handlers(system: System, layout: Layout, variables: Iterable[CatalogueVariable]) -> Iterator[int]:
    """Offsets."""
    if not system.has_events:
        return
    found = {each.name: each.slot for each in variables if each.role in ("parameter", "input")}
    for row in system.events.table(layout).rows:
        event = row.event
        if event.is_reporter:
            continue
        if row.handling is not None:
            slots = [slot for function in row.handling.functions for slot in function.outputs]
        else:
            if isinstance(event.sets, str):
                raise InputError(f"{event.title}: `sets` must be a list of names, not one name. Write sets=['{event.sets}'].")
            if unknown := [name for name in event.sets if name not in found]:
                raise UnknownNameError(f"variable that {event.title} sets", unknown[0], found)
            own = [f"{event.name}.{name}" for name in event.variables]
            slots = [found[name] for name in (*event.sets, *own) if name in found]
        for slot in slots:
            yield from range(slot.offset, slot.offset + slot.size)


def dependencies(system: System, state: State) -> Dependencies:
    """Of the numbers of a State on time, states, parameters and inputs."""
    variables, layout = system.variables(state), state.layout
    entries = [each.entry for each in variables if each.entry is not None]
    sweeps = stage_sweeps(system.realization_order, layout, entries, leaves_out_python=True)
    return Dependencies(variables, sweeps, opaque_from=_opaque_from(system, layout, entries), decided=run_numbers(system, layout))


def _opaque_from(system: System, layout: Layout, entries: Iterable[CacheEntry]) -> Stage | None:
    """The first stage at which Python hooks compute values, or REPORT if Python computes some of the lazy entries."""
    stages = [
        stage
        for subsystem in system.subsystems
        if subsystem.why_not_recordable()
        for stage in HOOKS
        if stage > Stage.MODEL and subsystem.calls_hook(stage)
    ]
    if any(entry not in layout.lazy_sweeps for entry in _lazy(entries)):
        stages.append(Stage.REPORT)
    return min(stages, default=None)


def _lazy(entries: Iterable[Prerequisite]) -> Iterator[CacheEntry]:
    """The lazy entries among these, and those that they need."""
    for entry in entries:
        if isinstance(entry, CacheEntry) and entry.computed_by is None:
            yield entry
            yield from _lazy(entry.prerequisites)
