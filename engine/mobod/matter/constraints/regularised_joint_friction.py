"""RegularisedJointFriction: dry friction of a speed that grows with the load of the joint, regularised by a transition speed."""

from typing import final

import numpy as np

from mobod.arguments.real_numbers import real_number
from mobod.errors import InputError
from mobod.matter.constraints.joint_friction_constraint import FrictionOfJoint, opposite
from mobod.matter.constraints.joint_friction_equations import JointFrictionEquations
from mobod.matter.unilateral.friction import ShownValue, allocate_shown, shown_variables
from mobod.matter.unilateral.regularised_friction import RegularisedFriction
from mobod.scalar import Array, Sweep
from mobod.system import CacheEntry, CatalogueVariable, Layout, Stage, State
from mobod.system.elements import Parameter, parameter_of

STRIBECK_SPEEDS = 10.0  # the Stribeck speed, if it is not given, in transition speeds


@final
class RegularisedJointFriction(FrictionOfJoint):
    """-(L(u) / sqrt(u^2 + transition_speed^2) + viscous) u on the speed u of a mobilizer, where L grows with the load of the joint

        L(u) = K + (S - K) exp(-(u / stribeck_speed)^2),   K = limit + friction * load,   S = static_limit + static_friction * load

    `mb.JointFriction` with a transition speed and a load makes it. It has no modes and no events, and never holds: below the limit
    it creeps. The load follows from the reaction of the joint at the same instant, which depends on the friction: both are solved for
    together.
    Fixed steps at velocity level are explicit in the friction, with the load of the mean forces of the last step where there are contacts.
    It has no part in impacts. A reaction that redundant constraints leave undetermined is an error.

    body              whose mobilizer has friction
    transition_speed  m/s or rad/s, above 0: friction is about 70 % of the limit at this speed
    load              mb.BearingLoad of a Pin, or mb.GuideLoad of a Slider
    limit             N or N m, friction of a slip that does not depend on the load, at least 0; default 0
    static_limit      N or N m, the same at rest, at least limit; default: the same
    viscous           N s/m or N m s/rad, at least 0
    stribeck_speed    m/s or rad/s; default: 10 transition speeds; 0: friction is that of a slip at all speeds
    coordinate        which of the mobilizer's speeds, from 0

    Source: Armstrong-Helouvry, Dupont, Canudas de Wit, A survey of models, analysis tools and compensation methods for the control of
    machines with friction, Automatica 30 (1994).
    """

    stribeck_speed: Parameter[float] = parameter_of(JointFrictionEquations, default=None)
    set_stribeck_speed, default_stribeck_speed, set_default_stribeck_speed = stribeck_speed.accessors
    transition_speed: Parameter[float] = parameter_of(JointFrictionEquations)
    set_transition_speed, default_transition_speed, set_default_transition_speed = transition_speed.accessors

    def __post_init__(self) -> None:
        what = type(self).__name__
        if self.load is None:
            raise InputError(f"{what}: give load=mb.BearingLoad(...) or mb.GuideLoad(...). With constant limits use a mb.JointFriction.")
        if self.given["transition_speed"] is None:
            raise InputError(f"{what}: give transition_speed, m/s or rad/s, above 0. Friction without one is a mb.RigidJointFriction.")
        if self.given["stribeck_speed"] is None:
            transition_speed = real_number(self.given["transition_speed"], f"{what}: transition_speed")
            self.given["stribeck_speed"] = STRIBECK_SPEEDS * max(transition_speed, 0.0)  # a negative one is an error of its own
        load = self._constrain_speed()
        assert load is not None
        self.friction: RegularisedFriction = RegularisedFriction(self, load)
        self._shown: dict[str, CacheEntry] = {}

    def power_dissipation(self, state: State) -> float:
        """Power that it dissipates, W. Needs stage ACCELERATION."""
        return float(np.ravel(state.cached(self._shown["power_dissipation"]))[0])

    def enabled_rows(self, state: State) -> list[int]:
        """[]: its row is never an equation."""
        return []

    # called by MatterSubsystem
    def allocate(self, state: State) -> None:
        """Allocate its variables and computed values, at TOPOLOGY."""
        super().allocate(state)
        self.friction.allocate(state)
        self._shown = allocate_shown(self, self._values(), state)

    def tabulate_outputs(self, position: Sweep, acceleration: Sweep, layout: Layout) -> None:
        """Write the rows that compute its torque and the power that it dissipates."""
        sweeps = self.matter.constraint_sweeps(layout)
        multipliers, rates = sweeps.part(self, "multipliers"), sweeps.part(self, "velocity_errors")
        acceleration.add(opposite, [multipliers], [layout.slots[self._shown["torque"]]])
        acceleration.add(dissipated, [multipliers, rates], [layout.slots[self._shown["power_dissipation"]]])

    def variables(self, layout: Layout) -> list[CatalogueVariable]:
        """The variables that results, FMUs and the command line can name."""
        load = {"load": ShownValue(Stage.ACCELERATION, (1,), (self.force_unit,), "load of the joint, per coefficient of friction,")}
        entries = self._shown | {"load": self.friction.load.entries["load"]}
        return super().variables(layout) + shown_variables(self, self._values() | load, entries, layout)

    def _values(self) -> dict[str, ShownValue]:
        acceleration = Stage.ACCELERATION
        return {
            "torque": ShownValue(acceleration, (1,), (self.force_unit,), "friction"),
            "power_dissipation": ShownValue(acceleration, (1,), ("W",), "power dissipated by friction"),
        }


def dissipated(multipliers: Array, rates: Array) -> Array:
    return multipliers * rates
