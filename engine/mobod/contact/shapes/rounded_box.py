"""RoundedBox: a box with edges and corners of one radius."""

from itertools import product
from typing import final

import numpy as np

from mobod.contact.shapes.bounded_shape import BoundedShape, LowestPoint
from mobod.contact.shapes.contact_shape import Decorations, Look
from mobod.matter.bodies import decorations
from mobod.matter.bodies.decorations import Triple
from mobod.matter.parameters import equations
from mobod.scalar import Array, Scalar
from mobod.spatial import Transform, rotation_x, rotation_z
from mobod.system.elements import parameter
from mobod.system.named_arguments import named_arguments


@final
@named_arguments
@equations
class RoundedBox(BoundedShape):
    """A box over which a ball is swept: all within `radius` of a box about the origin. Its corners, which are parts of balls, touch
    half-spaces.

    half_lengths  (3,)  m  half of the edges of the box inside, along x, y and z: the whole is longer by the radius at each end
    radius        ()    m  of edges and corners
    """

    half_lengths: Triple = parameter("m", "half of the edges of the box inside", shape=(3,), above=0.0, kw_only=False)
    radius: float = parameter("m", "radius of edges and corners", above=0.0, kw_only=False)
    rounding = "ball"
    kernel_kind = "SHAPE_ROUNDED_BOX"

    @property
    def features(self) -> tuple[str, ...]:
        """See BoundedShape."""
        return tuple(f"corner_{i}" for i in range(8))

    def lowest_points(self, m: Array) -> list[LowestPoint]:
        """See BoundedShape."""
        r = self.radius
        centers = [np.array(center) for center in product(*((-half, half) for half in self.half_lengths))]
        return [LowestPoint(center - r * m, m @ center - r) for center in centers]

    def curvatures(self, n: Array, *, as_simbody: bool) -> tuple[Scalar, Scalar]:
        """Those of the balls at its corners."""
        return 1 / self.radius, 1 / self.radius

    def decorations(self, look: Look) -> Decorations:
        """See ContactShape."""
        (x, y, z), r = self.half_lengths, self.radius
        drawn: Decorations = [
            (Transform(), decorations.Box((x + r * (k == 0), y + r * (k == 1), z + r * (k == 2)), **look.of_geometry)) for k in range(3)
        ]
        # cylinders of decorations lie along y
        for k, R in enumerate((rotation_z(np.pi / 2), np.eye(3), rotation_x(np.pi / 2))):
            edge = decorations.Cylinder(r, self.half_lengths[k], **look.of_geometry)
            ends = [(0.0,) if i == k else (-half, half) for i, half in enumerate(self.half_lengths)]
            drawn += [(Transform(R, list(p)), edge) for p in product(*ends)]
        ball = decorations.Sphere(r, **look.of_geometry)
        return drawn + [(Transform(p=list(p)), ball) for p in product((-x, x), (-y, y), (-z, z))]
