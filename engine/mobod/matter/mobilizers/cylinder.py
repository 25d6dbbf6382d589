"""Cylinder: one rotation, and a translation along its axis."""

from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.equations.mobilizer_equations import MobilizerEquations
from mobod.scalar import Array
from mobod.spatial import Transform, rotation_z


@final
@dataclass(frozen=True)
class CylinderEquations(MobilizerEquations):
    """Rotation by q0 about the common z axis of F and M, and translation by q1 along it.

    q  (2,)  rad, m      angle of M in F, right-handed; position of the origin of M along the axis
    u  (2,)  rad/s, m/s  their rates
    """

    q_units = ("rad", "m")
    rotation = "about z"

    def X_FM(self, q: Array) -> Transform:
        return Transform.of(rotation_z(q[0]), np.array([0, 0, q[1]]))

    def H_FM(self, q: Array) -> Array:
        return np.array([[0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 1]]).T

    def near(self, X_FM: Transform, q: Array) -> Array:
        R = X_FM.R
        return np.array([np.arctan2(R[1, 0] - R[0, 1], R[0, 0] + R[1, 1]), X_FM.p[2]])


@final
class Cylinder(MobilizedBody):
    """A body that turns about the z axis of F and slides along it (see CylinderEquations)."""

    equations = CylinderEquations()
