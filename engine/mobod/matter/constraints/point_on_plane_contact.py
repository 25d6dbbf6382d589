"""PointOnPlaneContact: a point sticks to a plane wherever it first was."""

from typing import final

import numpy as np

from mobod.matter.bodies.constrained_bodies import Body
from mobod.matter.constraint import Constraint
from mobod.matter.equations.constraint_equations import ConstraintEquations, RelativeMotion
from mobod.matter.parameters import equations
from mobod.scalar import Array
from mobod.spatial import cross, from_quaternion
from mobod.system.elements import FrameParameter, VectorParameter, argument, frame_of, parameter, parameter_of


@final
@equations
class PointOnPlaneContactEquations(ConstraintEquations):
    """Position error: the height of the point above the plane, z of the plane's frame, m. Velocity errors: its slip along x and y, m/s."""

    plane_orientation: tuple[float, ...] = parameter("1", "quaternion of the plane's frame on its body", shape=(4,), is_direction=True)
    plane_origin: tuple[float, ...] = parameter("m", "origin of the plane's frame on its body", shape=(3,))
    point: tuple[float, ...] = parameter("m", "point in contact, in the follower's frame", shape=(3,))

    position_units = ("m",)
    velocity_units = ("m/s", "m/s")

    def position_errors(self, motion: RelativeMotion) -> Array:
        z = from_quaternion(self.plane_orientation)[:, 2]
        return np.array([z @ (motion.X[0].apply(np.array(self.point)) - np.array(self.plane_origin))])

    def velocity_errors(self, motion: RelativeMotion) -> Array:
        w, v = motion.V[0][:3], motion.V[0][3:]
        slip = v + cross(w, motion.X[0].R @ np.array(self.point))
        return from_quaternion(self.plane_orientation)[:, :2].T @ slip


@final
class PointOnPlaneContact(Constraint):
    """A point of a follower, which stays in a plane fixed on another body and does not slip (see PointOnPlaneContactEquations).

    plane_frame  Transform, in the frame of the plane's body; the plane is its x-y plane, z the normal
    point        (3,) m, in the frame of the follower
    """

    plane_body: Body = argument("the body that carries the plane", kw_only=False)
    plane_frame: FrameParameter = frame_of("plane_orientation", "plane_origin", "Transform, in the plane body's frame", kw_only=False)
    set_plane_frame, default_plane_frame, set_default_plane_frame = plane_frame.accessors
    follower: Body = argument("the body of the point", kw_only=False)
    point: VectorParameter = parameter_of(PointOnPlaneContactEquations, kw_only=False)
    set_point, default_point, set_default_point = point.accessors

    def __post_init__(self) -> None:
        self._constrain(PointOnPlaneContactEquations(**self.parameter_values()), self.plane_body, (self.follower,))
