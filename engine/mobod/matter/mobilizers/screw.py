"""Screw: one rotation with the travel that it makes."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from mobod.matter.accessors import accessors
from mobod.matter.bodies.body import BodyLike, MobilizedBody, ParentLike
from mobod.matter.equations.mobilizer_equations import MobilizerEquations
from mobod.matter.parameters import Parameter
from mobod.spatial import Transform, rotation_z
from mobod.spatial.checked import checked_floats


@final
@dataclass(frozen=True)
class ScrewEquations(MobilizerEquations):
    """Rotation by q about the common z axis of F and M, with travel pitch * q along it.

    q  (1,)  rad     angle of M in F, right-handed
    u  (1,)  rad/s   its rate
    """

    pitch: float  # m/rad

    nq = 1
    nu = 1
    q_units = ("rad",)
    u_units = ("rad/s",)
    default_q = (0.0,)
    speed_of = (0,)
    parameters = (Parameter(name="pitch", unit="m/rad", description="travel along the axis for each radian"),)

    def X_FM(self, q: Any) -> Transform:
        return Transform.of(rotation_z(q[0]), np.array([0, 0, self.pitch * q[0]]))

    def H_FM(self, q: Any) -> np.ndarray:
        return np.array([[0, 0, 1, 0, 0, self.pitch]]).T

    def q_dot(self, q: Any, u: Any) -> np.ndarray:
        return u

    def near(self, X_FM: Transform, q: np.ndarray) -> np.ndarray:
        """The angle by the rotation, the number of turns by the travel."""
        R = X_FM.R
        angle = np.arctan2(R[1, 0] - R[0, 1], R[0, 0] + R[1, 1])
        turns = np.round((X_FM.p[2] / self.pitch - angle) / (2 * np.pi)) if self.pitch else 0.0
        return np.array([angle + 2 * np.pi * turns])


@final
class Screw(MobilizedBody):
    """A body on a thread along the z axis of F (see ScrewEquations)."""

    def __init__(
        self,
        parent: ParentLike,
        body: BodyLike,
        X_PF: Transform | None = None,
        X_BM: Transform | None = None,
        *,
        pitch: float,
        name: str | None = None,
        reversed: bool = False,
    ):
        self.equations = ScrewEquations(float(checked_floats(pitch, (), "Screw: pitch")))
        super().__init__(parent, body, X_PF, X_BM, name=name, reversed=reversed)

    pitch, set_pitch, default_pitch, set_default_pitch = accessors("pitch", "() m/rad")
