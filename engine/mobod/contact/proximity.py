"""How near two shapes are to each other at one feature."""

from dataclasses import dataclass
from typing import final

from mobod.matter.unilateral.contact_events import FAR
from mobod.scalar import Array, Scalar

ABSENT = FAR  # the distance of a feature that is not there: rows with such a distance have no bound
SINGULAR = 1e-9  # regularity at which a fixed direction replaces the one that is not determined


@final
@dataclass(frozen=True)
class Gap:
    """The nearest points of two shapes at one feature, in a frame A. Numbers may be recorded.

    distance    ()    m  negative where the shapes overlap; ABSENT if the feature is not there
    normal      (3,)  1  unit vector from shape 1 to shape 2
    point       (3,)  m  midpoint between the nearest points of both shapes
    regularity  ()    1  0 where the nearest points or the normal are not determined; 1, or of this order, far from there. Second
                         derivatives of the distance grow as its inverse.
    """

    distance: Scalar
    normal: Array
    point: Array
    regularity: Scalar

    def reversed(self) -> "Gap":
        """The same with the shapes in the other order."""
        return Gap(self.distance, -self.normal, self.point, self.regularity)


@final
@dataclass(frozen=True)
class Proximity:
    """A Gap with tangents.

    distance    ()      m  negative where the shapes overlap; ABSENT if the feature is not there
    normal      (3,)    1  unit vector from shape 1 to shape 2
    point       (3,)    m  midpoint between the nearest points of both shapes
    tangents    (2, 3)  1  unit vectors, normal to each other and to the normal; their cross product is the normal
    regularity  ()      1  see Gap
    """

    distance: Scalar
    normal: Array
    point: Array
    tangents: Array
    regularity: Scalar

    @property
    def point1(self) -> Array:
        """(3,) m, the nearest point of shape 1, in A."""
        return self.point - self.distance / 2 * self.normal

    @property
    def point2(self) -> Array:
        """(3,) m, the nearest point of shape 2, in A."""
        return self.point + self.distance / 2 * self.normal
