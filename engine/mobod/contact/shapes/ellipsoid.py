"""Ellipsoid, about the origin."""

from typing import final

import numpy as np

from mobod.contact.shapes.bounded_shape import BoundedShape, LowestPoint
from mobod.contact.shapes.contact_shape import LEAST_RATIO, Decorations, Look
from mobod.contact.tangents import tangents_of
from mobod.forces.contact_laws import eigenvalues
from mobod.matter.bodies import decorations
from mobod.matter.bodies.decorations import Triple
from mobod.matter.parameters import equations
from mobod.scalar import Array, Scalar, maximum, norm
from mobod.spatial import Transform
from mobod.system.elements import parameter
from mobod.system.named_arguments import named_arguments


@final
@named_arguments
@equations
class Ellipsoid(BoundedShape):
    """An ellipsoid about the origin.

    radii  (3,)  m  along x, y and z
    """

    radii: Triple = parameter("m", "along x, y and z", shape=(3,), above=0.0, kw_only=False)
    rounding = "ellipsoid"
    kernel_kind = "SHAPE_ELLIPSOID"

    def lowest_points(self, m: Array) -> list[LowestPoint]:
        """See BoundedShape."""
        radii = np.array(self.radii)
        scaled = radii * m
        extent = np.sqrt(scaled @ scaled)  # at least the smallest radius
        return [LowestPoint(-radii * scaled / extent, -extent)]

    def curvatures(self, n: Array, *, as_simbody: bool) -> tuple[Scalar, Scalar]:
        """See ContactShape."""
        radii = np.array(self.radii)
        T = tangents_of(n)
        of_section = eigenvalues(T @ np.diag(1 / radii**2) @ T.T)  # of the section through the center, 1 / its radii^2
        if as_simbody:
            return np.sqrt(of_section[0]), np.sqrt(of_section[1])
        most, least = (each * norm(radii * n) for each in of_section)
        return most, maximum(least, LEAST_RATIO * most)

    def decorations(self, look: Look) -> Decorations:
        """See ContactShape."""
        return [(Transform(), decorations.Ellipsoid(self.radii, **look.of_geometry))]
