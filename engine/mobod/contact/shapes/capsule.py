"""Capsule: a cylinder with a half sphere at each end."""

# Decision: docs/decisions/162-ends-of-capsules.md

from typing import final

import numpy as np

from mobod.contact.shapes.bounded_shape import BoundedShape, LowestPoint
from mobod.contact.shapes.contact_shape import Decorations, Look
from mobod.contact.shapes.drawn_cylinder import cylinder_about_z
from mobod.matter.bodies import decorations
from mobod.matter.parameters import equations
from mobod.scalar import Array, Scalar
from mobod.spatial import Transform
from mobod.system.elements import parameter
from mobod.system.named_arguments import named_arguments


@final
@named_arguments
@equations
class Capsule(BoundedShape):
    """A cylinder about z with a half sphere at each end.

    radius       m
    half_length  m  half of the straight part: the centers of the half spheres are at z = -half_length and half_length
    """

    radius: float = parameter("m", "radius", above=0.0, kw_only=False)
    half_length: float = parameter("m", "half of the straight part", above=0.0, kw_only=False)
    rounding = "ball"
    kernel_kind = "SHAPE_CAPSULE"

    @property
    def features(self) -> tuple[str, ...]:
        """See BoundedShape."""
        return "end_0", "end_1"

    def lowest_points(self, m: Array) -> list[LowestPoint]:
        """See BoundedShape."""
        r = self.radius
        return [LowestPoint(np.array([0.0, 0.0, z]) - r * m, z * m[2] - r) for z in (-self.half_length, self.half_length)]

    def curvatures(self, n: Array, *, as_simbody: bool) -> tuple[Scalar, Scalar]:
        """Those of a half sphere."""
        return 1 / self.radius, 1 / self.radius

    def decorations(self, look: Look) -> Decorations:
        """See ContactShape."""
        ball = decorations.Sphere(self.radius, **look.of_geometry)
        tube = cylinder_about_z(self.radius, self.half_length, look)
        return [tube, *((Transform(p=[0.0, 0.0, z]), ball) for z in (-self.half_length, self.half_length))]
