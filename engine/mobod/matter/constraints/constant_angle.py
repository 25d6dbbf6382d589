"""ConstantAngle: directions on two bodies keep their angle."""

from math import pi
from typing import final

import numpy as np

from mobod.matter.bodies.constrained_bodies import Body
from mobod.matter.constraint import Constraint
from mobod.matter.constraints.directions import unit
from mobod.matter.equations.constraint_equations import ConstraintEquations, RelativeMotion
from mobod.matter.parameters import equations
from mobod.scalar import Array
from mobod.system.elements import Parameter, VectorParameter, argument, parameter, parameter_of


@final
@equations
class ConstantAngleEquations(ConstraintEquations):
    """Position error: the cosine of the angle between the axes, less that of the angle that they should have.

    At 0 and pi the cosine does not change to first order, so that no force would keep the angle.
    """

    base_axis: tuple[float, ...] = parameter("1", "axis on the base", shape=(3,), is_direction=True)
    follower_axis: tuple[float, ...] = parameter("1", "axis on the follower", shape=(3,), is_direction=True)
    angle: float = parameter("rad", "angle between the axes", above=0.0, below=pi)

    position_units = ("1",)

    def position_errors(self, motion: RelativeMotion) -> Array:
        return np.array([unit(self.base_axis) @ motion.X[0].R @ unit(self.follower_axis) - np.cos(self.angle)])


@final
class ConstantAngle(Constraint):
    """An axis fixed on a base body and one on a follower, which keep their angle (see ConstantAngleEquations).

    base_axis, follower_axis  (3,) of any length but 0, in the frames of their bodies
    angle                     rad, between 0 and pi, neither of them
    """

    keeps_angle = True

    base: Body = argument("the body on which the first axis is fixed", kw_only=False)
    base_axis: VectorParameter = parameter_of(ConstantAngleEquations, kw_only=False)
    set_base_axis, default_base_axis, set_default_base_axis = base_axis.accessors
    follower: Body = argument("the body on which the second axis is fixed", kw_only=False)
    follower_axis: VectorParameter = parameter_of(ConstantAngleEquations, kw_only=False)
    set_follower_axis, default_follower_axis, set_default_follower_axis = follower_axis.accessors
    angle: Parameter[float] = parameter_of(ConstantAngleEquations, default=pi / 2, kw_only=False)
    set_angle, default_angle, set_default_angle = angle.accessors

    def __post_init__(self) -> None:
        self._constrain(ConstantAngleEquations(**self.parameter_values()), self.base, (self.follower,))
