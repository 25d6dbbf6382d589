"""A System as a Python FMU holds it: carried whole, and stepped by the C runtime, which calls back what runs as Python."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.compilation.dependencies import Dependencies
from mobod.compilation.model_source import start_values
from mobod.errors import InputError, UnknownNameError, UnsupportedError
from mobod.fmu.system_pickle import PickledSystem, pickle_system, unpickle_system
from mobod.scalar.slot import Slot
from mobod.system import CacheEntry, CatalogueVariable, Layout, Stage, State, System
from mobod.system.auto_update_search import updated_offsets
from mobod.system.boundary import check_state
from mobod.system.handles import Prerequisite
from mobod.system.stage_hooks import HOOKS
from mobod.system.stage_sweeps import stage_sweeps


@final
@dataclass(frozen=True)
class PythonModel:
    """See ExportedModel."""

    pickled: PickledSystem
    variables: list[CatalogueVariable]
    start: np.ndarray
    layout: Layout
    dependencies: Dependencies
    set_in_runs: frozenset[int]

    @property
    def time(self) -> Slot:
        return self.layout.time

    @property
    def y(self) -> Slot:
        return self.layout.y

    @property
    def y_dot(self) -> Slot:
        return self.layout.y_dot

    def identity(self, wanted: Iterable[int]) -> bytes:
        """Of the System, whichever numbers are wanted."""
        return hashlib.sha256(self.pickled.data).digest()

    def set_by_model(self) -> set[int]:
        """See ExportedModel; of a handler that is not recorded what it says that it sets (Event.sets)."""
        return set(self.set_in_runs)

    def depends_on(self, offset: int) -> frozenset[int]:
        return self.dependencies.of(offset)


def python_model(system: System, state: State) -> PythonModel:
    """Describes what comes back from what is carried, which is without reporters.

    Raises UnsupportedError for a System that cannot be carried (see pickle_system), or comes back as another one.
    """
    check_state(state, system)
    pickled = pickle_system(system, state)
    theirs, their_state = _carried(pickled, system, state)
    variables, layout = theirs.variables(their_state), their_state.layout
    entries = [each.entry for each in variables if each.entry is not None]
    sweeps = stage_sweeps(theirs.realization_order, layout, entries, leaves_out_python=True)
    return PythonModel(
        pickled,
        variables,
        start_values(their_state),
        layout,
        Dependencies(variables, sweeps, opaque_from=_opaque_from(theirs, layout, entries)),
        frozenset(_written_by_handlers(theirs, layout, variables)) | updated_offsets(layout),
    )


def _carried(pickled: PickledSystem, system: System, state: State) -> tuple[System, State]:
    """What does not survive is told here, and not where the FMU runs."""
    try:
        theirs, their_state = unpickle_system(pickled.data)
    except Exception as error:  # whatever an object's own way to be unpickled raises
        raise UnsupportedError(
            f"System '{system.name}' cannot be carried into an FMU: what was pickled cannot be unpickled. {type(error).__name__}: {error}. "
            "Look at __getstate__, __setstate__ and __reduce__ of your elements' classes."
        ) from error
    names = [[(each.name, each.slot) for each in one.variables(its)] for one, its in ((theirs, their_state), (system, state))]
    if names[0] != names[1]:
        raise UnsupportedError(
            f"System '{system.name}' cannot be carried into an FMU: made again from what was pickled it has other variables. Let elements "
            "allocate what depends on them alone, not on the process."
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
                raise InputError(f"{event.told}: what it sets is a list of names, not one name. Write sets=['{event.sets}'].")
            if unknown := [name for name in event.sets if name not in found]:
                raise UnknownNameError(f"variable that {event.told} sets", unknown[0], found)
            own = [f"{event.name}.{name}" for name in event.variables]
            slots = [found[name] for name in (*event.sets, *own) if name in found]
        for slot in slots:
            yield from range(slot.offset, slot.offset + slot.size)


def _opaque_from(system: System, layout: Layout, entries: Iterable[CacheEntry]) -> Stage | None:
    """The first stage that Python hooks compute something at, or REPORT if Python computes some of the lazy entries."""
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
    """The lazy ones among them, and those that these need."""
    for entry in entries:
        if isinstance(entry, CacheEntry) and entry.computed_by is None:
            yield entry
            yield from _lazy(entry.prerequisites)
