"""A System as a Python FMU holds it: carried whole, and stepped by the virtual machine."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.compile.dependencies import Dependencies
from mobod.compile.model_source import start_values
from mobod.fmu.system_pickle import PickledSystem, pickle_system
from mobod.scalar.slot import Slot
from mobod.system import CacheEntry, Layout, Stage, State, System, Variable
from mobod.system.handles import Prerequisite
from mobod.system.stage_hooks import HOOKS
from mobod.system.stage_sweeps import stage_sweeps


@final
@dataclass(frozen=True)
class PythonModel:
    """See ExportedModel."""

    pickled: PickledSystem
    variables: list[Variable]
    start: np.ndarray
    layout: Layout
    dependencies: Dependencies

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
        """The digest of the System, whichever numbers are wanted."""
        return {"system": hashlib.sha256(self.pickled.data).hexdigest()}

    def set_by_events(self) -> set[int]:
        """None: a Python FMU has no events."""
        return set()

    def depends_on(self, offset: int) -> frozenset[int]:
        return self.dependencies.of(offset)


def python_model(system: System, state: State) -> PythonModel:
    """Raises UnsupportedError for a System that cannot be carried (see pickle_system)."""
    state.check_belongs_to(system)
    variables = system.variables(state)
    entries = [each.entry for each in variables if each.entry is not None]
    sweeps = stage_sweeps(system.realization_order, state.layout, entries, leaves_out_python=True)
    return PythonModel(
        pickle_system(system, state),
        variables,
        start_values(state),
        state.layout,
        Dependencies(variables, sweeps, opaque_from=_opaque_from(system, state.layout, entries)),
    )


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
