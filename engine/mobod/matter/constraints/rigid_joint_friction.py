"""RigidJointFriction: dry friction of a speed, which holds at rest."""

from collections.abc import Sequence
from typing import final

import numpy as np

from mobod.matter.constraints.joint_friction_constraint import FrictionOfJoint, opposite
from mobod.matter.constraints.joint_friction_equations import JointFrictionEquations
from mobod.matter.unilateral.friction import (
    FrictionState,
    RowFriction,
    ShownValue,
    TangentRows,
    allocate_shown,
    shown_variables,
)
from mobod.scalar import Array, Slot, Sweep
from mobod.system import CacheEntry, CatalogueVariable, DiscreteVariable, Layout, Numbers, Stage, State, check_state
from mobod.system.elements import Parameter, parameter_of


@final
class RigidJointFriction(FrictionOfJoint):
    """Dry friction of a speed of a mobilizer: it holds at rest up to static_limit, without creep; a slip has limit + viscous |u|.

    With a Stribeck speed the friction of a slip falls from static_limit to limit,

        limit + (static_limit - limit) exp(-(u / stribeck_speed)^2) + viscous |u|

    With a load both limits grow with the reaction of the joint, by friction (or static_friction) of the load times what its class says.
    Under error control this is the reaction of the same instant. In fixed steps it is that at the end of the last step, of its mean forces,
    so that friction follows a load one step late. A reaction that redundant constraints leave undetermined is an error.

    Under error control a run finds the times at which slip begins and ends; fixed steps (integrator='velocity_level') solve each step as a
    whole. `mb.JointFriction` with a transition speed is a smooth force instead, which any integrator takes.

    body          whose mobilizer has friction
    limit           N or N m, friction while it slips, at least 0; with a load the part that does not depend on it, default 0
    static_limit    N or N m, largest friction at rest, at least limit; default: the same
    viscous         N s/m or N m s/rad, at least 0
    stribeck_speed  m/s or rad/s; default 0: friction falls from static_limit to limit at once
    load            mb.BearingLoad of a Pin, or mb.GuideLoad of a Slider; default: limits are constant
    coordinate      which of the mobilizer's speeds, from 0

    Sources: Pfeiffer & Glocker, Multibody Dynamics with Unilateral Contacts (1996), ch. 5; Armstrong-Helouvry, Dupont, Canudas de Wit, A
    survey of models, analysis tools and compensation methods for the control of machines with friction, Automatica 30 (1994) (Stribeck).
    """

    stribeck_speed: Parameter[float] = parameter_of(JointFrictionEquations, default=0.0)
    set_stribeck_speed, default_stribeck_speed, set_default_stribeck_speed = stribeck_speed.accessors

    def __post_init__(self) -> None:
        load = self._constrain_speed()
        self._impulse: DiscreteVariable
        self._shown: dict[str, CacheEntry] = {}
        self.friction: RowFriction = RowFriction(self, [TangentRows(None, (0,))], [f"{self.name}.friction"], load)

    def mode(self, state: State) -> FrictionState:
        """'stick' or 'slip', as the last run left it; 'free' before the first run."""
        check_state(state, self.matter.system)
        return self.friction.modes(state)[0]

    def impulse(self, state: State) -> float:
        """N s or N m s: impulse of the last fixed step. 0 under error control."""
        check_state(state, self.matter.system)
        return float(np.ravel(state.get(self._impulse))[0])

    def enabled_rows(self, state: State) -> list[int]:
        """[0] while it holds, else []."""
        return [0] if self.mode(state) == "stick" else []

    def flags(self, layout: Layout) -> list[int]:
        """The offsets of the flags that `release` sets to 0."""
        assert self._active is not None
        return [*layout.slots[self._active].offsets, *self.friction.flags(layout)]

    def release(self, state: State) -> None:
        """Let it not hold. Called by runs."""
        assert self._active is not None
        check_state(state, self.matter.system)
        if np.any(state.get(self._active)):
            state.set(self._active, np.zeros(1))
        self.friction.release(state)

    @property
    def impulse_variable(self) -> DiscreteVariable:
        """Its impulse, one of `decided`."""
        return self._impulse

    @property
    def decided(self) -> tuple[DiscreteVariable, ...]:
        """The discrete variables that runs set."""
        assert self._active is not None
        return self._active, self._impulse, *self.friction.decided

    # called by MatterSubsystem
    def allocate(self, state: State) -> None:
        """Allocate its variables and computed values, at TOPOLOGY."""
        super().allocate(state)
        self._impulse = state.allocate_discrete_variable(
            self.matter, f"{self.name}.impulse", np.zeros(1), Stage.ACCELERATION, numbers=[Numbers(1)]
        )
        self.friction.allocate(state)
        self._shown = allocate_shown(self, self._values(), state)
        if self.friction.load is not None:
            self._shown["load"] = self.friction.load.entries["load"]

    def tangent_impulse_slots(self, tangents: Sequence[int], layout: Layout) -> Slot:
        """The slot of its impulse."""
        return layout.slots[self._impulse]

    def tabulate_outputs(self, position: Sweep, acceleration: Sweep, layout: Layout) -> None:
        """Write the rows that compute its torque and its mode."""
        multipliers = self.matter.constraint_sweeps(layout).part(self, "multipliers")
        made = {"torque": (opposite, multipliers), "mode": (itself, self.friction.modes_slot(layout))}
        for name, (function, slot) in made.items():
            acceleration.add(function, [slot], [layout.slots[self._shown[name]]])

    def variables(self, layout: Layout) -> list[CatalogueVariable]:
        """The variables that results, FMUs and the command line can name."""
        load = {"load": ShownValue(Stage.ACCELERATION, (1,), (self.force_unit,), "load of the joint, per coefficient of friction,")}
        values = self._values() | (load if self.friction.load is not None else {})
        return super().variables(layout) + shown_variables(self, values, self._shown, layout)

    def _values(self) -> dict[str, ShownValue]:
        acceleration = Stage.ACCELERATION
        return {
            "torque": ShownValue(acceleration, (1,), (self.force_unit,), "friction"),
            "mode": ShownValue(acceleration, (1,), ("1",), "mode (0 free, 1 stick, 2 slip)"),
        }


def itself(x: Array) -> Array:
    return x
