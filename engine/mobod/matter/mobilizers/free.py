"""Free: unrestricted motion, the rotation by a quaternion."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from mobod.matter.body import MobilizedBody
from mobod.matter.equations import MobilizerEquations
from mobod.spatial import Transform, from_quaternion, quaternion_N


@final
@dataclass(frozen=True)
class FreeEquations(MobilizerEquations):
    """Any pose of M in F.

    q  (7,)  -, m        quaternion (w, x, y, z) of R_FM, which depends on its direction alone; position of the origin of M in F
    u  (6,)  rad/s, m/s  angular velocity of M in F and velocity of its origin, both expressed in F
    """

    nq = 7
    nu = 6
    q_units = ("1", "1", "1", "1", "m", "m", "m")
    u_units = ("rad/s", "rad/s", "rad/s", "m/s", "m/s", "m/s")
    default_q = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    quaternion_at = 0
    speed_of = (None, None, None, None, 3, 4, 5)

    def X_FM(self, q: Any) -> Transform:
        return Transform.of(from_quaternion(q[:4]), q[4:])

    def H_FM(self, q: Any) -> np.ndarray:
        return np.eye(6)

    def q_dot(self, q: Any, u: Any) -> np.ndarray:
        return np.concatenate([quaternion_N(q[:4]) @ u[:3], u[3:]])


@final
class Free(MobilizedBody):
    """A body that moves freely (see FreeEquations)."""

    equations = FreeEquations()
