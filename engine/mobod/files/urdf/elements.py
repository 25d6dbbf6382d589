"""The content of a URDF file as plain data, with line numbers."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, final

import numpy as np
from numpy.typing import ArrayLike

from mobod.files.urdf.collisions import UrdfCollision
from mobod.matter import MobilizedBody
from mobod.matter.bodies.decorations import Geometry
from mobod.spatial import MassProperties, Transform, rotation_about

JointKind = Literal["revolute", "continuous", "prismatic", "planar", "floating", "fixed", "spherical"]  # the last one is not in URDF


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class UrdfLink:
    """A body; its frame is that of the joint that leads to it."""

    name: str
    path: Path
    line: int
    mass_properties: MassProperties
    visuals: tuple[tuple[Transform, Geometry], ...]
    collisions: tuple[UrdfCollision, ...] = ()

    @property
    def place(self) -> str:
        return f"{self.path}, line {self.line}"


@final
@dataclass(frozen=True, kw_only=True)
class UrdfLimits:
    """rad or m, and their units with N m or N: effort and velocity are limits of the actuator, which mobod does not enforce."""

    lower: float
    upper: float
    effort: float
    velocity: float


@final
@dataclass(frozen=True, kw_only=True)
class UrdfMimic:
    """The coordinate is multiplier * (that of the other joint) + offset."""

    joint: str
    multiplier: float
    offset: float


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class RemainingMotion:
    """The motion of a joint without its rotations that move no inertia.

    mobilizer, parameters  the class of the mobilized body, and its arguments
    R_CF                   (3, 3) axes of frame F, on the parent, in the child's frame where the coordinates are 0; its origin is there, too
    X_CM                   pose of frame M in the child's frame
    default_q              (nq,) where the coordinates of the joint itself would be 0
    """

    mobilizer: type[MobilizedBody]
    R_CF: np.ndarray
    X_CM: Transform
    default_q: np.ndarray
    parameters: Mapping[str, Any] = field(default_factory=dict)


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class UrdfJoint:
    """X_PC    pose of the child's frame in the parent's where the coordinates are 0
    axis       (3,) unit vector in the child's frame
    remaining  the motion in place of that of its kind, if some of its rotations are left out
    """

    name: str
    path: Path
    line: int
    kind: JointKind
    parent: str
    child: str
    X_PC: Transform
    axis: np.ndarray
    limits: UrdfLimits | None = None
    damping: float = 0.0
    friction: float = 0.0
    mimic: UrdfMimic | None = None
    closes_loop: bool = False
    remaining: RemainingMotion | None = None

    @property
    def has_one_coordinate(self) -> bool:
        return self.kind in ("revolute", "continuous", "prismatic")

    @property
    def place(self) -> str:
        return f"{self.path}, line {self.line}"

    @property
    def unit(self) -> str:
        """The unit of its coordinate."""
        return "m" if self.kind == "prismatic" else "rad"

    def motion(self, q: float) -> Transform:
        """The pose of the child's frame relative to that at 0, for a joint with one coordinate; the identity for others."""
        if self.kind == "prismatic":
            return Transform(p=q * self.axis)
        return Transform(rotation_about(self.axis, q)) if self.has_one_coordinate and q else Transform()

    def fixed_at(self, q: float) -> "UrdfJoint":
        """A fixed joint with the child's pose at the coordinate q."""
        X_PC = self.X_PC @ self.motion(q)
        return replace(self, kind="fixed", X_PC=X_PC, limits=None, damping=0.0, friction=0.0, mimic=None, remaining=None)


def along(direction: Literal["x", "z"], axis: ArrayLike) -> np.ndarray:
    """(3, 3) a rotation with `axis` as its x or z axis; entries are 0 and 1 for an axis of the frame itself, for simpler recordings."""
    axis = np.asarray(axis, dtype=float)
    least = int(np.argmin(np.abs(axis)))
    second = np.eye(3)[least] - axis[least] * axis
    second /= np.linalg.norm(second)
    third = np.cross(axis, second)
    columns = [axis, second, third] if direction == "x" else [second, third, axis]
    return np.array(columns).T + 0.0  # no negative zeros
