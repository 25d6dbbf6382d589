"""BoundedState: read access to a State up to a stage. It is the argument of users' Python functions."""

from typing import Any

import numpy as np

from mobod.scalar.slot import Slot
from mobod.system.stage import Stage
from mobod.system.stage_hooks import StageHooks
from mobod.system.state.handles import CacheEntry, ContinuousVariable, DiscreteVariable
from mobod.system.state.layout import Layout
from mobod.system.state.reading import Reader
from mobod.system.state.state import State
from mobod.system.state.state_owner import AnySystem
from mobod.system.state.values import as_read


class BoundedState:
    """A read-only State that shows all variables, but computed values only up to a stage.

    Elements accept it in place of a State. It is the counterpart of RecordedState for plain Python, so that the same function works with
    both. The stage to which the State happens to be realized does not change what may be read.

    reader    checks what may be read
    readable  slots that passed the check; newly checked slots are added
    """

    can_be_set = can_be_realized = False

    def __init__(self, state: State, reader: Reader, readable: set[Slot]):
        self.system: AnySystem = state.system
        self.layout: Layout = state.layout
        self.values: np.ndarray = state.values  # operators work on these
        self._state = state
        self._reader, self._readable = reader, readable
        self._views: dict[Slot, np.ndarray] = {}

    @property
    def time(self) -> float:
        """Time, s."""
        return float(self.view(self.layout.time))

    @property
    def q(self) -> np.ndarray:
        return self.view(self.layout.q)

    @property
    def u(self) -> np.ndarray:
        return self.view(self.layout.u)

    @property
    def z(self) -> np.ndarray:
        return self.view(self.layout.z)

    def view(self, slot: Slot) -> np.ndarray:
        """The array in a slot, read-only. Raises StageError if it may not be read."""
        if slot not in self._readable:
            self._reader.check_slot(self.layout, slot)
            self._readable.add(slot)
        view = self._views.get(slot)
        if view is None:
            view = self._views[slot] = self._state.view(slot)
        return view

    def get(self, variable: DiscreteVariable | ContinuousVariable) -> Any:
        """The value of a variable."""
        if variable.shape is None:
            return self._state.get(variable)
        value = self.view(self.layout.slot(variable))
        return as_read(variable, value) if isinstance(variable, DiscreteVariable) else value[()]

    def handle(self, subsystem: StageHooks, name: str) -> Any:
        """The handle of a variable or cache entry by its name. See State.handle."""
        return self._state.handle(subsystem, name)

    def cached(self, entry: CacheEntry) -> Any:
        """The value of a cache entry. Raises StageError for one that depends on a later stage."""
        self._reader.check_entry(entry)
        return self._state.cached(entry)

    def check_belongs_to(self, system: AnySystem) -> None:
        """Raise StateError for another System."""
        if system is not self.system:
            self._state.check_belongs_to(system)

    def require(self, stage: Stage, what: str, subsystem: int | None = None) -> None:
        """Raise StageError for a value of a later stage."""
        self._reader.check(what, None, stage)
