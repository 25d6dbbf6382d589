"""LineOrientation: the direction of a line."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from mobod.matter.body import MobilizedBody
from mobod.matter.equations import MobilizerEquations
from mobod.matter.orientation import ANGLES, QUATERNION, Orientation
from mobod.spatial import Transform


@final
@dataclass(frozen=True)
class LineOrientationEquations(MobilizerEquations):
    """Rotation about the common origin of F and M that does not spin about z of M, a line or a body without inertia about it.

    q  (4,)  -      quaternion (w, x, y, z) of R_FM, which depends on its direction alone
       (3,)  rad    in Euler angles: body-fixed x-y-z instead
    u  (2,)  rad/s  x and y of the angular velocity of M in F, expressed in M
    """

    orientation: Orientation = QUATERNION

    nu = 2
    u_units = ("rad/s", "rad/s")

    @property
    def nq(self) -> int:
        return self.orientation.n

    @property
    def q_units(self) -> tuple[str, ...]:
        return self.orientation.units

    @property
    def default_q(self) -> tuple[float, ...]:
        return self.orientation.default

    @property
    def speed_of(self) -> tuple[int | None, ...]:
        return (None,) * self.nq

    @property
    def quaternion_at(self) -> int | None:
        return 0 if self.orientation.is_quaternion else None

    def X_FM(self, q: Any) -> Transform:
        return Transform.of(self.orientation.R(q), np.zeros(3))

    def H_FM(self, q: Any) -> np.ndarray:
        return np.concatenate([self.orientation.R(q)[:, :2], np.zeros((3, 2))])

    def q_dot(self, q: Any, u: Any) -> np.ndarray:
        return self.orientation.q_dot(q, self.orientation.R(q)[:, :2] @ u)

    def near(self, X_FM: Transform, q: np.ndarray) -> np.ndarray:
        return self.orientation.near(X_FM.R)

    def in_euler_angles(self) -> "LineOrientationEquations":
        return LineOrientationEquations(ANGLES)

    def why_singular(self, q: np.ndarray) -> str:
        return self.orientation.why_singular(q)


@final
class LineOrientation(MobilizedBody):
    """A line on a ball and socket, which does not spin about itself (see LineOrientationEquations)."""

    equations = LineOrientationEquations()
