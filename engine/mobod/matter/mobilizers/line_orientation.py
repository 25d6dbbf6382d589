"""LineOrientation: the direction of a line."""

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
class LineOrientationEquations(OrientedEquations):
    """Rotation about the common origin of F and M that does not spin about z of M, a line or a body without inertia about it.

    q  (4,)  -      quaternion (w, x, y, z) of R_FM, which depends on its direction alone
       (3,)  rad    in Euler angles: body-fixed x-y-z instead
    u  (2,)  rad/s  x and y of the angular velocity of M in F, expressed in M
    """

    orientation: Orientation = QUATERNION

    nu = 2
    u_units = ("rad/s", "rad/s")

    def X_FM(self, q: Array) -> Transform:
        return Transform.of(self.R_FM(q), np.zeros(3))

    def H_FM(self, q: Array) -> Array:
        return np.concatenate([self.R_FM(q)[:, :2], np.zeros((3, 2))])

    def H_dot_u(self, q: Array, u: Array) -> Array:
        """Zero: the angular velocity H u turns with M, so its rate for constant u is its cross product with itself.

        The rates of Euler angles, by which H could be differentiated, are infinite where the middle angle is 90 degrees.
        """
        return np.zeros(6)

    def q_dot(self, q: Array, u: Array) -> Array:
        return self.orientation_dot(q, self.R_FM(q)[:, :2] @ u)


@final
class LineOrientation(MobilizedBody):
    """A line on a ball and socket, which does not spin about itself (see LineOrientationEquations)."""

    equations = LineOrientationEquations()
