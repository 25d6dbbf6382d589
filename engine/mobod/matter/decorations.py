"""Decorations: what may be drawn with a body, as plain data. Lengths in m."""

from dataclasses import dataclass
from typing import Literal

from mobod.spatial import Transform


@dataclass(frozen=True, kw_only=True)
class Geometry:
    """A shape about its own origin; subclasses say which.

    color    red, green, blue, each from 0 to 1
    opacity  from 0 to 1
    """

    color: tuple[float, float, float] = (0.6, 0.6, 0.6)
    opacity: float = 1.0


@dataclass(frozen=True)
class Decoration:
    """A shape and where it is: at X in the body's frame, in the mobilizer's frame M (outboard), or in F on the parent (inboard)."""

    frame: Literal["body", "outboard", "inboard"]
    X: Transform
    geometry: Geometry
