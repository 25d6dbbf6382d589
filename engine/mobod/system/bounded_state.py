"""BoundedState: a State as far as a stage, to be read and not changed: what a user's Python function is given."""

from typing import TYPE_CHECKING, Any

import numpy as np

from mobod.errors import StageError
from mobod.scalar.slot import Slot
from mobod.system.handles import CacheEntry, DiscreteVariable
from mobod.system.layout import Layout
from mobod.system.stage import Stage
from mobod.system.values import as_read

if TYPE_CHECKING:
    from mobod.system.state import State
    from mobod.system.system import System


class BoundedState:
    """What may be read of a State: all variables, objects included, and what is computed up to a stage; nothing can be set.

    Elements answer to it as they do to the State. It is what RecordedState is for functions that are recorded, so that one text does for
    both: what it may read does not depend on how far the State happens to be realized.
    """

    def __init__(self, state: "State", stage: Stage, about: str):
        self.system: System = state.system
        self.layout: Layout = state.layout
        self.values: np.ndarray = state.values  # in which operators work
        self.stage = stage
        self._state = state
        self._about = about
        self._views: dict[Slot, np.ndarray] = {}

    @property
    def time(self) -> float:
        """s"""
        return self._state.time

    @property
    def q(self) -> np.ndarray:
        return self._state.q

    @property
    def u(self) -> np.ndarray:
        return self._state.u

    @property
    def z(self) -> np.ndarray:
        return self._state.z

    def view(self, slot: Slot) -> np.ndarray:
        """The array at a slot, read-only."""
        view = self._views.get(slot)
        if view is None:
            view = self._views[slot] = self._state.view(slot)
        return view

    def get(self, variable: DiscreteVariable) -> Any:
        """The value of a discrete variable."""
        return self._state.get(variable) if variable.shape is None else as_read(variable, self.view(self.layout.slots[variable]))

    def cached(self, entry: CacheEntry) -> Any:
        """The value of a cache entry. Raises StageError for one that depends on a later stage."""
        self.require(max(entry.earliest, entry.computed_by or Stage.EMPTY), f"'{entry.name}'")
        return self._state.cached(entry)

    def check_belongs_to(self, system: "System") -> None:
        """Raise StateError for another System."""
        if system is not self.system:
            self._state.check_belongs_to(system)

    def require(self, stage: Stage, what: str, subsystem: int | None = None) -> None:
        """Raise StageError for what is computed later."""
        if self.stage < stage:
            raise StageError(f"{self._about}: {what} is computed at {stage.name}, and it may read what is known at {self.stage.name}.")
