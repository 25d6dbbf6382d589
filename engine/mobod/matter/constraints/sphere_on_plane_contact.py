"""SphereOnPlaneContact: a sphere slides or rolls on a plane."""

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
class SphereOnPlaneContactEquations(ConstraintEquations):
    """Position error: the height of the sphere's lowest point above the plane, along z of the plane's frame, m.

    Velocity errors if it rolls: the slip of the body's point that is there, along x and y of the plane's frame, m/s.

    Source: Simbody 3.7, Constraint::SphereOnPlaneContact.
    """

    plane_orientation: tuple[float, ...]
    plane_origin: tuple[float, ...]
    center: tuple[float, ...]
    radius: float
    rolling: bool

    position_units = ("m",)
    parameters = (
        Parameter(
            name="plane_orientation", unit="1", description="quaternion of the plane's frame on its body", shape=(4,), is_direction=True
        ),
        Parameter(name="plane_origin", unit="m", description="origin of the plane's frame on its body", shape=(3,)),
        Parameter(name="center", unit="m", description="center of the sphere, in its body's frame", shape=(3,)),
        Parameter(name="radius", unit="m", description="radius of the sphere", above=0.0),
    )

    @property
    def velocity_units(self) -> tuple[str, ...]:
        return ("m/s", "m/s") if self.rolling else ()

    def position_errors(self, motion: RelativeMotion) -> Any:
        z = from_quaternion(self.plane_orientation)[:, 2]
        return np.array([z @ (motion.X[0].apply(np.array(self.center)) - np.array(self.plane_origin)) - self.radius])

    def velocity_errors(self, motion: RelativeMotion) -> Any:
        if not self.rolling:
            return np.zeros(0)
        R_plane = from_quaternion(self.plane_orientation)
        w, v = motion.V[0][:3], motion.V[0][3:]
        slip = v + cross(w, motion.X[0].R @ np.array(self.center) - self.radius * R_plane[:, 2])
        return R_plane[:, :2].T @ slip


@final
class SphereOnPlaneContact(Constraint):
    """A sphere on one body, which touches a plane fixed on another, from above and below (see SphereOnPlaneContactEquations).

    plane_frame  Transform, in the frame of the plane's body; the plane is its x-y plane, z the normal
    center       (3,) m, of the sphere, in the frame of its body
    radius       m, greater than 0
    rolling      whether the sphere cannot slip; otherwise it slides without friction
    """

    plane_frame, set_plane_frame, default_plane_frame, set_default_plane_frame = frame_accessors(
        "plane_frame", "plane_orientation", "plane_origin", "Transform, in the frame of the plane's body"
    )
    center, set_center, default_center, set_default_center = accessors("center", "(3,) m, in the frame of the sphere's body")
    radius, set_radius, default_radius, set_default_radius = accessors("radius", "() m")

    def __init__(
        self,
        plane_body: Body,
        plane_frame: Transform,
        sphere_body: Body,
        center: Any,
        radius: float,
        rolling: bool,
        *,
        name: str | None = None,
        disabled: bool = False,
    ):
        X = checked_frame(plane_frame, "SphereOnPlaneContact: plane_frame")
        equations = SphereOnPlaneContactEquations(tuple(to_quaternion(X.R)), tuple(X.p), center, radius, bool(rolling))
        super().__init__(equations.checked("SphereOnPlaneContact"), plane_body, (sphere_body,), name=name, disabled=disabled)
