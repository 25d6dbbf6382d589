"""SphereOnPlaneContact: a sphere slides or rolls on a plane."""

from typing import final

import numpy as np

from mobod.matter.bodies.constrained_bodies import Body
from mobod.matter.constraint import Constraint
from mobod.matter.equations.constraint_equations import ConstraintEquations, RelativeMotion
from mobod.matter.parameters import equations
from mobod.scalar import Array
from mobod.spatial import cross, from_quaternion
from mobod.system.elements import FrameParameter, Parameter, VectorParameter, argument, frame_of, parameter, parameter_of


@final
@equations
class SphereOnPlaneContactEquations(ConstraintEquations):
    """Position error: the height of the sphere's lowest point above the plane, along z of the plane's frame, m.

    Velocity errors if it rolls: the slip of the body's point that is there, along x and y of the plane's frame, m/s.

    Source: Simbody 3.7, Constraint::SphereOnPlaneContact.
    """

    plane_orientation: tuple[float, ...] = parameter("1", "quaternion of the plane's frame on its body", shape=(4,), is_direction=True)
    plane_origin: tuple[float, ...] = parameter("m", "origin of the plane's frame on its body", shape=(3,))
    center: tuple[float, ...] = parameter("m", "center of the sphere, in its body's frame", shape=(3,))
    radius: float = parameter("m", "radius of the sphere", above=0.0)
    rolling: bool

    position_units = ("m",)

    @property
    def velocity_units(self) -> tuple[str, ...]:
        return ("m/s", "m/s") if self.rolling else ()

    def position_errors(self, motion: RelativeMotion) -> Array:
        z = from_quaternion(self.plane_orientation)[:, 2]
        return np.array([z @ (motion.X[0].apply(np.array(self.center)) - np.array(self.plane_origin)) - self.radius])

    def velocity_errors(self, motion: RelativeMotion) -> Array:
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

    plane_body: Body = argument("the body that carries the plane", kw_only=False)
    plane_frame: FrameParameter = frame_of("plane_orientation", "plane_origin", "Transform, in the plane body's frame", kw_only=False)
    set_plane_frame, default_plane_frame, set_default_plane_frame = plane_frame.accessors
    sphere_body: Body = argument("the body of the sphere", kw_only=False)
    center: VectorParameter = parameter_of(SphereOnPlaneContactEquations, kw_only=False)
    set_center, default_center, set_default_center = center.accessors
    radius: Parameter[float] = parameter_of(SphereOnPlaneContactEquations, kw_only=False)
    set_radius, default_radius, set_default_radius = radius.accessors
    rolling: bool = argument("whether the sphere cannot slip", kw_only=False)

    def __post_init__(self) -> None:
        of_sphere = SphereOnPlaneContactEquations(**self.parameter_values(), rolling=bool(self.rolling))
        self._constrain(of_sphere, self.plane_body, (self.sphere_body,))
