"""Coordinates of free rotations of mobilizers: a quaternion, or body-fixed x-y-z angles."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.scalar import Array
from mobod.spatial import from_body_xyz, from_quaternion, quaternion_N, to_body_xyz, to_quaternion

# angles count as near their singularity if |cos(q1)| is smaller
NEAR_SINGULAR = 1e-2


class Orientation(ABC):
    """Coordinates of the rotation R_FM, the first ones of a mobilizer."""

    @property
    @abstractmethod
    def n(self) -> int:
        """The number of coordinates."""

    @property
    @abstractmethod
    def units(self) -> tuple[str, ...]:
        """The unit of each coordinate."""

    @property
    @abstractmethod
    def default(self) -> tuple[float, ...]:
        """The coordinates of the identity."""

    @property
    @abstractmethod
    def is_quaternion(self) -> bool:
        """Whether the coordinates are a quaternion, which is kept at unit length."""

    @abstractmethod
    def R(self, q: Array) -> Array:
        """(3, 3) R_FM."""

    @abstractmethod
    def q_dot(self, q: Array, w: Array) -> Array:
        """Rates of the coordinates, from the angular velocity w of M in F, (3,) rad/s, expressed in F."""

    @abstractmethod
    def near(self, R: np.ndarray) -> np.ndarray:
        """The coordinates of a rotation. Called with plain numbers only."""

    @abstractmethod
    def why_singular(self, q: np.ndarray) -> str:
        """A message if q is near a singularity. See MobilizerEquations.why_singular."""


@final
@dataclass(frozen=True)
class ByQuaternion(Orientation):
    """(w, x, y, z), a quaternion of any length: R depends only on its direction."""

    n = 4
    units = ("1", "1", "1", "1")
    default = (1.0, 0.0, 0.0, 0.0)
    is_quaternion = True

    def R(self, q: Array) -> Array:
        return from_quaternion(q)

    def q_dot(self, q: Array, w: Array) -> Array:
        return quaternion_N(q) @ w

    def near(self, R: np.ndarray) -> np.ndarray:
        return to_quaternion(R)

    def why_singular(self, q: np.ndarray) -> str:
        return "" if q.any() else "its quaternion is zero, which is not a rotation. Set one of unit length, such as [1, 0, 0, 0]"


@final
@dataclass(frozen=True)
class ByAngles(Orientation):
    """Body-fixed x-y-z angles, rad; their rates grow without bound as the middle angle approaches 90 degrees."""

    n = 3
    units = ("rad", "rad", "rad")
    default = (0.0, 0.0, 0.0)
    is_quaternion = False

    def R(self, q: Array) -> Array:
        return from_body_xyz(q)

    def q_dot(self, q: Array, w: Array) -> Array:
        """Inverts w = x q0' + (Rx y) q1' + (Rx Ry z) q2'."""
        s0, c0, s1, c1 = np.sin(q[0]), np.cos(q[0]), np.sin(q[1]), np.cos(q[1])
        across = c0 * w[2] - s0 * w[1]
        rate_2 = across / c1
        return np.array([w[0] - s1 * rate_2, c0 * w[1] + s0 * w[2], rate_2])

    def near(self, R: np.ndarray) -> np.ndarray:
        return to_body_xyz(R)

    def why_singular(self, q: np.ndarray) -> str:
        return why_angles_singular(q[1], "q[1]")


def body_xyz_axes(q: Array) -> Array:
    """(3, 3) with the axes of body-fixed x-y-z rotations, in F, as columns: x, Rx y, Rx Ry z. Its product with the angles' rates is
    w_FM.
    """
    s0, c0, s1, c1 = np.sin(q[0]), np.cos(q[0]), np.sin(q[1]), np.cos(q[1])
    return np.array([[1, 0, s1], [0, c0, -s0 * c1], [0, s0, c0 * c1]])


def why_angles_singular(middle: float, name: str) -> str:
    """A message for body-fixed x-y-z angles whose middle angle is near 90 degrees; otherwise ''."""
    if abs(np.cos(middle)) > NEAR_SINGULAR:
        return ""
    return (
        f"the middle angle {name} = {middle:.6g} rad is at or near 90 degrees, where the first and the third axis are parallel "
        "and body-fixed x-y-z angles are singular; quaternions (Ball, Free) have no such singularity"
    )


QUATERNION = ByQuaternion()
ANGLES = ByAngles()
