"""Ellipsoid: any rotation, with the origin of M on an ellipsoid."""

from typing import final

import numpy as np

from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.equations.orientation import QUATERNION, Orientation
from mobod.matter.equations.oriented_equations import OrientedEquations
from mobod.matter.parameters import equations
from mobod.scalar import Array
from mobod.spatial import Transform, cross, cross_matrix
from mobod.system.elements import VectorParameter, parameter, parameter_of


@final
@equations
class EllipsoidEquations(OrientedEquations):
    """Any rotation of M in F; the origin of M is on an ellipsoid about that of F: at (rx nx, ry ny, rz nz), with n the z axis of M in F.

    q  (4,)  -      quaternion (w, x, y, z) of R_FM, which depends on its direction alone
       (3,)  rad    in Euler angles: body-fixed x-y-z instead
    u  (3,)  rad/s  angular velocity of M in F, expressed in F
    """

    radii: tuple[float, float, float] = parameter("m", "half axes of the ellipsoid along x, y and z of F", shape=(3,), above=0.0)
    orientation: Orientation = QUATERNION

    nu = 3
    u_units = ("rad/s", "rad/s", "rad/s")

    def X_FM(self, q: Array) -> Transform:
        R = self.R_FM(q)
        return Transform.of(R, np.array(self.radii) * R[:, 2])

    def H_FM(self, q: Array) -> Array:
        """From n_dot = w x n."""
        n = self.R_FM(q)[:, 2]
        return np.concatenate([np.eye(3), -np.array(self.radii)[:, None] * cross_matrix(n)])

    def H_dot_u(self, q: Array, u: Array) -> Array:
        """From n_dot = w x n, without the rates of Euler angles, which are infinite where the middle angle is 90 degrees."""
        n_dot = cross(u, self.R_FM(q)[:, 2])
        return np.concatenate([np.zeros(3), np.array(self.radii) * cross(u, n_dot)])

    def q_dot(self, q: Array, u: Array) -> Array:
        return self.orientation_dot(q, u)


@final
class Ellipsoid(MobilizedBody):
    """A body that turns freely while it moves on an ellipsoid, such as a shoulder blade on the chest (see EllipsoidEquations).

    radii  (3,) m  half axes along x, y and z of F, each greater than 0
    """

    radii: VectorParameter = parameter_of(EllipsoidEquations)
    set_radii, default_radii, set_default_radii = radii.accessors

    def __post_init__(self) -> None:
        self.equations = EllipsoidEquations(**self.parameter_values()).checked("Ellipsoid")
        super().__post_init__()
