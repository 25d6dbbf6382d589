"""BendStretch: polar coordinates in a plane."""

from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.equations.mobilizer_equations import MobilizerEquations
from mobod.matter.equations.orientation import NEAR_SINGULAR
from mobod.scalar import Array
from mobod.spatial import Transform, rotation_z


@final
@dataclass(frozen=True)
class BendStretchEquations(MobilizerEquations):
    """Rotation by q0 about the common z axis of F and M, then translation by q1 along the x axis of M.

    q  (2,)  rad, m      angle of M in F, right-handed; position of the origin of M along the turned x axis
    u  (2,)  rad/s, m/s  their rates
    """

    q_units = ("rad", "m")

    def X_FM(self, q: Array) -> Transform:
        R = rotation_z(q[0])
        return Transform.of(R, R[:, 0] * q[1])

    def H_FM(self, q: Array) -> Array:
        c, s = np.cos(q[0]), np.sin(q[0])
        return np.array([[0, 0, 1, -s * q[1], c * q[1], 0], [0, 0, 0, c, s, 0]]).T

    def near(self, X_FM: Transform, q: Array) -> Array:
        R = X_FM.R
        bend = np.arctan2(R[1, 0] - R[0, 1], R[0, 0] + R[1, 1])
        return np.array([bend, rotation_z(bend)[:, 0] @ X_FM.p])

    def why_singular(self, q: Array) -> str:
        if abs(q[1]) > NEAR_SINGULAR:
            return ""
        return f"the stretch q[1] = {q[1]:.6g} m is at or near 0, where the bend q[0] does not move the origin of M"


@final
class BendStretch(MobilizedBody):
    """A body at an angle and a distance in the x-y plane of F (see BendStretchEquations)."""

    equations = BendStretchEquations()
