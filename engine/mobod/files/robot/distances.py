"""Distances between shapes, recorded."""

from typing import Any

from mobod.contact.pairs import pair_of
from mobod.matter import Ground, MobilizedBody
from mobod.scalar import Scalar, minimum
from mobod.spatial import Transform

Placed = tuple[Transform, Any]  # a shape of a pair, and its pose on its body
Body = MobilizedBody | Ground


def distance_shown(one: Placed, other: Placed, most: float, body: Body, other_body: Body, *, state: Any) -> Scalar:
    """m between two shapes, at most `most`."""
    gaps = pair_of(one[1], other[1]).proximities(one[1], body.X_GB(state) @ one[0], other[1], other_body.X_GB(state) @ other[0])
    nearest: Scalar = most
    for gap in gaps:
        nearest = minimum(nearest, gap.distance)
    return nearest
