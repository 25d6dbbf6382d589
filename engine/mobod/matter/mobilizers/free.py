"""Free: unrestricted motion."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from mobod.matter.body import MobilizedBody
from mobod.matter.equations import MobilizerEquations
from mobod.matter.orientation import ANGLES, QUATERNION, Orientation
from mobod.spatial import Transform


@final
@dataclass(frozen=True)
class FreeEquations(MobilizerEquations):
    """Any pose of M in F.

    q  (7,)  -, m        quaternion (w, x, y, z) of R_FM, which depends on its direction alone; position of the origin of M in F
       (6,)  rad, m      in Euler angles: body-fixed x-y-z instead of the quaternion
    u  (6,)  rad/s, m/s  angular velocity of M in F and velocity of its origin, both expressed in F
    """

    orientation: Orientation = QUATERNION

    nu = 6
    u_units = ("rad/s", "rad/s", "rad/s", "m/s", "m/s", "m/s")

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
        return (*(None for _ in self.orientation.default), 3, 4, 5)

    @property
    def quaternion_at(self) -> int | None:
        return 0 if self.orientation.is_quaternion else None

    def X_FM(self, q: Any) -> Transform:
        n = self.orientation.n
        return Transform.of(self.orientation.R(q[:n]), q[n:])

    def H_FM(self, q: Any) -> np.ndarray:
        return np.eye(6)

    def q_dot(self, q: Any, u: Any) -> np.ndarray:
        return np.concatenate([self.orientation.q_dot(q[: self.orientation.n], u[:3]), u[3:]])

    def near(self, X_FM: Transform, q: np.ndarray) -> np.ndarray:
        return np.concatenate([self.orientation.near(X_FM.R), X_FM.p])

    def in_euler_angles(self) -> "FreeEquations":
        return FreeEquations(ANGLES)

    def why_singular(self, q: np.ndarray) -> str:
        return self.orientation.why_singular(q[: self.orientation.n])


@final
class Free(MobilizedBody):
    """A body that moves freely (see FreeEquations)."""

    equations = FreeEquations()
