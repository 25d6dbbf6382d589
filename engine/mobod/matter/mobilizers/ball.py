"""Ball: any rotation."""

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
class BallEquations(OrientedEquations):
    """Any rotation of M in F about their common origin.

    q  (4,)  -      quaternion (w, x, y, z) of R_FM, which depends on its direction alone
       (3,)  rad    in Euler angles: body-fixed x-y-z instead
    u  (3,)  rad/s  angular velocity of M in F, expressed in F
    """

    orientation: Orientation = QUATERNION

    nu = 3
    u_units = ("rad/s", "rad/s", "rad/s")

    def X_FM(self, q: Array) -> Transform:
        return Transform.of(self.R_FM(q), np.zeros(3))

    def H_FM(self, q: Array) -> Array:
        return np.eye(6, 3)

    def q_dot(self, q: Array, u: Array) -> Array:
        return self.orientation_dot(q, u)


@final
class Ball(MobilizedBody):
    """A body on a ball and socket (see BallEquations)."""

    equations = BallEquations()
