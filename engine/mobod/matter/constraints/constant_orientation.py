"""ConstantOrientation: axes of two bodies stay parallel."""

from typing import final

import numpy as np

from mobod.matter.bodies.constrained_bodies import Body
from mobod.matter.constraint import Constraint
from mobod.matter.equations.constraint_equations import ConstraintEquations, RelativeMotion
from mobod.matter.parameters import equations
from mobod.scalar import Array, Scalar
from mobod.spatial import from_quaternion
from mobod.system.elements import RotationParameter, argument, parameter, rotation_of


def misalignment(R_BF: Array) -> list[Scalar]:
    """x_F . y_B, y_F . z_B, z_F . x_B: 0 where the axes of two frames are parallel, and also where some of them are opposite."""
    return [R_BF[1, 0], R_BF[2, 1], R_BF[0, 2]]


@final
@equations
class ConstantOrientationEquations(ConstraintEquations):
    """Position errors: the `misalignment` of the follower's axes with the base's."""

    base_orientation: tuple[float, ...] = parameter("1", "quaternion of the axes on the base", shape=(4,), is_direction=True)
    follower_orientation: tuple[float, ...] = parameter("1", "quaternion of the axes on the follower", shape=(4,), is_direction=True)

    position_units = ("1",) * 3

    def position_errors(self, motion: RelativeMotion) -> Array:
        R_BF = from_quaternion(self.base_orientation).T @ motion.X[0].R @ from_quaternion(self.follower_orientation)
        return np.array(misalignment(R_BF))


@final
class ConstantOrientation(Constraint):
    """Axes fixed on a base body and on a follower, which are parallel (see ConstantOrientationEquations).

    base_rotation, follower_rotation  (3, 3) the axes as columns, in the frames of their bodies
    """

    keeps_orientation = True

    base: Body = argument("the body that carries the first axes", kw_only=False)
    base_rotation: RotationParameter = rotation_of("base_orientation", "(3, 3), in the frame of the base", kw_only=False)
    set_base_rotation, default_base_rotation, set_default_base_rotation = base_rotation.accessors
    follower: Body = argument("the body that carries the second axes", kw_only=False)
    follower_rotation: RotationParameter = rotation_of("follower_orientation", "(3, 3), in the frame of the follower", kw_only=False)
    set_follower_rotation, default_follower_rotation, set_default_follower_rotation = follower_rotation.accessors

    def __post_init__(self) -> None:
        self._constrain(ConstantOrientationEquations(**self.parameter_values()), self.base, (self.follower,))
