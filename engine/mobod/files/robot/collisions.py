"""Shapes of links that touch others, if contact is asked for."""

from dataclasses import dataclass
from pathlib import Path
from typing import final

from mobod.contact import ContactShape
from mobod.files.findings import Finding
from mobod.matter.bodies.decorations import MeshFile
from mobod.spatial import Transform


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class RobotCollision:
    """A shape that touches others.

    X_BS      pose in the link's frame
    shape     a MeshFile stands for the convex hull of its vertices; None for one that cannot be used
    friction  coefficient of friction; None: the file has none
    bits      groups that it belongs to and groups that it touches. Two shapes touch if a group of one is touched by the other, in at least
              one direction. None: it touches all
    name      in the file; may be empty
    findings  what was changed or ignored
    error     why it cannot be used
    """

    path: Path
    line: int
    X_BS: Transform
    shape: ContactShape | MeshFile | None
    friction: float | None = None
    bits: tuple[int, int] | None = None
    name: str = ""
    findings: tuple[Finding, ...] = ()
    error: str = ""

    @property
    def place(self) -> str:
        return f"{self.path}, line {self.line}"
