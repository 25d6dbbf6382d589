"""Joints of a robot as plain data, with line numbers."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, final

import numpy as np
from numpy.typing import ArrayLike

from mobod.errors import UnsupportedError
from mobod.matter import MobilizedBody
from mobod.spatial import Transform, from_quaternion, rotation_about, to_quaternion

JointKind = Literal["revolute", "continuous", "prismatic", "screw", "planar", "floating", "fixed", "spherical"]
ONE_COORDINATE = ("revolute", "continuous", "prismatic", "screw")


@final
@dataclass(frozen=True, kw_only=True)
class RobotLimits:
    """Of a joint with one coordinate, in rad or m, and their units with N m or N.

    lower, upper  range of the coordinate; infinite: no limit
    effort        the greatest sum of drive forces, effort_low the least one (None: -effort), and velocity the greatest command of a drive
                  that follows a speed; 0: not known.
                  velocity does not limit the joint
    counts_sites, counts_compensation
                  whether drives of sites, and gravity compensation, that the joint carries are part of the sum that effort limits
    stiffness     N/m or N m/rad, of elastic stops; None: the file has none
    dissipation   s/m or s/rad, of elastic stops
    """

    lower: float = -np.inf
    upper: float = np.inf
    effort: float = 0.0
    effort_low: float | None = None
    counts_sites: bool = False
    counts_compensation: bool = False
    velocity: float = 0.0
    stiffness: float | None = None
    dissipation: float = 0.0


@final
@dataclass(frozen=True, kw_only=True)
class RobotMimic:
    """The coordinate is multiplier * (that of the other joint) + offset."""

    joint: str
    multiplier: float
    offset: float


@final
@dataclass(frozen=True, kw_only=True)
class RobotSpring:
    """Of a joint with one coordinate: N/m or N m/rad, and the coordinate at which it is without force."""

    stiffness: float
    q_zero: float = 0.0


@final
@dataclass(frozen=True, kw_only=True)
class RobotRotor:
    """See body.set_rotor_inertia: kg m^2 of the rotor about its axis, or kg for a joint in m with a gear_ratio of 1."""

    inertia: float
    gear_ratio: float = 1.0

    @property
    def reflected(self) -> float:
        """kg m^2 or kg, what it adds to the inertia along the coordinate."""
        return self.inertia * self.gear_ratio**2


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class RemainingMotion:
    """The motion of a joint without its rotations that move no inertia.

    mobilizer, parameters  the class of the mobilized body, and its arguments
    X_CF                   pose of frame F, on the parent, in the child's frame where the coordinates are 0
    X_CM                   pose of frame M in the child's frame
    default_q              (nq,) where the coordinates of the joint itself would be 0
    """

    mobilizer: type[MobilizedBody]
    X_CF: Transform
    X_CM: Transform
    default_q: np.ndarray
    parameters: Mapping[str, Any] = field(default_factory=dict)


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class RobotJoint:
    """A joint from a parent link to a child link. Several joints between two links are a chain with links without mass.

    X_PC      pose of the child's frame in the parent's where the coordinates are those of reference
    axis      (3,) unit vector in the child's frame: of a rotation, a translation or a screw; the normal of a planar joint
    anchor    (3,) m, point of the child on the axis of its rotation, or the center of a spherical joint
    q_ref     rad or m, the coordinate at X_PC, of a joint with one coordinate; of others it is 0 (the identity)
    pitch     m/rad, of a screw
    start     (nq,) coordinates at the start; None: q_ref, or the nearest limit. Of spherical joints a quaternion, of floating ones a
              quaternion and a position
    damping   N s/m or N m s/rad, of each speed; friction: N or N m, dry, of each coordinate
    is_base   whether it lets a root link move, or fixes it: `floating_base` changes it
    is_driven whether it has a motor, if joints have motors
    remaining the motion in place of that of its kind, if some of its rotations are left out
    """

    name: str
    path: Path
    line: int
    kind: JointKind
    parent: str
    child: str
    X_PC: Transform
    axis: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    anchor: np.ndarray = field(default_factory=lambda: np.zeros(3))
    q_ref: float = 0.0
    pitch: float = 0.0
    limits: RobotLimits | None = None
    damping: float = 0.0
    friction: float = 0.0
    spring: RobotSpring | None = None
    rotor: RobotRotor | None = None
    start: np.ndarray | None = None
    mimic: RobotMimic | None = None
    closes_loop: bool = False
    is_base: bool = False
    is_driven: bool = True
    remaining: RemainingMotion | None = None

    @property
    def has_one_coordinate(self) -> bool:
        return self.kind in ONE_COORDINATE

    @property
    def place(self) -> str:
        return f"{self.path}, line {self.line}" if self.line else str(self.path)

    @property
    def unit(self) -> str:
        """The unit of its coordinate."""
        return "m" if self.kind == "prismatic" else "rad"

    def motion(self, q: float) -> Transform:
        """The pose of the child's frame relative to that at X_PC, for a joint with one coordinate."""
        turn = q - self.q_ref
        if self.kind == "prismatic":
            return Transform(p=turn * self.axis)
        if not self.has_one_coordinate or not turn:
            return Transform()
        R = rotation_about(self.axis, turn)
        return Transform(R, self.anchor - R @ self.anchor + turn * self.pitch * self.axis)

    def at_start(self, start: float) -> Transform:
        """The pose of the child's frame in the parent's; start: the coordinate of a joint that has one."""
        return self.X_PC @ (self.motion(start) if self.has_one_coordinate else self._pose_of_start())

    def fixed_at(self, q: float) -> "RobotJoint":
        """A fixed joint with the child's pose at the coordinate q, or at the start of a joint with several."""
        return replace(
            self,
            kind="fixed",
            X_PC=self.at_start(q),
            q_ref=0.0,
            limits=None,
            damping=0.0,
            friction=0.0,
            spring=None,
            rotor=None,
            start=None,
            mimic=None,
            remaining=None,
        )

    def reversed(self) -> "RobotJoint":
        """The joint from the child to the parent, with the same coordinate; that of a spherical joint is the inverse rotation."""
        if self.kind not in (*ONE_COORDINATE, "fixed", "spherical"):
            raise UnsupportedError(f"{self.place}: joint '{self.name}' is {self.kind}, and cannot be passed from its child to its parent.")
        X = self.X_PC
        return replace(
            self, parent=self.child, child=self.parent, X_PC=X.inverse(), axis=-(X.R @ self.axis), anchor=X.R @ self.anchor + X.p
        )

    def as_base(self, *, floating: bool) -> "RobotJoint":
        """A joint that lets its link move freely, with coordinates of its pose in the parent, or one that fixes it, both at the start."""
        if floating == (self.kind == "floating"):
            return self
        pose = self.X_PC @ self._pose_of_start()
        if not floating:
            return replace(self, kind="fixed", X_PC=pose, start=None)
        return replace(self, kind="floating", X_PC=Transform(), start=np.concatenate([to_quaternion(pose.R), pose.p]))

    def with_start_in_frame(self) -> "RobotJoint":
        """The same joint with coordinates that are 0 (the identity) at the start: of a spherical or floating joint."""
        return replace(self, X_PC=self.X_PC @ self._pose_of_start(), start=None)

    def _pose_of_start(self) -> Transform:
        if self.start is None:
            return Transform()
        if self.kind == "floating":
            return Transform(from_quaternion(self.start[:4]), self.start[4:])
        if self.kind == "spherical":
            R = from_quaternion(self.start)
            return Transform(R, self.anchor - R @ self.anchor)
        return Transform()


def along(direction: Literal["x", "z"], axis: ArrayLike) -> np.ndarray:
    """(3, 3) a rotation with `axis` as its x or z axis; entries are 0 and 1 for an axis of the frame itself, for simpler recordings."""
    axis = np.asarray(axis, dtype=float)
    least = int(np.argmin(np.abs(axis)))
    second = np.eye(3)[least] - axis[least] * axis
    second /= np.linalg.norm(second)
    third = np.cross(axis, second)
    columns = [axis, second, third] if direction == "x" else [second, third, axis]
    return np.array(columns).T + 0.0  # no negative zeros
