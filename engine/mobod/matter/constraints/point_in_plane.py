"""PointInPlane: a point of one body stays in a plane of another."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from mobod.matter.accessors import accessors
from mobod.matter.constraint import Body, Constraint
from mobod.matter.constraints.directions import unit
from mobod.matter.equations.constraint_equations import ConstraintEquations, RelativeMotion
from mobod.matter.parameters import Parameter


@final
@dataclass(frozen=True)
class PointInPlaneEquations(ConstraintEquations):
    """Position error: the height of the point above the plane, along its normal, m."""

    normal: tuple[float, ...]
    height: float
    point: tuple[float, ...]

    position_units = ("m",)
    parameters = (
        Parameter(name="normal", unit="1", description="normal of the plane, in its body's frame", shape=(3,), is_direction=True),
        Parameter(name="height", unit="m", description="height of the plane above its body's origin, along the normal"),
        Parameter(name="point", unit="m", description="point in the plane, in the follower's frame", shape=(3,)),
    )

    def position_errors(self, motion: RelativeMotion) -> Any:
        return np.array([unit(self.normal) @ motion.X[0].apply(np.array(self.point)) - self.height])


@final
class PointInPlane(Constraint):
    """A point of a follower, which stays in a plane fixed on another body and slides there freely (see PointInPlaneEquations).

    normal  (3,) of any length but 0, in the frame of the plane's body
    height  m, of the plane above the origin of its body, along the normal
    point   (3,) m, in the frame of the follower
    """

    normal, set_normal, default_normal, set_default_normal = accessors("normal", "(3,) unit vector, in the frame of the plane's body")
    height, set_height, default_height, set_default_height = accessors("height", "() m")
    point, set_point, default_point, set_default_point = accessors("point", "(3,) m, in the frame of the follower")

    def __init__(
        self,
        plane_body: Body,
        normal: Any,
        height: float,
        follower: Body,
        point: Any,
        *,
        name: str | None = None,
        disabled: bool = False,
    ):
        equations = PointInPlaneEquations(normal, height, point).checked("PointInPlane")
        super().__init__(equations, plane_body, (follower,), name=name, disabled=disabled)
