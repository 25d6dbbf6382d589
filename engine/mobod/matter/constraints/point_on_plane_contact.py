"""PointOnPlaneContact: a point sticks to a plane wherever it first was."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from mobod.matter.accessors import accessors, checked_frame, frame_accessors
from mobod.matter.constraint import Body, Constraint
from mobod.matter.equations.constraint_equations import ConstraintEquations, RelativeMotion
from mobod.matter.parameters import Parameter
from mobod.spatial import Transform, cross, from_quaternion, to_quaternion


@final
@dataclass(frozen=True)
class PointOnPlaneContactEquations(ConstraintEquations):
    """Position error: the height of the point above the plane, z of the plane's frame, m. Velocity errors: its slip along x and y, m/s."""

    plane_orientation: tuple[float, ...]
    plane_origin: tuple[float, ...]
    point: tuple[float, ...]

    position_units = ("m",)
    velocity_units = ("m/s", "m/s")
    parameters = (
        Parameter(
            name="plane_orientation", unit="1", description="quaternion of the plane's frame on its body", shape=(4,), is_direction=True
        ),
        Parameter(name="plane_origin", unit="m", description="origin of the plane's frame on its body", shape=(3,)),
        Parameter(name="point", unit="m", description="point in contact, in the follower's frame", shape=(3,)),
    )

    def position_errors(self, motion: RelativeMotion) -> Any:
        z = from_quaternion(self.plane_orientation)[:, 2]
        return np.array([z @ (motion.X[0].apply(np.array(self.point)) - np.array(self.plane_origin))])

    def velocity_errors(self, motion: RelativeMotion) -> Any:
        w, v = motion.V[0][:3], motion.V[0][3:]
        slip = v + cross(w, motion.X[0].R @ np.array(self.point))
        return from_quaternion(self.plane_orientation)[:, :2].T @ slip


@final
class PointOnPlaneContact(Constraint):
    """A point of a follower, which stays in a plane fixed on another body and does not slip (see PointOnPlaneContactEquations).

    plane_frame  Transform, in the frame of the plane's body; the plane is its x-y plane, z the normal
    point        (3,) m, in the frame of the follower
    """

    plane_frame, set_plane_frame, default_plane_frame, set_default_plane_frame = frame_accessors(
        "plane_frame", "plane_orientation", "plane_origin", "Transform, in the frame of the plane's body"
    )
    point, set_point, default_point, set_default_point = accessors("point", "(3,) m, in the frame of the follower")

    def __init__(
        self, plane_body: Body, plane_frame: Transform, follower: Body, point: Any, *, name: str | None = None, disabled: bool = False
    ):
        X = checked_frame(plane_frame, "PointOnPlaneContact: plane_frame")
        equations = PointOnPlaneContactEquations(tuple(to_quaternion(X.R)), tuple(X.p), point).checked("PointOnPlaneContact")
        super().__init__(equations, plane_body, (follower,), name=name, disabled=disabled)
