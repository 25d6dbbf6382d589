"""Springs, dampers, rods and other lines between two points, as patches."""

from collections.abc import Iterator

import numpy as np

from mobod.matter.bodies.decorations import Triple
from mobod.scene.patches import Patch
from mobod.scene.scene import ConnectingLine

_TURNS = 7  # of a spring
_END = 0.14  # of the length: the straight ends of springs and dampers


def connection_patches(connection: ConnectingLine, ends: np.ndarray, colour: Triple, line: float) -> Iterator[Patch]:
    """ends: (2, 2) m, as the camera sees them"""
    length = float(np.linalg.norm(ends[1] - ends[0]))
    width = (1.4 if connection.kind in ("spring", "damper") else 2.5) * line
    if connection.kind == "line" or not length:
        yield Patch(ends, None, colour, width, is_dashed=True)
    elif connection.kind == "rod":
        yield Patch(ends, None, colour, width)
    else:
        radius = min(connection.radius, 0.3 * length)
        along = (ends[1] - ends[0]) / length
        basis = np.array([along * length, np.array([-along[1], along[0]]) * radius])
        for points, fill in _spring() if connection.kind == "spring" else _damper():
            yield Patch(ends[0] + np.array(points) @ basis, fill, colour, width)


Outline = tuple[list[tuple[float, float]], Triple | None]
"""Points, along the length and across in radii, and the fill of a closed one."""


def _spring() -> Iterator[Outline]:
    places = np.linspace(_END, 1 - _END, 4 * _TURNS + 1)
    yield [(0.0, 0.0), *((float(x), float(np.sin(np.pi / 2 * i))) for i, x in enumerate(places)), (1.0, 0.0)], None


def _damper() -> Iterator[Outline]:
    """A rod with a piston, in a cylinder that is open on its side."""
    yield [(0.0, 0.0), (0.35, 0.0)], None
    yield [(0.35, -1.0), (0.75, -1.0), (0.75, 1.0), (0.35, 1.0)], (0.86, 0.88, 0.9)
    yield [(0.55, -0.85), (0.55, 0.85)], None
    yield [(0.55, 0.0), (1.0, 0.0)], None
