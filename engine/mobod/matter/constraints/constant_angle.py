"""ConstantAngle: directions on two bodies keep their angle."""

from dataclasses import dataclass
from math import pi
from typing import Any, final

import numpy as np

from mobod.matter.accessors import accessors
from mobod.matter.constraint import Body, Constraint
from mobod.matter.constraints.directions import unit
from mobod.matter.equations.constraint_equations import ConstraintEquations, RelativeMotion
from mobod.matter.parameters import Parameter


@final
@dataclass(frozen=True)
class ConstantAngleEquations(ConstraintEquations):
    """Position error: the cosine of the angle between the axes, less that of the angle that they should have.

    At 0 and pi the cosine does not change to first order, so that no force would keep the angle.
    """

    base_axis: tuple[float, ...]
    follower_axis: tuple[float, ...]
    angle: float

    position_units = ("1",)
    parameters = (
        Parameter(name="base_axis", unit="1", description="axis on the base", shape=(3,), is_direction=True),
        Parameter(name="follower_axis", unit="1", description="axis on the follower", shape=(3,), is_direction=True),
        Parameter(name="angle", unit="rad", description="angle between the axes", above=0.0, below=pi),
    )

    def position_errors(self, motion: RelativeMotion) -> Any:
        return np.array([unit(self.base_axis) @ motion.X[0].R @ unit(self.follower_axis) - np.cos(self.angle)])


@final
class ConstantAngle(Constraint):
    """An axis fixed on a base body and one on a follower, which keep their angle (see ConstantAngleEquations).

    base_axis, follower_axis  (3,) of any length but 0, in the frames of their bodies
    angle                     rad, between 0 and pi, neither of them
    """

    base_axis, set_base_axis, default_base_axis, set_default_base_axis = accessors(
        "base_axis", "(3,) unit vector, in the frame of the base"
    )
    follower_axis, set_follower_axis, default_follower_axis, set_default_follower_axis = accessors(
        "follower_axis", "(3,) unit vector, in the frame of the follower"
    )
    angle, set_angle, default_angle, set_default_angle = accessors("angle", "() rad")

    def __init__(
        self,
        base: Body,
        base_axis: Any,
        follower: Body,
        follower_axis: Any,
        angle: float = pi / 2,
        *,
        name: str | None = None,
        disabled: bool = False,
    ):
        equations = ConstantAngleEquations(base_axis, follower_axis, angle).checked("ConstantAngle")
        super().__init__(equations, base, (follower,), name=name, disabled=disabled)
