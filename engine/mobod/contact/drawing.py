"""Shapes of contacts as decorations, for pages and scenes."""

from collections.abc import Sequence

from mobod.contact.shapes import ContactShape
from mobod.contact.shapes.contact_shape import Look
from mobod.contact.triangle_mesh import TriangleMesh
from mobod.matter.bodies.decorations import Geometry
from mobod.spatial import Transform

COLOR = (0.9, 0.6, 0.2)


def decorations_of(
    shape: ContactShape | TriangleMesh, *, size: float = 2.0, color: Sequence[float] = COLOR, opacity: float = 1.0
) -> tuple[tuple[Transform, Geometry], ...]:
    """What draws a shape: decorations with their poses in its frame. On a body:

        for X_SD, geometry in mb.contact.decorations_of(shape):
            body.add_body_decoration(X_BS @ X_SD, geometry)

    size     m, of the square plate that stands for a half-space, from its middle to an edge
    color    red, green, blue, each from 0 to 1
    opacity  from 0 to 1

    Raises InputError for invalid numbers.
    """
    red, green, blue = color
    return tuple(shape.decorations(Look(size, (red, green, blue), opacity)))
