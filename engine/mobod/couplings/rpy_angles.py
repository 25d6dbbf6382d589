"""Roll, pitch and yaw: three rotations about body-fixed axes, z-y-x or x-y-z, with the wrenches that limit them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, final

import numpy as np

from mobod.couplings.records import CouplingCoordinate
from mobod.scalar import Array, Scalar, where
from mobod.spatial import rotation_x, rotation_y, rotation_z

AxisSet = Literal["ZYX", "XYZ"]

_SINGULAR = 1e-4  # of cos(pitch): nearer to gimbal lock wrenches do not grow
_LOCKED = 1e-12  # of cos(pitch): roll and yaw turn about the same axis


@final
@dataclass(frozen=True)
class RpyAngles:
    """R = R1(roll) R2(pitch) R3(yaw), about z, y, x or x, y, z, each as the ones before have turned it."""

    axes: AxisSet

    def rotation(self, angles: Sequence[Scalar] | Array) -> Array:
        roll, pitch, yaw = angles
        first, third = (rotation_z, rotation_x) if self.axes == "ZYX" else (rotation_x, rotation_z)
        return first(roll) @ rotation_y(pitch) @ third(yaw)

    def angles(self, R: Array, coordinates: tuple[CouplingCoordinate, ...]) -> Array:
        """(3,) the solution nearest to the stored values; in gimbal lock roll keeps its value."""
        if self.axes == "ZYX":
            sines, cosines, sin_pitch = (R[1, 0], R[2, 1]), (R[0, 0], R[2, 2]), -R[2, 0]
        else:
            sines, cosines, sin_pitch = (-R[1, 2], -R[0, 1]), (R[2, 2], R[0, 0]), R[0, 2]
        square = sines[0] * sines[0] + cosines[0] * cosines[0]
        is_locked = square < _LOCKED**2
        cos_pitch = np.sqrt(where(is_locked, 1.0, square))
        stored = coordinates[0].value
        roll = where(is_locked, stored, np.arctan2(sines[0], where(is_locked, 1.0, cosines[0])))
        pitch = np.arctan2(sin_pitch, where(is_locked, 0.0, cos_pitch))
        yaw = where(is_locked, self._yaw_when_locked(R, stored), np.arctan2(sines[1], where(is_locked, 1.0, cosines[1])))
        near = self._nearest((roll, pitch, yaw), coordinates)
        far = self._nearest((roll + np.pi, np.pi - pitch, yaw + np.pi), coordinates)
        values = np.array([each.value for each in coordinates])
        is_far = ((far - values) ** 2).sum() < where(is_locked, -1.0, ((near - values) ** 2).sum())
        return where(is_far, far, near)

    def wrenches(self, angles: Sequence[Scalar] | Array) -> Array:
        """(3, 3) moments in the rotated frame that limit roll, pitch and yaw; dual to their axes, approximately so near gimbal lock."""
        _, pitch, yaw = angles
        e1, e2, e3 = np.eye(3)[::-1] if self.axes == "ZYX" else np.eye(3)
        hand = -1 if self.axes == "ZYX" else 1
        third = rotation_x if self.axes == "ZYX" else rotation_z
        c = np.cos(pitch)
        guarded = where(np.abs(c) < _SINGULAR, where(c < 0, -_SINGULAR, _SINGULAR), c)
        in_first = np.array([e1 - hand * (np.sin(pitch) / guarded) * e3, e2, e3 / guarded])
        return in_first @ rotation_y(pitch) @ third(yaw)

    def _yaw_when_locked(self, R: Array, roll: Scalar) -> Scalar:
        """The yaw angle in gimbal lock: R1(-roll) R is then R2(pitch) R3(yaw), whose second row is that of R3."""
        if self.axes == "ZYX":
            rest = rotation_z(-roll) @ R
            return np.arctan2(-rest[1, 2], rest[1, 1])
        rest = rotation_x(-roll) @ R
        return np.arctan2(rest[1, 0], rest[1, 1])

    @staticmethod
    def _nearest(angles: Sequence[Scalar], coordinates: tuple[CouplingCoordinate, ...]) -> Array:
        return np.array([each.nearest_angle(angle) for each, angle in zip(coordinates, angles, strict=True)])
