"""Circle: the edge of a thin wheel or of a coin."""

# Decision: docs/decisions/158-flat-rims.md

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

RING = 0.1  # width of the ring that stands for a circle, relative to its radius


@final
@named_arguments
@equations
class Circle(BoundedShape):
    """A circle about z, in the x-y plane: the edge of a thin wheel or of a coin.

    radius  m
    points  0: the nearest point touches, which moves around the circle; it is not determined where the circle lies flat. 3 or more: this
            many points that are fixed on the circle touch instead, the first one on x, so that it can lie.
    """

    radius: float = parameter("m", "radius", above=0.0, kw_only=False)
    points: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "points", checked_points("Circle", self.points))

    @property
    def features(self) -> tuple[str, ...]:
        """See BoundedShape."""
        return tuple(f"point_{i}" for i in range(self.points)) if self.points else super().features

    @property
    def has_rim(self) -> bool:
        """See ContactShape."""
        return not self.points

    def lowest_points(self, m: Array) -> list[LowestPoint]:
        """See BoundedShape."""
        if self.points:
            return lowest_of(points_on_rim(self.radius, self.points, 0.0), m)
        direction, extent, regularity = lowest_direction(m)
        return [LowestPoint(-self.radius * direction, -self.radius * extent, regularity)]

    def decorations(self, look: Look) -> Decorations:
        """A flat ring."""
        return [(Transform(), decorations.Arc(self.radius, RING * self.radius, -np.pi, np.pi, **look.of_geometry))]
