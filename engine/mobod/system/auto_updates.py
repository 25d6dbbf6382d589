"""Discrete variables that update themselves whose next values sweeps compute: the C runtime gives them to the variables."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, final

import numpy as np

from mobod.scalar.slot import Slot
from mobod.system.handles import CacheEntry, DiscreteVariable
from mobod.system.snapshot import Snapshot
from mobod.system.stage import Stage
from mobod.system.values import as_read

if TYPE_CHECKING:
    from mobod.system.layout import Layout
    from mobod.system.state import State


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

    def take(self, state: "State", numbers: np.ndarray) -> None:
        """Give a State the values of the variables, one after the other, as a run in C had them."""
        values = state.values.copy()
        values[[offset for each in self.in_c for offset in each.slot.offsets]] = numbers
        state.take_numbers(values)

    def in_snapshot(self, snapshot: Snapshot, numbers: np.ndarray) -> Snapshot:
        """The same snapshot with these values of the variables."""
        new, start = {}, 0
        for each in self.in_c:
            new[each.variable] = as_read(each.variable, numbers[start : start + each.slot.size].reshape(each.slot.shape).copy())
            start += each.slot.size
        values = [new.get(variable, value) for variable, value in zip(snapshot.variables, snapshot.values, strict=True)]
        return replace(snapshot, values=tuple(values))


def updated_offsets(layout: "Layout") -> frozenset[int]:
    """Of all numbers that update themselves, in C or called back."""
    updating = (each for each in layout.handles if isinstance(each, DiscreteVariable) and each.update is not None)
    return frozenset(offset for each in updating if each.shape is not None for offset in layout.slots[each].offsets)


def find_auto_updates(layout: "Layout") -> AutoUpdates:
    """Called when all hooks are recorded; reserves room for the flags."""
    updating = [each for each in layout.handles if isinstance(each, DiscreteVariable) and each.update is not None]
    stages = {each: stage for each in updating if (stage := _stage_of(each, layout)) is not None}
    called_back = tuple(each for each in updating if each not in stages)
    if called_back:
        return AutoUpdates(called_back=called_back)
    return AutoUpdates(
        tuple(
            AutoUpdate(each, each.update, stages[each], layout.slots[each], layout.slots[each.update], layout.reserve(()))
            for each in updating
            if each.update is not None
        )
    )


def _stage_of(variable: DiscreteVariable, layout: "Layout") -> Stage | None:
    """The last stage with a recorded hook that sets the next value."""
    stages = [stage for (_, stage), sweep in layout.sweeps.items() if variable.update in layout.marks.get(sweep.name, ())]
    return max(stages, default=None)
