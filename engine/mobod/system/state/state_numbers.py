"""The flat array of a State's numbers, and setting variables in it."""

from abc import abstractmethod
from collections.abc import Collection, Iterable
from math import isfinite

import numpy as np
from numpy.typing import ArrayLike

from mobod.runtime.c_objects import CObject
from mobod.runtime.library import doubles
from mobod.scalar.slot import Slot
from mobod.spatial.rotation import check_quaternion
from mobod.system.stage import Stage
from mobod.system.state.handles import Continuous, DiscreteVariable
from mobod.system.state.state_vectors import StateVectors
from mobod.system.state.values import checked_numbers
from mobod.system.state.versions import Versions

_KINDS = tuple(Continuous)


class StateNumbers(StateVectors):
    """The numbers of a State. `values`: one array, shared with the C runtime; `versions`: which computed numbers are up to date."""

    def __init__(self) -> None:
        self.versions = Versions()
        self.hold(np.zeros(0))

    @abstractmethod
    def invalidate(self, stage: Stage | str) -> None:
        """Mark values computed at `stage` and later stages as out of date."""

    def hold(self, values: np.ndarray) -> None:
        """Replace the array of numbers. Called by System."""
        self.values = values
        self.in_c: CObject | None = None  # what `numbers_in_c` returns, once it was called

    def numbers_in_c(self) -> CObject:
        """`values` as a `double *`."""
        if self.in_c is None:
            self.in_c = doubles(self.values)
        return self.in_c

    def copied_y(self) -> np.ndarray:
        """(nq + nu + nz,) a copy of y: all continuous variables, [q, u, z], in their units."""
        return self.values[self.layout.y.slice].copy()

    def write(self, slot: Slot, value: ArrayLike, name: str, invalidates: Stage) -> None:
        """Set time, a part of q, u or z, or a numeric discrete variable, and invalidate a stage."""
        if self.write_usual(slot, value, invalidates):
            return
        numbers, (kinds, quaternions) = checked_numbers(value, slot.shape, name).ravel(), self.layout.parts_of(slot)
        for offset in quaternions:
            check_quaternion(numbers[offset - slot.offset : offset - slot.offset + 4], f"'{name}'")
        self._write(slot, numbers, kinds, invalidates)

    def write_usual(self, slot: Slot, value: object, invalidates: Stage) -> bool:
        """The fast path of `write`: set a finite float, or an array of finite floats in the slot's shape.

        returns  whether the value was of this kind and was set
        """
        if type(value) is float or type(value) is np.float64:
            if slot.size != 1 or not isfinite(value):
                return False
        elif type(value) is np.ndarray and value.dtype.char == "d" and value.shape == slot.shape:
            value = value.reshape(-1)
            if not all(map(isfinite, value.tolist())):
                return False
        else:
            return False
        kinds, quaternions = self.layout.parts_of(slot)
        if quaternions:
            return False
        self._write(slot, value, kinds, invalidates)
        return True

    def _write(self, slot: Slot, numbers: float | np.ndarray, kinds: Iterable[Continuous], invalidates: Stage) -> None:
        self.values[slot.slice] = numbers
        self.versions.change_of(kinds)
        self.invalidate(invalidates)

    def take_numbers(self, values: np.ndarray, variables: Collection[DiscreteVariable] | None = None) -> None:
        """Copy numeric discrete variables, all or some, from another array of the same layout. Only those whose bits differ count as
        changed.

        Nothing is checked. For runs in C.
        """
        layout, block = self.layout, self.layout.discrete.slice
        differ = values[block].view(np.int64) != self.values[block].view(np.int64)
        if not differ.any():
            return
        changed = layout.discrete_at(np.flatnonzero(differ))
        if variables is None:
            self.values[block] = values[block]
        else:
            changed = [variable for variable in changed if variable in variables]
            for variable in changed:
                self.values[layout.slots[variable].slice] = values[layout.slots[variable].slice]
        for variable in changed:
            self.versions.change(variable)
            if variable.update is not None:
                self.versions.mark_invalid(variable.update)
        if changed:
            self.invalidate(min(variable.invalidates for variable in changed))

    def move_to(self, time: float, y: np.ndarray) -> None:
        """Set time and all continuous variables, without checks. For integrators."""
        layout = self.layout
        self.values[layout.time.offset] = time
        self.values[layout.y.slice] = y
        self.versions.change_of(_KINDS)
        self.invalidate(Stage.TIME)
