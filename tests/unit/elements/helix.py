"""A user's mobilizer."""

from typing import Any

import numpy as np

import mobod as mb
from mobod.spatial import rotation_z


@mb.equations
class Helix(mb.CustomEquations):
    """Rotation by q about the z axis of F, with the origin of M on a helix of a radius and a pitch.

    q  (1,)  rad    angle of M in F, right-handed
    u  (1,)  rad/s  its rate
    """

    pitch: float = mb.parameter("m/rad", "travel for each radian")
    radius: float = mb.parameter("m", "distance of the origin of M from the axis", default=0.0, least=0.0)

    q_units = ("rad",)

    def X_FM(self, q: Any) -> mb.Transform:
        R = rotation_z(q[0])
        return mb.Transform.of(R, R[:, 0] * self.radius + np.array([0, 0, self.pitch * q[0]]))
