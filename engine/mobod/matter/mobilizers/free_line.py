"""FreeLine: any motion of a line."""

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
class FreeLineEquations(OrientedEquations):
    """Motion of M in F that does not spin about z of M, a line or a body without inertia about it.

    q  (7,)  -, m        quaternion (w, x, y, z) of R_FM, which depends on its direction alone; position of the origin of M in F
       (6,)  rad, m      in Euler angles: body-fixed x-y-z instead of the quaternion
    u  (5,)  rad/s, m/s  x and y of the angular velocity of M in F, expressed in M; velocity of the origin of M, expressed in F
    """

    orientation: Orientation = QUATERNION

    nu = 5
    u_units = ("rad/s", "rad/s", "m/s", "m/s", "m/s")

    def X_FM(self, q: Array) -> Transform:
        return Transform.of(self.R_FM(q), q[self.orientation.n :])

    def H_FM(self, q: Array) -> Array:
        return np.block([[self.R_FM(q)[:, :2], np.zeros((3, 3))], [np.zeros((3, 2)), np.eye(3)]])

    def H_dot_u(self, q: Array, u: Array) -> Array:
        """Zero, as in LineOrientationEquations."""
        return np.zeros(6)

    def q_dot(self, q: Array, u: Array) -> Array:
        return np.concatenate([self.orientation_dot(q, self.R_FM(q)[:, :2] @ u[:2]), u[2:]])


@final
class FreeLine(MobilizedBody):
    """A line that moves freely and does not spin about itself (see FreeLineEquations)."""

    equations = FreeLineEquations()
