"""RecordedState: stand-in for a State while a user's function of it is recorded."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mobod.errors import ElementError, MobodError, RecordingError
from mobod.scalar import Array, Scalar, Slot, Tape, is_recorded
from mobod.scalar.recording import record
from mobod.system.stage import Stage
from mobod.system.stage_hooks import StageHooks
from mobod.system.state.allocating import found_handle
from mobod.system.state.handles import CacheEntry, ContinuousVariable, DiscreteVariable
from mobod.system.state.layout import Layout
from mobod.system.state.reading import Reader
from mobod.system.state.state_owner import AnySystem
from mobod.system.state.values import as_read


class RecordedState:
    """Read access to time, q, u, z, real discrete variables, and computed values up to a stage, as recorded arrays.

    Elements accept it in place of a State (`body.X_GB(state)`, `force.strength(state)`) and return arrays of recorded scalars.

    reader  checks what may be read
    arrays  slot -> its value
    needs   collects the lazy values that are read; None: lazy values may not be read
    """

    is_recorded = True
    can_be_set = can_be_realized = False

    def __init__(
        self,
        system: AnySystem,
        layout: Layout,
        reader: Reader,
        arrays: Mapping[Slot, Array | Scalar],
        needs: dict[CacheEntry, None] | None = None,
    ):
        self.system = system
        self.layout = layout
        self.reader = reader
        self._arrays = arrays
        self._needs = needs

    @property
    def time(self) -> Scalar:
        """Time, s."""
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
        """The array in a slot; a scalar if its shape is (). Raises StageError if it is not known yet."""
        self.reader.check_slot(self.layout, slot)
        return self._at(slot)

    def handle(self, subsystem: StageHooks, name: str) -> Any:
        """The handle of a variable or cache entry by its name. See State.handle."""
        return found_handle(self.layout.handles, subsystem, name)

    def get(self, variable: DiscreteVariable | ContinuousVariable) -> Any:
        """The value of a numeric variable, or of any variable that invalidates MODEL, which is a constant of the recording."""
        if isinstance(variable, DiscreteVariable) and variable in self.layout.options:
            value = self.layout.options[variable]
            return value if variable.shape is None else as_read(variable, value)
        if variable.shape is None:
            raise RecordingError(
                f"{self.reader.about}: discrete variable '{variable.name}' is not numeric, so a computation with it cannot be recorded. "
                "Store numbers in it."
            )
        return self.view(self.layout.slot(variable))

    def check_belongs_to(self, system: AnySystem) -> None:
        """Raise RecordingError for another System."""
        if self.system is system:
            return
        if self.system.name == system.name:
            raise RecordingError(
                f"{self.reader.about}: it uses an element of another System of the name '{system.name}'. A copy of a System has the same "
                "functions as the System itself, with the elements that they were written with. Write a class whose attributes are the "
                "elements, which are copied with it, or call the function that builds the System again."
            )
        raise RecordingError(
            f"{self.reader.about}: it uses an element of System '{system.name}', but belongs to System '{self.system.name}'."
        )

    def require(self, stage: Stage, what: str, subsystem: int | None = None) -> None:
        """Raise StageError for a value of a later stage."""
        self.reader.check(what, None, stage)

    def cached(self, entry: CacheEntry) -> Any:
        """The value of a cache entry. Raises StageError if it is not known yet, RecordingError if it cannot be recorded."""
        self.reader.check_entry(entry)
        if entry.shape is None:
            raise RecordingError(f"{self.reader.about}: '{entry.name}' is not numeric, so a computation with it cannot be recorded.")
        if entry.computed_by is None:
            is_recorded = entry in self.layout.lazy_sweeps or entry in self.layout.recorded
            if not is_recorded or (self._needs is None and entry not in self.reader.prerequisites):
                raise RecordingError(
                    f"{self.reader.about}: '{entry.name}' is a lazy value, which recorded code cannot read here. Compute "
                    "it from poses, velocities and parameters."
                )
            if self._needs is not None:
                self._needs[entry] = None
        return self._at(self.layout.slot(entry))

    def _at(self, slot: Slot) -> Any:
        return np.asarray(self._arrays[slot])[()]


class SlotsRead(dict[Slot, Any]):
    """Makes symbols on a tape for the slots that are read, in the order of reading."""

    def __init__(self, tape: Tape):
        super().__init__()
        self._tape = tape

    def __missing__(self, slot: Slot) -> Any:
        self[slot] = self._tape.symbols(f"x{len(self)}", slot.shape)
        return self[slot]


def slots_read(function: Callable[[Any], object], system: AnySystem, layout: Layout, reader: Reader) -> list[Slot]:
    """The slots that a function of a State reads, found by recording it once.

    Raises RecordingError for a decision that depends on a value, StageError for values that are not known yet.
    """
    slots = SlotsRead(Tape(reader.about))
    probe(lambda: function(RecordedState(system, layout, reader, slots)), reader.about)
    return list(slots)


def probe(function: Callable[[], object], about: str) -> None:
    """Call a function of recorded scalars. Raises the errors of a recording, and ElementError for any other exception in users' code."""

    def call() -> np.ndarray:
        function()
        return np.zeros(0)

    try:
        record(call, [], about=about)
    except MobodError:
        raise
    except Exception as error:  # user code may raise anything
        raise ElementError(f"{about} failed while it was recorded: {type(error).__name__}: {error}") from error


def plain_numbers(result: ArrayLike) -> Any:
    """Arrays of recorded scalars that contain only numbers, converted to arrays of floats."""
    return result if is_recorded(result) else np.asarray(result, dtype=float)[()]
