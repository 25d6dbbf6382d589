"""What a joint of a robot carries, taken as one body: a line or a point has rotations that move no inertia."""

from dataclasses import dataclass
from typing import Self, final

import numpy as np

from mobod.files.robot.joints import RobotJoint
from mobod.matter.dynamics.dynamics import SINGULAR
from mobod.spatial import cross_matrix
from mobod.spatial.inertia import point_inertia
from mobod.spatial.relative_inertia import ROUND_OFF, size_of_moments

THIN = 1e-6  # the moment of a line about itself, relative to its largest one, is smaller


@final
@dataclass(frozen=True, eq=False)
class Carried:
    """One body, in the frame of a link.

    mass    ()      kg
    com     (3,)    m
    about_origin, about_com  (3, 3)  kg m^2
    size    ()      kg m^2   with which rounding errors of moments are compared
    """

    mass: float
    com: np.ndarray
    about_origin: np.ndarray
    about_com: np.ndarray
    size: float

    @classmethod
    def of(cls, inertia: np.ndarray) -> Self:
        """inertia  (6, 6) spatial inertia about the link's origin"""
        mass = float(inertia[5, 5])
        if not mass:
            return cls(0.0, np.zeros(3), np.zeros((3, 3)), np.zeros((3, 3)), 0.0)
        mc = inertia[:3, 3:]
        com = _without_noise(np.array([mc[2, 1], mc[0, 2], mc[1, 0]]) / mass)
        return cls(mass, com, inertia[:3, :3], inertia[:3, :3] - point_inertia(mass, com), size_of_moments(inertia))

    def idle_axes(self, about: np.ndarray | None = None) -> np.ndarray:
        """(3, k) unit axes through a point, the mass center if it is not given, about which it has no inertia: 0, 1 or 3."""
        moments, axes = np.linalg.eigh(self.about_com if about is None else self._about(about))
        if moments[2] <= ROUND_OFF * self.size:
            return np.eye(3)
        if not self._is_thin(moments[0], moments[2]):
            return np.zeros((3, 0))
        axis = _without_noise(axes[:, 0])
        return (axis * np.sign(axis[np.abs(axis).argmax()]) + 0.0)[:, None]

    def idle_motions(self, joint: RobotJoint) -> np.ndarray:
        """(6, k) motions [w; v] of the link's frame along the joint, which is floating, spherical or planar, that move no inertia."""
        if not self.mass:
            return motion_of(joint)
        if joint.kind == "spherical":
            return np.vstack([axes := self.idle_axes(joint.anchor), cross_matrix(joint.anchor) @ axes])
        axes = self.idle_axes()
        if joint.kind == "planar":
            is_idle = self._is_thin(joint.axis @ self.about_com @ joint.axis, np.linalg.eigvalsh(self.about_com)[2])
            axes = joint.axis[:, None] if is_idle else np.zeros((3, 0))
        return np.vstack([axes, cross_matrix(self.com) @ axes])

    def _about(self, point: np.ndarray) -> np.ndarray:
        """(3, 3) kg m^2"""
        if not point.any():
            return self.about_origin
        return self.about_com + point_inertia(self.mass, self.com - point)

    def _is_thin(self, moment: float, largest: float) -> bool:
        """Whether a moment is that of a line about itself, and so small that accelerations would be rounding errors."""
        return moment <= max(min(THIN * largest, SINGULAR * self.size), ROUND_OFF * self.size)


def motion_of(joint: RobotJoint) -> np.ndarray:
    """H (6, n), in the child's frame at its origin: [w; v] = H u."""
    axis, none = joint.axis[:, None], np.zeros((3, 1))
    of_anchor = cross_matrix(joint.anchor)
    match joint.kind:
        case "revolute" | "continuous":
            return np.vstack([axis, of_anchor @ axis])
        case "screw":
            return np.vstack([axis, of_anchor @ axis + joint.pitch * axis])
        case "prismatic":
            return np.vstack([none, axis])
        case "planar":
            in_plane = np.linalg.svd(joint.axis[None, :])[2][1:].T
            return np.hstack([np.vstack([axis, of_anchor @ axis]), np.vstack([np.zeros((3, 2)), in_plane])])
        case "floating":
            return np.eye(6)
        case "spherical":
            return np.vstack([np.eye(3), of_anchor])
        case "fixed":
            return np.zeros((6, 0))


def _without_noise(vector: np.ndarray) -> np.ndarray:
    """Without entries that are rounding errors of larger ones, so that recordings are simple."""
    return np.where(np.abs(vector) < 1e-13 * np.abs(vector).max(initial=0.0), 0.0, vector)
