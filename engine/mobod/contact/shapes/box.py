"""Box, whose corners touch half-spaces."""

from itertools import product
from typing import final

from mobod.contact.shapes.bounded_shape import BoundedShape, LowestPoint, lowest_of
from mobod.contact.shapes.contact_shape import Decorations, Look
from mobod.matter.bodies import decorations
from mobod.matter.bodies.decorations import Triple
from mobod.matter.parameters import equations
from mobod.scalar import Array
from mobod.spatial import Transform
from mobod.system.elements import parameter
from mobod.system.named_arguments import named_arguments


@final
@named_arguments
@equations
class Box(BoundedShape):
    """A box about the origin. Its corners touch half-spaces.

    half_lengths  (3,)  m  half of the edges along x, y and z
    """

    half_lengths: Triple = parameter("m", "half of the edges along x, y and z", shape=(3,), above=0.0, kw_only=False)
    rounding = "flat"
    kernel_kind = "SHAPE_BOX"

    @property
    def features(self) -> tuple[str, ...]:
        """See BoundedShape."""
        return tuple(f"corner_{i}" for i in range(8))

    def lowest_points(self, m: Array) -> list[LowestPoint]:
        """See BoundedShape."""
        x, y, z = self.half_lengths
        return lowest_of(list(product((-x, x), (-y, y), (-z, z))), m)

    def decorations(self, look: Look) -> Decorations:
        """See ContactShape."""
        return [(Transform(), decorations.Box(self.half_lengths, **look.of_geometry))]
