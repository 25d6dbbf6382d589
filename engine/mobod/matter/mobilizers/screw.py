"""Screw: one rotation with the travel that it makes."""

from typing import final

import numpy as np

from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.equations.mobilizer_equations import MobilizerEquations
from mobod.matter.parameters import equations
from mobod.scalar import Array
from mobod.spatial import Transform, rotation_z
from mobod.system.elements import Parameter, parameter, parameter_of


@final
@equations
class ScrewEquations(MobilizerEquations):
    """Rotation by q about the common z axis of F and M, with travel pitch * q along it.

    q  (1,)  rad     angle of M in F, right-handed
    u  (1,)  rad/s   its rate
    """

    pitch: float = parameter("m/rad", "travel along the axis for each radian")

    q_units = ("rad",)

    def X_FM(self, q: Array) -> Transform:
        return Transform.of(rotation_z(q[0]), np.array([0, 0, self.pitch * q[0]]))

    def H_FM(self, q: Array) -> Array:
        return np.array([[0, 0, 1, 0, 0, self.pitch]]).T

    def near(self, X_FM: Transform, q: Array) -> Array:
        """The angle by the rotation, the number of turns by the travel."""
        R = X_FM.R
        angle = np.arctan2(R[1, 0] - R[0, 1], R[0, 0] + R[1, 1])
        turns = np.round((X_FM.p[2] / self.pitch - angle) / (2 * np.pi)) if self.pitch else 0.0
        return np.array([angle + 2 * np.pi * turns])


@final
class Screw(MobilizedBody):
    """A body on a thread along the z axis of F (see ScrewEquations).

    pitch  m/rad  travel along the axis for each radian
    """

    pitch: Parameter[float] = parameter_of(ScrewEquations)
    set_pitch, default_pitch, set_default_pitch = pitch.accessors

    def __post_init__(self) -> None:
        self.equations = ScrewEquations(**self.parameter_values()).checked("Screw")
        super().__post_init__()
