"""Regularised dry friction of a joint under load: a row that always carries the force of its slip, and is never an equation."""

# Decision: docs/decisions/153-regularised-friction-under-load.md

from typing import Protocol, final

import numpy as np

from mobod.matter.constraint import ConstraintOwner
from mobod.matter.constraint_rows.constraint_rows import ConstraintRows
from mobod.matter.unilateral.friction_under_load import FrictionUnderLoad, regularised_under_load, slide_under_load
from mobod.scalar import Slot, Sweep
from mobod.system import CacheEntry, DiscreteVariable, Layout, Numbers, Stage, State

_CARRIES_SLIP, _CARRIES_GIVEN = 1.0, 2.0  # CARRIES_... in fmu_src/native/constraints/rows.h


class RegularisedRow(ConstraintRows, Protocol):
    """The interface of a constraint with regularised friction under load."""

    @property
    def matter(self) -> ConstraintOwner: ...

    def friction_parameters(self, layout: Layout, row: int = 0) -> tuple[Slot, ...]:
        """The slots of the static limit, the limit, the viscous friction, the Stribeck speed and the transition speed."""
        ...


@final
class RegularisedFriction:
    """The friction of a constraint with one row: its variables in a State, and its recorded law."""

    is_regularised = True

    def __init__(self, constraint: RegularisedRow, load: FrictionUnderLoad):
        self._constraint, self.load = constraint, load
        self._carried: DiscreteVariable
        self._given: DiscreteVariable
        self._slide: CacheEntry
        self._without: CacheEntry

    def allocate(self, state: State) -> None:
        """Allocate its variables and computed values, at TOPOLOGY. A run changes the variables only while it decides about contacts."""
        matter, name = self._constraint.matter, self._constraint.name
        flag = Numbers(1, _CARRIES_SLIP, _CARRIES_GIVEN, is_whole=True)
        self._carried = state.allocate_discrete_variable(
            matter, f"{name}.carried", np.array([_CARRIES_SLIP]), Stage.DYNAMICS, numbers=[flag]
        )
        self._given = state.allocate_discrete_variable(matter, f"{name}.given_force", np.zeros(1), Stage.ACCELERATION, numbers=[Numbers(1)])
        velocity, acceleration = Stage.VELOCITY, Stage.ACCELERATION
        self._slide = state.allocate_cache_entry(matter, f"{name}.slide", acceleration, shape=(1,), computed_by=acceleration)
        self._without = state.allocate_cache_entry(matter, f"{name}.friction_without_load", velocity, shape=(1,), computed_by=velocity)
        self.load.allocate(state)

    def carried_slots(self, layout: Layout, row: int) -> tuple[Slot, Slot]:
        """The slots of the row's flag, and of a given force."""
        return layout.slots[self._carried][row], layout.slots[self._given][row]

    def slide_slot(self, layout: Layout, row: int) -> tuple[int | None, Slot | None]:
        """(None: no normal row; the slot of the friction)."""
        return None, layout.slots[self._slide][row]

    def write(self, sweep: Sweep, layout: Layout) -> list[Slot]:
        """Write the row of the law without its load, at VELOCITY. The runtime reads no slots of it."""
        constraint, load = self._constraint, self.load.slots(layout)
        rates = constraint.matter.constraint_sweeps(layout).part(constraint, "velocity_errors")
        inputs = [constraint.enabled_slot(layout), *constraint.friction_parameters(layout), load.static, load.dynamic, rates]
        sweep.add(regularised_under_load, inputs, [load.unit, layout.slots[self._without], load.kinetic])
        return []

    def write_slides_under_load(self, sweep: Sweep, layout: Layout) -> None:
        """Write the row that computes the friction from the load, at ACCELERATION."""
        load = self.load.slots(layout)
        inputs = [load.unit, layout.slots[self._without], load.kinetic, load.used]
        sweep.add(slide_under_load, inputs, [layout.slots[self._slide]])
