"""Bushing: any motion, by three angles and a translation whose rates are the speeds."""

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
class BushingEquations(MobilizerEquations):
    """Translation of M along the axes of F, then rotation about the new origin: by q0 about x, q1 about the new y, q2 about the newest z.

    q  (6,)  rad, m      body-fixed x-y-z angles, singular where the middle one is 90 degrees; position of the origin of M in F
    u  (6,)  rad/s, m/s  their rates: the first three are no angular velocity
    """

    q_units = ("rad", "rad", "rad", "m", "m", "m")

    def X_FM(self, q: Array) -> Transform:
        return Transform.of(from_body_xyz(q[:3]), q[3:])

    def H_FM(self, q: Array) -> Array:
        zero = np.zeros((3, 3))
        return np.block([[body_xyz_axes(q), zero], [zero, np.eye(3)]])

    def near(self, X_FM: Transform, q: Array) -> Array:
        return np.concatenate([to_body_xyz(X_FM.R), X_FM.p])

    def why_singular(self, q: Array) -> str:
        return why_angles_singular(q[1], "q[1]")


@final
class Bushing(MobilizedBody):
    """A body that moves freely, by the coordinates of a LinearBushing (see BushingEquations); Free has no singularity."""

    equations = BushingEquations()
