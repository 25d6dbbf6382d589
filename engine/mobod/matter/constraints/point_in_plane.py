"""PointInPlane: a point of one body stays in a plane of another."""

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
class PointInPlaneEquations(ConstraintEquations):
    """Position error: the height of the point above the plane, along its normal, m."""

    normal: tuple[float, ...] = parameter("1", "normal of the plane, in its body's frame", shape=(3,), is_direction=True)
    height: float = parameter("m", "height of the plane above its body's origin, along the normal")
    point: tuple[float, ...] = parameter("m", "point in the plane, in the follower's frame", shape=(3,))

    position_units = ("m",)

    def position_errors(self, motion: RelativeMotion) -> Array:
        return np.array([unit(self.normal) @ motion.X[0].apply(np.array(self.point)) - self.height])


@final
class PointInPlane(Constraint):
    """A point of a follower, which stays in a plane fixed on another body and slides there freely (see PointInPlaneEquations).

    normal  (3,) of any length but 0, in the frame of the plane's body
    height  m, of the plane above the origin of its body, along the normal
    point   (3,) m, in the frame of the follower
    """

    plane_body: Body = argument("the body that carries the plane", kw_only=False)
    normal: VectorParameter = parameter_of(PointInPlaneEquations, kw_only=False)
    set_normal, default_normal, set_default_normal = normal.accessors
    height: Parameter[float] = parameter_of(PointInPlaneEquations, kw_only=False)
    set_height, default_height, set_default_height = height.accessors
    follower: Body = argument("the body of the point", kw_only=False)
    point: VectorParameter = parameter_of(PointInPlaneEquations, kw_only=False)
    set_point, default_point, set_default_point = point.accessors

    def __post_init__(self) -> None:
        self._constrain(PointInPlaneEquations(**self.parameter_values()), self.plane_body, (self.follower,))
