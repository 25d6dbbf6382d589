"""Discrete variables that update themselves whose next values sweeps compute: the C runtime gives them to the variables."""

from dataclasses import dataclass, replace
from typing import final

import numpy as np

from mobod.scalar.slot import Slot
from mobod.system.handles import CacheEntry, DiscreteVariable
from mobod.system.snapshot import Snapshot
from mobod.system.stage import Stage
from mobod.system.values import as_read


@final
@dataclass(frozen=True)
class AutoUpdate:
    """stage  whose sweep computes the next value
    next   where the next value lies
    used   a flag of the C runtime: fmu_src/native/auto_updates.h
    """

    variable: DiscreteVariable
    entry: CacheEntry
    stage: Stage
    slot: Slot
    next: Slot
    used: Slot


@final
@dataclass(frozen=True)
class AutoUpdates:
    """Of a layout.

    in_c         those that the C runtime does: all, or none, since all variables take their next values at one time
    called_back  variables with next values that are not recorded
    """

    in_c: tuple[AutoUpdate, ...] = ()
    called_back: tuple[DiscreteVariable, ...] = ()

    def in_values(self, values: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """State.values with these of the variables, one after the other, as a run in C had them."""
        values = values.copy()
        values[[offset for each in self.in_c for offset in each.slot.offsets]] = numbers
        return values

    def in_snapshot(self, snapshot: Snapshot, numbers: np.ndarray) -> Snapshot:
        """The same snapshot with these values of the variables."""
        new, start = {}, 0
        for each in self.in_c:
            new[each.variable] = as_read(each.variable, numbers[start : start + each.slot.size].reshape(each.slot.shape).copy())
            start += each.slot.size
        values = [new.get(variable, value) for variable, value in zip(snapshot.variables, snapshot.values, strict=True)]
        return replace(snapshot, values=tuple(values))
