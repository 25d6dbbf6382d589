"""FrictionOfJoint: what rigid and regularised dry friction of a joint's speed have in common."""

from abc import ABC
from typing import Self

import numpy as np

from mobod.errors import InputError
from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.bodies.constrained_bodies import checked_index, checked_mobilizer
from mobod.matter.constraint import Constraint
from mobod.matter.constraint_rows.constraint_variables import MULTIPLIER_UNITS
from mobod.matter.constraints.joint_friction_equations import JointFrictionEquations, check_limits, check_load
from mobod.matter.unilateral.bearing_loads import JointLoad
from mobod.matter.unilateral.friction_under_load import FrictionUnderLoad
from mobod.scalar import Array, Slot
from mobod.system import Layout, State
from mobod.system.elements import Parameter, argument, parameter_of


class FrictionOfJoint(Constraint, ABC):
    """Dry friction of a speed of a mobilizer, with limits that may grow with the load of the joint."""

    is_unilateral = True

    body: MobilizedBody = argument("the body whose mobilizer has friction", kw_only=False)
    static_limit: Parameter[float] = parameter_of(JointFrictionEquations, default=None)
    _set_static_limit, default_static_limit, set_default_static_limit = static_limit.accessors
    limit: Parameter[float] = parameter_of(JointFrictionEquations, default=None)
    _set_limit, default_limit, set_default_limit = limit.accessors
    viscous: Parameter[float] = parameter_of(JointFrictionEquations, default=0.0)
    set_viscous, default_viscous, set_default_viscous = viscous.accessors
    load: JointLoad | None = argument("what the limits grow with, a BearingLoad or a GuideLoad; None: they are constant", default=None)
    coordinate: int = argument("which of the mobilizer's speeds, from 0", default=0)

    def _constrain_speed(self) -> FrictionUnderLoad | None:
        """For `__post_init__` of subclasses: check the arguments, and add the constraint to its matter. Returns its load."""
        what = type(self).__name__
        checked_index(self.coordinate, checked_mobilizer(self.body, what).nu, self.body, what, "speeds")
        check_load(self.load, self.body, what)
        if self.given["limit"] is None:
            if self.load is None:
                raise InputError(f"{what}: give limit, the friction while it slips, or a load.")
            self.given["limit"] = 0.0
        if self.given["static_limit"] is None:
            self.given["static_limit"] = self.given["limit"]
        unit = self.body.equations.u_units[self.coordinate]
        self.force_unit = MULTIPLIER_UNITS[unit.partition("/")[0]]
        given = JointFrictionEquations(self.coordinate, unit, self.force_unit, load=self.load, **self.parameter_values())
        of_body = given.checked(what)
        check_limits(of_body.static_limit, of_body.limit, of_body.force_unit, what)
        self._constrain(of_body, self.body.matter.ground, (), (self.body,))
        self._under_load = None if of_body.load is None else FrictionUnderLoad(self, of_body.load)
        return self._under_load

    def set_limits(self, state: State, limit: float, static_limit: float | None = None) -> Self:
        """Set the friction of a slip and the largest one at rest (default: the same), N or N m, in a State. Invalidates stage INSTANCE.

        Returns the element. Raises InputError if the second is below the first.
        """
        static_limit = limit if static_limit is None else static_limit
        check_limits(static_limit, limit, self.force_unit, f"'{self.name}'")
        self._set_limit(state, limit)
        self._set_static_limit(state, static_limit)
        return self

    def set_load_friction(self, state: State, friction: float, static_friction: float | None = None) -> Self:
        """Set the coefficients of the load in a State, without unit: of a slip, and at rest (default: the same).

        Invalidates stage INSTANCE. Returns the element. Raises InputError if the second is below the first, or if there is no load.
        """
        if self.load is None:
            raise InputError(f"'{self.name}' has no load. Make it with load=mb.BearingLoad(...) or mb.GuideLoad(...).")
        static = friction if static_friction is None else static_friction
        if static < friction:
            raise InputError(f"'{self.name}': static_friction, {static:g}, is below friction, {friction:g}. At rest it is the larger one.")
        self.set_parameter(state, "load_friction", friction)
        self.set_parameter(state, "load_static_friction", static)
        return self

    def load_of_joint(self, state: State) -> float:
        """N m or N: the load of the bearing or guide; the limits grow by this times its coefficients. Needs stage ACCELERATION.

        Raises InputError if it has no load.
        """
        if self._under_load is None:
            raise InputError(f"'{self.name}' has no load. Make it with load=mb.BearingLoad(...) or mb.GuideLoad(...).")
        return float(np.ravel(state.cached(self._under_load.entries["load"]))[0])

    def torque(self, state: State) -> float:
        """N or N m: the friction on the speed. Needs stage ACCELERATION."""
        return -float(self.multipliers(state)[0])

    # called by MatterSubsystem
    def friction_parameters(self, layout: Layout, row: int = 0) -> tuple[Slot, ...]:
        """The slots of the static limit, the limit, the viscous friction, the Stribeck speed and, if regularised, the transition speed."""
        first = self.matter.constraint_sweeps(layout).part(self, "constraint_parameters").offset
        names = ("static_limit", "limit", "viscous", "stribeck_speed", "transition_speed")
        places = {each.name: place for place, each in enumerate(self.equations.parameters)}  # each is one number
        return tuple(Slot(first + places[name], ()) for name in names if name in places)

    def load_parameters(self, layout: Layout) -> Slot:
        """The slot of the parameters of the load."""
        assert self.load is not None
        first = self.matter.constraint_sweeps(layout).part(self, "constraint_parameters").offset
        return Slot(first + self._parameter_named("load_friction")[1], (self.load.n_parameters,))


def opposite(x: Array) -> Array:
    return 0.0 - x
