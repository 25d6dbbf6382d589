"""ConstantOrientation: axes of two bodies stay parallel."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from mobod.matter.accessors import rotation_accessors
from mobod.matter.constraint import Body, Constraint
from mobod.matter.equations.constraint_equations import ConstraintEquations, RelativeMotion
from mobod.matter.parameters import Parameter
from mobod.spatial import from_quaternion, to_quaternion
from mobod.spatial.rotation import checked_rotation


def misalignment(R_BF: Any) -> list[Any]:
    """x_F . y_B, y_F . z_B, z_F . x_B: 0 where the axes of two frames are parallel, and also where some of them are opposite."""
    return [R_BF[1, 0], R_BF[2, 1], R_BF[0, 2]]


@final
@dataclass(frozen=True)
class ConstantOrientationEquations(ConstraintEquations):
    """Position errors: the `misalignment` of the follower's axes with the base's."""

    base_orientation: tuple[float, ...]
    follower_orientation: tuple[float, ...]

    position_units = ("1",) * 3
    parameters = (
        Parameter(name="base_orientation", unit="1", description="quaternion of the axes on the base", shape=(4,), is_direction=True),
        Parameter(
            name="follower_orientation", unit="1", description="quaternion of the axes on the follower", shape=(4,), is_direction=True
        ),
    )

    def position_errors(self, motion: RelativeMotion) -> Any:
        R_BF = from_quaternion(self.base_orientation).T @ motion.X[0].R @ from_quaternion(self.follower_orientation)
        return np.array(misalignment(R_BF))


@final
class ConstantOrientation(Constraint):
    """Axes fixed on a base body and on a follower, which are parallel (see ConstantOrientationEquations).

    base_rotation, follower_rotation  (3, 3) the axes as columns, in the frames of their bodies
    """

    base_rotation, set_base_rotation, default_base_rotation, set_default_base_rotation = rotation_accessors(
        "base_rotation", "base_orientation", "(3, 3), in the frame of the base"
    )
    follower_rotation, set_follower_rotation, default_follower_rotation, set_default_follower_rotation = rotation_accessors(
        "follower_rotation", "follower_orientation", "(3, 3), in the frame of the follower"
    )

    def __init__(
        self,
        base: Body,
        base_rotation: Any,
        follower: Body,
        follower_rotation: Any,
        *,
        name: str | None = None,
        disabled: bool = False,
    ):
        on_base = to_quaternion(checked_rotation(base_rotation, "ConstantOrientation: base_rotation"))
        on_follower = to_quaternion(checked_rotation(follower_rotation, "ConstantOrientation: follower_rotation"))
        equations = ConstantOrientationEquations(tuple(on_base), tuple(on_follower)).checked("ConstantOrientation")
        super().__init__(equations, base, (follower,), name=name, disabled=disabled)
