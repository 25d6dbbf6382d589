"""Shapes of links that touch others, if contact is asked for."""

from dataclasses import dataclass
from pathlib import Path
from typing import final

from mobod.contact import ContactShape
from mobod.files.findings import Finding
from mobod.files.robot.height_image import HeightImage
from mobod.matter.bodies.decorations import Mesh, MeshFile
from mobod.spatial import Transform


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class RobotCollision:
    """A shape that touches others.

    X_BS      pose in the link's frame
    shape     a MeshFile or a Mesh stands for the convex hull of its vertices, a HeightImage for its field; None for one that cannot be used
    friction  coefficient of friction; None: the file has none
    torsional_friction, rolling_friction  m, against spin and against rolling, per normal force
    condim    the kinds of friction that it has, if the file has a rule for pairs: 1 none, 3 against sliding, 4 against spin too, 6 against
              rolling too
    bits      groups that it belongs to and groups that it touches. Two shapes touch if a group of one is touched by the other, in at least
              one direction. None: it touches all
    priority  the friction of the shape with the higher one acts, if the file has a rule for pairs
    stiffness, dissipation  N/m and s/m of a linear law of this surface, in series with the other one; None: the file has none
    name      in the file; may be empty
    findings  what was changed or ignored
    error     why it cannot be used
    """

    path: Path
    line: int
    X_BS: Transform
    shape: ContactShape | MeshFile | Mesh | HeightImage | None
    friction: float | None = None
    torsional_friction: float = 0.0
    rolling_friction: float = 0.0
    condim: int = 3
    bits: tuple[int, int] | None = None
    priority: int = 0
    stiffness: float | None = None
    dissipation: float = 0.0
    name: str = ""
    findings: tuple[Finding, ...] = ()
    error: str = ""

    @property
    def place(self) -> str:
        return f"{self.path}, line {self.line}" if self.line else str(self.path)
