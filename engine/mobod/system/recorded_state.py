"""RecordedState: stands for a State while a user's function of it is recorded."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from mobod.errors import RecordingError, StageError
from mobod.scalar.expr import Tape
from mobod.scalar.recording import record
from mobod.scalar.slot import Slot
from mobod.system.handles import CacheEntry, DiscreteVariable
from mobod.system.layout import Layout
from mobod.system.stage import Stage

if TYPE_CHECKING:
    from mobod.system.system import System


class RecordedState:
    """What may be read of a State: time, q, u, z, real discrete variables, and what is computed up to a stage; nothing can be set.

    Elements that are asked with it (`body.X_GB(state)`, `force.strength(state)`) answer with arrays of recorded scalars.

    stage         up to which computed values may be read
    arrays        slot -> its value
    lazy_entries  where the lazy values that are read are noted, which must be computed before; None: they may not be read
    """

    is_recorded = True

    def __init__(
        self,
        system: "System",
        layout: Layout,
        stage: Stage,
        arrays: Mapping[Slot, Any],
        about: str,
        lazy_entries: list[CacheEntry] | None = None,
    ):
        self.system = system
        self.layout = layout
        self.stage = stage
        self._arrays = arrays
        self._about = about
        self._lazy_entries = lazy_entries

    @property
    def time(self) -> Any:
        """s"""
        return self.view(self.layout.time)

    @property
    def q(self) -> np.ndarray:
        return np.asarray(self.view(self.layout.q))

    @property
    def u(self) -> np.ndarray:
        return np.asarray(self.view(self.layout.u))

    @property
    def z(self) -> np.ndarray:
        return np.asarray(self.view(self.layout.z))

    def view(self, slot: Slot) -> Any:
        """The array at a slot; a scalar where its shape is ()."""
        return np.asarray(self._arrays[slot])[()]

    def get(self, variable: DiscreteVariable) -> Any:
        """The value of a discrete variable, which must be a number, a truth value or an array of numbers."""
        if variable.shape is None:
            raise RecordingError(
                f"{self._about}: discrete variable '{variable.name}' holds no numbers, so what is computed of it cannot be recorded. "
                "Keep numbers in it."
            )
        return self.view(self.layout.slots[variable])

    def check_belongs_to(self, system: "System") -> None:
        """Raise RecordingError for another System."""
        if self.system is not system:
            raise RecordingError(f"{self._about}: an element of System '{system.name}' is asked, but it belongs to '{self.system.name}'.")

    def require(self, stage: Stage, what: str, subsystem: int | None = None) -> None:
        """Raise StageError for what is computed later."""
        if self.stage < stage:
            raise StageError(f"{self._about}: {what} is computed at {stage.name}, and it may read what is known at {self.stage.name}.")

    def cached(self, entry: CacheEntry) -> Any:
        """A computed value that consists of numbers."""
        is_computed = entry.computed_by is not None or (self._lazy_entries is not None and entry in self.layout.lazy_sweeps)
        if is_computed and entry.shape is not None:
            self.require(entry.computed_by or entry.earliest, f"'{entry.name}'", entry.subsystem)
            if entry.computed_by is None and self._lazy_entries is not None and entry not in self._lazy_entries:
                self._lazy_entries.append(entry)
            return self.view(self.layout.slots[entry])
        raise RecordingError(
            f"{self._about}: '{entry.name}' is computed when it is asked for, which recorded code cannot do. Compute what is needed of "
            "poses, velocities and parameters."
        )


class SlotsRead(dict[Slot, Any]):
    """Symbols of a tape for the slots that are asked for, in the order of asking."""

    def __init__(self, tape: Any):
        super().__init__()
        self._tape = tape

    def __missing__(self, slot: Slot) -> Any:
        self[slot] = self._tape.symbols(f"x{len(self)}", slot.shape)
        return self[slot]


def slots_read(
    function: Callable[[RecordedState], Any],
    system: "System",
    layout: Layout,
    stage: Stage,
    about: str,
    lazy_entries: list[CacheEntry] | None = None,
) -> list[Slot]:
    """The slots that a function of a State reads, found by recording it once; lazy_entries: see RecordedState.

    Raises RecordingError where it asks for a decision that only a value could take, StageError for what is not known yet.
    """
    slots = SlotsRead(Tape(about))

    def probe() -> np.ndarray:
        function(RecordedState(system, layout, stage, slots, about, lazy_entries))
        return np.zeros(0)

    record(probe, [], about=about)
    return list(slots)
