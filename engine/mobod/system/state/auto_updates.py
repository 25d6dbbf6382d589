"""Auto-update variables whose next values are computed by sweeps. The C runtime assigns them."""

# Decision: docs/decisions/021-auto-updates.md

from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.scalar.slot import Slot
from mobod.system.stage import Stage
from mobod.system.state.handles import CacheEntry, DiscreteVariable
from mobod.system.state.snapshot import Snapshot
from mobod.system.state.values import as_read


@final
@dataclass(frozen=True)
class AutoUpdate:
    """stage  the stage whose sweep computes the next value
    next   slot of the next value
    used   a flag of the C runtime: fmu_src/native/state/auto_updates.h
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
    """The auto-update variables of a layout.

    in_c         those that the C runtime updates: all or none, since all variables are updated at the same time
    called_back  those whose next values Python computes
    """

    in_c: tuple[AutoUpdate, ...] = ()
    called_back: tuple[DiscreteVariable, ...] = ()

    def in_values(self, values: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """State.values in which the variables have the numbers of a run in C, which are given one after the other."""
        values = values.copy()
        values[[offset for each in self.in_c for offset in each.slot.offsets]] = numbers
        return values

    def in_snapshot(self, snapshot: Snapshot, numbers: np.ndarray) -> Snapshot:
        """The snapshot in which the variables have these numbers."""
        new, start = {}, 0
        for each in self.in_c:
            new[each.variable] = as_read(each.variable, numbers[start : start + each.slot.size].reshape(each.slot.shape).copy())
            start += each.slot.size
        values = [new.get(variable, value) for variable, value in zip(snapshot.variables, snapshot.values, strict=True)]
        return snapshot.with_values(tuple(values))
