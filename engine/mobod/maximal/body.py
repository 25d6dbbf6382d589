"""MaximalBody: a rigid body with its pose and velocity in the world."""

from typing import final

import numpy as np
from numpy.typing import ArrayLike

from mobod.errors import InputError
from mobod.spatial import MassProperties, Transform, cross, cross_matrix, from_quaternion, quaternion_N, to_quaternion
from mobod.spatial.checked import checked_floats


@final
class MaximalBody:
    """A rigid body of a MaximalCoordinateSimulation, which changes its pose and velocity.

    mass_properties  about the body's origin; None for a body that is not dynamic
    X_WB             pose in the world
    velocity         (6,)  m/s, rad/s of the body's origin, in world axes, linear first
    external_force   (6,)  N, N m at the body's origin, in world axes, force first
    is_dynamic       False: the body does not move
    """

    def __init__(
        self,
        mass_properties: MassProperties | None = None,
        X_WB: Transform | None = None,
        *,
        velocity: ArrayLike | None = None,
        external_force: ArrayLike | None = None,
        is_dynamic: bool = True,
        name: str = "body",
    ):
        self.name, self.is_dynamic = name, bool(is_dynamic)
        if self.is_dynamic and (mass_properties is None or mass_properties.mass <= 0):
            raise InputError(f"body '{name}' is dynamic, so it needs mass properties with a mass. Give them, or set is_dynamic=False.")
        self.mass_properties = mass_properties
        X_WB = X_WB or Transform()
        self.position = np.array(X_WB.p)
        self.quaternion = to_quaternion(X_WB.R)
        self.velocity = np.zeros(6) if velocity is None else checked_floats(velocity, (6,), f"body '{name}': velocity")
        if not self.is_dynamic and self.velocity.any():
            raise InputError(f"body '{name}' is not dynamic and cannot have a velocity.")
        self.external_force = (
            np.zeros(6) if external_force is None else checked_floats(external_force, (6,), f"body '{name}': external_force")
        )

    @property
    def X_WB(self) -> Transform:
        """Pose of the body in the world."""
        return Transform.of(from_quaternion(self.quaternion), self.position)

    def mass_matrix(self) -> np.ndarray:
        """(6, 6) mass matrix about the body's origin, in world axes, linear first."""
        mass, c, J = self._inertia()
        M = np.zeros((6, 6))
        M[[0, 1, 2], [0, 1, 2]] = mass
        M[3:, :3] = mass * cross_matrix(c)
        M[:3, 3:] = -M[3:, :3]
        M[3:, 3:] = J
        return M

    def inertial_force(self) -> np.ndarray:
        """(6,) -[m w x (w x c); w x (J w)]: the inertial force quadratic in the angular velocity."""
        mass, c, J = self._inertia()
        w = self.velocity[3:]
        return -np.concatenate([mass * cross(w, cross(w, c)), cross(w, J @ w)])

    def applied_force(self, gravity: np.ndarray, frame_damping: float, rotary_damping: float) -> np.ndarray:
        """(6,) N, N m: sum of the external force, gravity and damping."""
        mass, c, _ = self._inertia()
        weight = mass * gravity
        damping = np.concatenate([frame_damping * self.velocity[:3], rotary_damping * self.velocity[3:]])
        return self.external_force + np.concatenate([weight, cross(c, weight)]) - damping

    def move(self, displacement: np.ndarray) -> None:
        """Move by displacement (6,), m, rad: a translation and a rotation vector, in world axes."""
        self.position = self.position + displacement[:3]
        self.quaternion = turned(self.quaternion, displacement[3:])

    def pose_rate(self) -> np.ndarray:
        """(7,) m/s, 1/s: rates of the position and of the quaternion."""
        return np.concatenate([self.velocity[:3], quaternion_N(self.quaternion) @ self.velocity[3:]])

    @property
    def pose(self) -> np.ndarray:
        """(7,) position and unit quaternion, scalar first."""
        return np.concatenate([self.position, self.quaternion])

    @pose.setter
    def pose(self, value: np.ndarray) -> None:
        self.position, self.quaternion = value[:3].copy(), value[3:] / np.linalg.norm(value[3:])

    def _inertia(self) -> tuple[float, np.ndarray, np.ndarray]:
        """Mass, position of the mass center from the body's origin, and inertia about the origin, in world axes."""
        assert self.mass_properties is not None  # checked if the body is dynamic
        R = from_quaternion(self.quaternion)
        return float(self.mass_properties.mass), R @ self.mass_properties.com, R @ np.asarray(self.mass_properties.inertia) @ R.T


def turned(e: np.ndarray, rotation: np.ndarray) -> np.ndarray:
    """The unit quaternion of exp([rotation]x) R(e)."""
    half = np.linalg.norm(rotation) / 2
    scale = np.sinc(half / np.pi) / 2
    w, v = np.cos(half), scale * rotation
    product = np.concatenate([[w * e[0] - v @ e[1:]], w * e[1:] + e[0] * v + cross(v, e[1:])])
    return product / np.linalg.norm(product)
