"""Free: unrestricted motion."""

from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.equations.orientation import QUATERNION, Orientation
from mobod.matter.equations.oriented_equations import OrientedEquations
from mobod.scalar import Array
from mobod.spatial import Transform


@final
@dataclass(frozen=True)
class FreeEquations(OrientedEquations):
    """Any pose of M in F.

    q  (7,)  -, m        quaternion (w, x, y, z) of R_FM, which depends on its direction alone; position of the origin of M in F
       (6,)  rad, m      in Euler angles: body-fixed x-y-z instead of the quaternion
    u  (6,)  rad/s, m/s  angular velocity of M in F and velocity of its origin, both expressed in F
    """

    orientation: Orientation = QUATERNION

    nu = 6
    u_units = ("rad/s", "rad/s", "rad/s", "m/s", "m/s", "m/s")

    def X_FM(self, q: Array) -> Transform:
        return Transform.of(self.R_FM(q), q[self.orientation.n :])

    def H_FM(self, q: Array) -> Array:
        return np.eye(6)

    def q_dot(self, q: Array, u: Array) -> Array:
        return np.concatenate([self.orientation_dot(q, u[:3]), u[3:]])


@final
class Free(MobilizedBody):
    """A body that moves freely (see FreeEquations)."""

    equations = FreeEquations()
