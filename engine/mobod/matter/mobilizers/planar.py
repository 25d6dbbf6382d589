"""Planar: any motion in a plane."""

from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.equations.mobilizer_equations import MobilizerEquations
from mobod.scalar import Array
from mobod.spatial import Transform, rotation_z


@final
@dataclass(frozen=True)
class PlanarEquations(MobilizerEquations):
    """Rotation by q0 about the common direction z of F and M, translation by q1 and q2 along x and y of F.

    q  (3,)  rad, m, m        angle of M in F, right-handed; position of the origin of M in F
    u  (3,)  rad/s, m/s, m/s  their rates
    """

    q_units = ("rad", "m", "m")
    rotation = "about z"

    def X_FM(self, q: Array) -> Transform:
        return Transform.of(rotation_z(q[0]), np.array([q[1], q[2], 0]))

    def H_FM(self, q: Array) -> Array:
        return np.array([[0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0]]).T

    def near(self, X_FM: Transform, q: Array) -> Array:
        R = X_FM.R
        return np.array([np.arctan2(R[1, 0] - R[0, 1], R[0, 0] + R[1, 1]), *X_FM.p[:2]])


@final
class Planar(MobilizedBody):
    """A body that moves in the x-y plane of F and turns about z (see PlanarEquations)."""

    equations = PlanarEquations()
