"""Torus: a tire, or the foot of a glass."""

from typing import final

import numpy as np

from mobod.contact.shapes.bounded_shape import BoundedShape, LowestPoint
from mobod.contact.shapes.contact_shape import LEAST_RATIO, Decorations, Look
from mobod.contact.shapes.rims import lowest_direction
from mobod.matter.bodies import decorations
from mobod.matter.bodies.decorations import Triple
from mobod.matter.parameters import equations
from mobod.scalar import Array, Scalar, maximum, norm
from mobod.spatial import Transform
from mobod.system.elements import parameter
from mobod.system.named_arguments import named_arguments

AROUND, ACROSS = 48, 16  # facets that draw a torus, around its axis and across the tube


@final
@named_arguments
@equations
class Torus(BoundedShape):
    """A torus about z: a tire, or the foot of a glass.

    radius       m  of the circle in the x-y plane that is the center of the tube
    tube_radius  m
    """

    radius: float = parameter("m", "radius of the circle at the center of the tube", above=0.0, kw_only=False)
    tube_radius: float = parameter("m", "radius of the tube", above=0.0, kw_only=False)
    rounding = "ellipsoid"

    @property
    def has_rim(self) -> bool:
        """See ContactShape."""
        return True

    def lowest_points(self, m: Array) -> list[LowestPoint]:
        """See BoundedShape."""
        direction, extent, regularity = lowest_direction(m)
        p = -self.radius * direction - self.tube_radius * m
        return [LowestPoint(p, -self.radius * extent - self.tube_radius, regularity)]

    def curvatures(self, n: Array, *, as_simbody: bool) -> tuple[Scalar, Scalar]:
        """See ContactShape."""
        outward = norm(n[:2])
        most = 1 / self.tube_radius
        return most, maximum(outward / (self.radius + outward * self.tube_radius), LEAST_RATIO * most)

    def decorations(self, look: Look) -> Decorations:
        """See ContactShape."""
        return [(Transform(), decorations.Mesh(*self._facets(), **look.of_geometry))]

    def _facets(self) -> tuple[tuple[Triple, ...], tuple[tuple[int, int, int], ...]]:
        """Vertices and faces, counterclockwise seen from outside."""
        vertices, faces = [], []
        for i in range(AROUND):
            for k in range(ACROSS):
                a, b = 2 * np.pi * i / AROUND, 2 * np.pi * k / ACROSS
                distance = self.radius + self.tube_radius * np.cos(b)
                vertices.append((distance * np.cos(a), distance * np.sin(a), self.tube_radius * np.sin(b)))
                next_i, next_k = (i + 1) % AROUND, (k + 1) % ACROSS
                corners = [each * ACROSS + other for each, other in ((i, k), (next_i, k), (next_i, next_k), (i, next_k))]
                faces += [(corners[0], corners[1], corners[2]), (corners[0], corners[2], corners[3])]
        return tuple(vertices), tuple(faces)
