"""Sphere, about the origin."""

from typing import final

from mobod.contact.shapes.bounded_shape import BoundedShape, LowestPoint
from mobod.contact.shapes.contact_shape import Decorations, Look
from mobod.matter.bodies import decorations
from mobod.matter.parameters import equations
from mobod.scalar import Array, Scalar, norm, where
from mobod.spatial import Transform
from mobod.system.elements import parameter
from mobod.system.named_arguments import named_arguments


@final
@named_arguments
@equations
class Sphere(BoundedShape):
    """A sphere about the origin.

    radius  m
    """

    radius: float = parameter("m", "radius", above=0.0, kw_only=False)
    rounding = "ball"
    kernel_kind = "SHAPE_BALL"
    touches_meshes = True

    def lowest_points(self, m: Array) -> list[LowestPoint]:
        """See BoundedShape."""
        return [LowestPoint(-self.radius * m, -self.radius)]

    def curvatures(self, n: Array, *, as_simbody: bool) -> tuple[Scalar, Scalar]:
        """See ContactShape."""
        return 1 / self.radius, 1 / self.radius

    def gap_of_point(self, p: Array, X_AS: Transform) -> tuple[Scalar, Array]:
        """See ContactShape."""
        delta = p - X_AS.p
        length = norm(delta)
        is_off = length > 0
        return length - self.radius, where(is_off, delta / where(is_off, length, 1.0), X_AS.R[:, 2])

    def decorations(self, look: Look) -> Decorations:
        """See ContactShape."""
        return [(Transform(), decorations.Sphere(self.radius, **look.of_geometry))]
