"""Universal: two rotations whose axes stay perpendicular."""

from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.equations.mobilizer_equations import MobilizerEquations
from mobod.scalar import Array
from mobod.spatial import Transform, rotation_x, rotation_y


@final
@dataclass(frozen=True)
class UniversalEquations(MobilizerEquations):
    """Rotation by q0 about the x axis of F, then by q1 about the y axis of M.

    q  (2,)  rad    angles, right-handed
    u  (2,)  rad/s  their rates
    """

    q_units = ("rad", "rad")

    def X_FM(self, q: Array) -> Transform:
        return Transform.of(rotation_x(q[0]) @ rotation_y(q[1]), np.zeros(3))

    def H_FM(self, q: Array) -> Array:
        return np.array([[1, 0, 0, 0, 0, 0], [0, np.cos(q[0]), np.sin(q[0]), 0, 0, 0]]).T

    def near(self, X_FM: Transform, q: Array) -> Array:
        R = X_FM.R
        return np.array([np.arctan2(R[2, 1], R[1, 1]), np.arctan2(R[0, 2], R[0, 0])])


@final
class Universal(MobilizedBody):
    """A body on a universal joint, about x of F and y of M (see UniversalEquations)."""

    equations = UniversalEquations()
