"""A lazy value computed by plain Python, as a procedure of a sweep."""

from typing import final

import numpy as np

from mobod.scalar.procedure import PythonProcedure
from mobod.scalar.slot import Slot
from mobod.system.stage import Stage
from mobod.system.state.handles import CacheEntry
from mobod.system.state.layout import Layout
from mobod.system.state.state import State


@final
class LazyProcedure(PythonProcedure):
    """A procedure that computes a lazy value. It is assumed to read everything, so it runs when everything except outputs is known."""

    def __init__(self, entry: CacheEntry, layout: Layout):
        """entry: must be numeric."""
        self._entry, self._slot = entry, layout.slots[entry]
        self._everything = Slot(0, (layout.size,))

    @property
    def name(self) -> str:
        return f"lazy value '{self._entry.name}'"

    @property
    def inputs(self) -> tuple[Slot, ...]:
        return (self._everything,)

    @property
    def outputs(self) -> tuple[Slot, ...]:
        return (self._slot,)

    @property
    def reached(self) -> Stage:
        """The stage up to which it may read."""
        return max(self._entry.earliest, Stage.ACCELERATION)

    def run_on(self, state: State, w: np.ndarray) -> None:
        w[self._slot.slice] = np.ravel(state.cached(self._entry))
