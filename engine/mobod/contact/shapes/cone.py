"""Cone, whose rim and tip touch."""

from typing import final

import numpy as np

from mobod.contact.shapes.bounded_shape import BoundedShape, LowestPoint, lowest_of
from mobod.contact.shapes.contact_shape import Decorations, Look
from mobod.contact.shapes.rims import checked_points, lowest_direction, points_on_rim
from mobod.matter.bodies import decorations
from mobod.matter.parameters import equations
from mobod.scalar import Array
from mobod.spatial import Transform
from mobod.system.elements import parameter
from mobod.system.named_arguments import named_arguments

AROUND = 48  # facets that draw a cone


@final
@named_arguments
@equations
class Cone(BoundedShape):
    """A cone about z, from its base at z = -half_length to its tip at half_length. The rim of its base and its tip touch half-spaces.

    radius       m  of its base
    half_length  m
    points       0: the nearest point of the rim touches, which moves around the rim; it is not determined where the cone stands upright.
                 3 or more: this many points that are fixed on the rim touch instead, the first one on x, so that it can stand.
    """

    radius: float = parameter("m", "radius of the base", above=0.0, kw_only=False)
    half_length: float = parameter("m", "half of the length", above=0.0, kw_only=False)
    points: int = 0
    kernel_kind = "SHAPE_CONE"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "points", checked_points("Cone", self.points))

    @property
    def features(self) -> tuple[str, ...]:
        """See BoundedShape."""
        return (*(tuple(f"rim_point_{i}" for i in range(self.points)) or ("rim",)), "tip")

    @property
    def has_rim(self) -> bool:
        """See ContactShape."""
        return not self.points

    def lowest_points(self, m: Array) -> list[LowestPoint]:
        """See BoundedShape."""
        base, tip = -self.half_length, lowest_of([(0.0, 0.0, self.half_length)], m)
        if self.points:
            return [*lowest_of(points_on_rim(self.radius, self.points, base), m), *tip]
        direction, extent, regularity = lowest_direction(m)
        on_rim = LowestPoint(np.array([0.0, 0.0, base]) - self.radius * direction, base * m[2] - self.radius * extent, regularity)
        return [on_rim, *tip]

    def decorations(self, look: Look) -> Decorations:
        """See ContactShape."""
        rim = points_on_rim(self.radius, AROUND, -self.half_length)
        ends = (0.0, 0.0, -self.half_length), (0.0, 0.0, self.half_length)
        faces = []
        for i in range(AROUND):
            following = (i + 1) % AROUND
            faces += [(AROUND, following, i), (AROUND + 1, i, following)]
        return [(Transform(), decorations.Mesh((*rim, *ends), tuple(faces), **look.of_geometry))]
