"""Drawings as data: flat patches from back to front."""

from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.matter.bodies.decorations import Triple


@final
@dataclass(frozen=True)
class Patch:
    """A filled polygon with corners (n, 2); or, without a fill, a line through these points, in pixels from the upper left corner.

    has_pairs  each pair of points is a line of its own
    """

    points: np.ndarray
    fill: Triple | None
    stroke: Triple
    width: float
    opacity: float = 1.0
    is_dashed: bool = False
    has_pairs: bool = False


@final
@dataclass(frozen=True)
class Drawing:
    """parts: from back to front, each with the name of its body or connection"""

    width: int
    height: int
    parts: tuple[tuple[str, tuple[Patch, ...]], ...]
