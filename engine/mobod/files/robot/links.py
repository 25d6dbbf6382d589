"""Links of a robot, and frames on them."""

from dataclasses import dataclass
from pathlib import Path
from typing import final

from mobod.files.robot.collisions import RobotCollision
from mobod.matter.bodies.decorations import Geometry
from mobod.spatial import MassProperties, Transform

WORLD = "world"  # a root link of this name is Ground


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class RobotLink:
    """A body.

    visuals               pairs (pose in the link's frame, shape), to be drawn
    gravity_compensation  the part of its weight that a force at its mass center carries: 0 none, 1 all of it
    model                 of files with several models: the one that it belongs to
    self_collide          whether its shapes touch those of other links of its model
    """

    name: str
    path: Path
    line: int
    mass_properties: MassProperties
    visuals: tuple[tuple[Transform, Geometry], ...] = ()
    collisions: tuple[RobotCollision, ...] = ()
    gravity_compensation: float = 0.0
    model: str = ""
    self_collide: bool = False

    @property
    def place(self) -> str:
        return f"{self.path}, line {self.line}" if self.line else str(self.path)


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class RobotSite:
    """A frame on a link, for sensors, drives and equalities. X_LS: its pose in the link's frame."""

    name: str
    link: str
    X_LS: Transform
