"""NoSlip1D: points of two bodies at one place have the same velocity along a direction."""

from typing import final

import numpy as np

from mobod.errors import InputError
from mobod.matter.bodies.constrained_bodies import Body
from mobod.matter.constraint import Constraint
from mobod.matter.constraints.directions import unit
from mobod.matter.equations.constraint_equations import ConstraintEquations, RelativeMotion
from mobod.matter.parameters import equations
from mobod.scalar import Array
from mobod.spatial import cross
from mobod.system.elements import VectorParameter, argument, parameter, parameter_of


@final
@equations
class NoSlip1DEquations(ConstraintEquations):
    """Velocity error: along the direction, the velocity of the second body's point less that of the first's, m/s.

    They are the points that are at the contact point, which is fixed in the case. They change as the bodies move; so the acceleration
    error is the derivative of the velocity error, and not the difference of the accelerations of two points (as Simbody's is).

    moving  for the first and the second body its number among the followers, None if it is the case
    """

    direction: tuple[float, ...] = parameter("1", "direction without slip, in the case", shape=(3,), is_direction=True)
    contact_point: tuple[float, ...] = parameter("m", "where the bodies touch, in the case", shape=(3,))
    moving: tuple[int | None, int | None]

    velocity_units = ("m/s",)

    def velocity_errors(self, motion: RelativeMotion) -> Array:
        first, second = (self._velocity(motion, number) for number in self.moving)
        return np.array([unit(self.direction) @ (second - first)])

    def _velocity(self, motion: RelativeMotion, number: int | None) -> Array:
        if number is None:
            return np.zeros(3)
        w, v = motion.V[number][:3], motion.V[number][3:]
        return v + cross(w, np.array(self.contact_point) - motion.X[number].p)


@final
class NoSlip1D(Constraint):
    """Two bodies that roll on each other without slip along a direction that is fixed in a case, as gears do (see NoSlip1DEquations).

    case           body in which the place of contact is fixed; it may be one of the two
    contact_point  (3,) m, in the frame of the case
    direction      (3,) of any length but 0, in the frame of the case
    """

    case: Body = argument("the body in which the place of contact is fixed", kw_only=False)
    contact_point: VectorParameter = parameter_of(NoSlip1DEquations, kw_only=False)
    set_contact_point, default_contact_point, set_default_contact_point = contact_point.accessors
    direction: VectorParameter = parameter_of(NoSlip1DEquations, kw_only=False)
    set_direction, default_direction, set_default_direction = direction.accessors
    body0: Body = argument("the first body", kw_only=False)
    body1: Body = argument("the second body", kw_only=False)

    def __post_init__(self) -> None:
        if self.body0 is self.body1:
            raise InputError(f"NoSlip1D: it is between '{self.body0.name}' and itself, which cannot slip on each other.")
        followers = tuple(body for body in (self.body0, self.body1) if body is not self.case)
        first, second = (followers.index(body) if body in followers else None for body in (self.body0, self.body1))
        self._constrain(NoSlip1DEquations(**self.parameter_values(), moving=(first, second)), self.case, followers)
