"""Ellipsoid: any rotation, with the origin of M on an ellipsoid."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from mobod.matter.accessors import accessors
from mobod.matter.bodies.body import BodyLike, MobilizedBody, ParentLike
from mobod.matter.equations.orientation import QUATERNION, Orientation
from mobod.matter.equations.oriented_equations import OrientedEquations
from mobod.matter.parameters import Parameter
from mobod.spatial import Transform, cross_matrix

RADII = Parameter(name="radii", unit="m", description="half axes of the ellipsoid along x, y and z of F", shape=(3,), above=0.0)


@final
@dataclass(frozen=True)
class EllipsoidEquations(OrientedEquations):
    """Any rotation of M in F; the origin of M is on an ellipsoid about that of F: at (rx nx, ry ny, rz nz), with n the z axis of M in F.

    q  (4,)  -      quaternion (w, x, y, z) of R_FM, which depends on its direction alone
       (3,)  rad    in Euler angles: body-fixed x-y-z instead
    u  (3,)  rad/s  angular velocity of M in F, expressed in F
    """

    radii: tuple[float, float, float]  # m
    orientation: Orientation = QUATERNION

    nu = 3
    u_units = ("rad/s", "rad/s", "rad/s")
    parameters = (RADII,)

    def X_FM(self, q: Any) -> Transform:
        R = self.R_FM(q)
        return Transform.of(R, np.array(self.radii) * R[:, 2])

    def H_FM(self, q: Any) -> np.ndarray:
        """From n_dot = w x n."""
        n = self.R_FM(q)[:, 2]
        return np.concatenate([np.eye(3), -np.array(self.radii)[:, None] * cross_matrix(n)])

    def q_dot(self, q: Any, u: Any) -> np.ndarray:
        return self.orientation_dot(q, u)


@final
class Ellipsoid(MobilizedBody):
    """A body that turns freely while it moves on an ellipsoid, such as a shoulder blade on the chest (see EllipsoidEquations).

    radii  (3,) m  half axes along x, y and z of F, each greater than 0
    """

    def __init__(
        self,
        parent: ParentLike,
        body: BodyLike,
        X_PF: Transform | None = None,
        X_BM: Transform | None = None,
        *,
        radii: Any,
        name: str | None = None,
        reversed: bool = False,
    ):
        x, y, z = RADII.checked(radii, "Ellipsoid: radii").tolist()
        self.equations = EllipsoidEquations((x, y, z))
        super().__init__(parent, body, X_PF, X_BM, name=name, reversed=reversed)

    radii, set_radii, default_radii, set_default_radii = accessors("radii", "(3,) m")
