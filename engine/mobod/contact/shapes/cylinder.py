"""Cylinder, whose rims touch."""

from typing import final

import numpy as np

from mobod.contact.shapes.bounded_shape import BoundedShape, LowestPoint, lowest_of
from mobod.contact.shapes.contact_shape import Decorations, Look
from mobod.contact.shapes.drawn_cylinder import cylinder_about_z
from mobod.contact.shapes.rims import checked_points, lowest_direction, points_on_rim
from mobod.matter.parameters import equations
from mobod.scalar import Array
from mobod.system.elements import parameter
from mobod.system.named_arguments import named_arguments


@final
@named_arguments
@equations
class Cylinder(BoundedShape):
    """A cylinder about z, from z = -half_length to half_length. Its two rims touch.

    radius       m
    half_length  m
    points       0: the nearest point of each rim touches, which moves around the rim; it is not determined where the cylinder stands
                 upright. 3 or more: this many points that are fixed on each rim touch instead, the first one on x, so that it can stand.
    """

    radius: float = parameter("m", "radius", above=0.0, kw_only=False)
    half_length: float = parameter("m", "half of the length", above=0.0, kw_only=False)
    points: int = 0
    kernel_kind = "SHAPE_CYLINDER"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "points", checked_points("Cylinder", self.points))

    @property
    def features(self) -> tuple[str, ...]:
        """See BoundedShape."""
        if not self.points:
            return "rim_0", "rim_1"
        return tuple(f"rim_{rim}_point_{i}" for rim in range(2) for i in range(self.points))

    @property
    def has_rim(self) -> bool:
        """See ContactShape."""
        return not self.points

    def lowest_points(self, m: Array) -> list[LowestPoint]:
        """See BoundedShape."""
        ends = (-self.half_length, self.half_length)
        if self.points:
            return lowest_of([point for z in ends for point in points_on_rim(self.radius, self.points, z)], m)
        direction, extent, regularity = lowest_direction(m)
        return [LowestPoint(np.array([0.0, 0.0, z]) - self.radius * direction, z * m[2] - self.radius * extent, regularity) for z in ends]

    def decorations(self, look: Look) -> Decorations:
        """See ContactShape."""
        return [cylinder_about_z(self.radius, self.half_length, look)]
