"""Pin: one rotation."""

from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.equations.mobilizer_equations import MobilizerEquations
from mobod.scalar import Array
from mobod.spatial import Transform, rotation_z


@final
@dataclass(frozen=True)
class PinEquations(MobilizerEquations):
    """Rotation by q about the common z axis of F and M.

    q  (1,)  rad    angle of M in F, right-handed
    u  (1,)  rad/s  its rate
    """

    q_units = ("rad",)
    rotation = "about z"

    def X_FM(self, q: Array) -> Transform:
        return Transform.of(rotation_z(q[0]), np.zeros(3))

    def H_FM(self, q: Array) -> Array:
        return np.array([[0, 0, 1, 0, 0, 0]]).T

    def near(self, X_FM: Transform, q: Array) -> Array:
        R = X_FM.R
        return np.array([np.arctan2(R[1, 0] - R[0, 1], R[0, 0] + R[1, 1])])


@final
class Pin(MobilizedBody):
    """A body that turns about the z axis of F (see PinEquations)."""

    equations = PinEquations()
