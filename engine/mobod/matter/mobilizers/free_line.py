"""FreeLine: any motion of a line."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from mobod.matter.body import MobilizedBody
from mobod.matter.equations import MobilizerEquations
from mobod.matter.orientation import ANGLES, QUATERNION, Orientation
from mobod.spatial import Transform


@final
@dataclass(frozen=True)
class FreeLineEquations(MobilizerEquations):
    """Motion of M in F that does not spin about z of M, a line or a body without inertia about it.

    q  (7,)  -, m        quaternion (w, x, y, z) of R_FM, which depends on its direction alone; position of the origin of M in F
       (6,)  rad, m      in Euler angles: body-fixed x-y-z instead of the quaternion
    u  (5,)  rad/s, m/s  x and y of the angular velocity of M in F, expressed in M; velocity of the origin of M, expressed in F
    """

    orientation: Orientation = QUATERNION

    nu = 5
    u_units = ("rad/s", "rad/s", "m/s", "m/s", "m/s")

    @property
    def nq(self) -> int:
        return self.orientation.n + 3

    @property
    def q_units(self) -> tuple[str, ...]:
        return (*self.orientation.units, "m", "m", "m")

    @property
    def default_q(self) -> tuple[float, ...]:
        return (*self.orientation.default, 0.0, 0.0, 0.0)

    @property
    def speed_of(self) -> tuple[int | None, ...]:
        return (*(None for _ in self.orientation.default), 2, 3, 4)

    @property
    def quaternion_at(self) -> int | None:
        return 0 if self.orientation.is_quaternion else None

    def X_FM(self, q: Any) -> Transform:
        return Transform.of(self._R(q), q[self.orientation.n :])

    def H_FM(self, q: Any) -> np.ndarray:
        return np.block([[self._R(q)[:, :2], np.zeros((3, 3))], [np.zeros((3, 2)), np.eye(3)]])

    def q_dot(self, q: Any, u: Any) -> np.ndarray:
        return np.concatenate([self.orientation.q_dot(q[: self.orientation.n], self._R(q)[:, :2] @ u[:2]), u[2:]])

    def near(self, X_FM: Transform, q: np.ndarray) -> np.ndarray:
        return np.concatenate([self.orientation.near(X_FM.R), X_FM.p])

    def in_euler_angles(self) -> "FreeLineEquations":
        return FreeLineEquations(ANGLES)

    def why_singular(self, q: np.ndarray) -> str:
        return self.orientation.why_singular(q[: self.orientation.n])

    def _R(self, q: Any) -> np.ndarray:
        return self.orientation.R(q[: self.orientation.n])


@final
class FreeLine(MobilizedBody):
    """A line that moves freely and does not spin about itself (see FreeLineEquations)."""

    equations = FreeLineEquations()
