"""Gimbal: any rotation, by three angles whose rates are the speeds."""

from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.equations.mobilizer_equations import MobilizerEquations
from mobod.matter.equations.orientation import body_xyz_axes, why_angles_singular
from mobod.scalar import Array
from mobod.spatial import Transform, from_body_xyz, to_body_xyz


@final
@dataclass(frozen=True)
class GimbalEquations(MobilizerEquations):
    """Rotation by q0 about x of F, by q1 about the new y, by q2 about the newest z, which is that of M.

    q  (3,)  rad    body-fixed x-y-z angles, singular where the middle one is 90 degrees
    u  (3,)  rad/s  their rates, which are no angular velocity
    """

    q_units = ("rad", "rad", "rad")

    def X_FM(self, q: Array) -> Transform:
        return Transform.of(from_body_xyz(q), np.zeros(3))

    def H_FM(self, q: Array) -> Array:
        return np.concatenate([body_xyz_axes(q), np.zeros((3, 3))])

    def near(self, X_FM: Transform, q: Array) -> Array:
        return to_body_xyz(X_FM.R)

    def why_singular(self, q: Array) -> str:
        return why_angles_singular(q[1], "q[1]")


@final
class Gimbal(MobilizedBody):
    """A body in three nested rings, about x, y and z (see GimbalEquations); Ball has no singularity."""

    equations = GimbalEquations()
