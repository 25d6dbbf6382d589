"""How near two shapes are to each other at one feature."""

from dataclasses import dataclass, replace
from typing import final

from mobod.matter.unilateral.contact_events import FAR
from mobod.scalar import Array, Scalar, where

ABSENT = FAR  # the distance of a feature that is not there: rows with such a distance have no bound
SINGULAR = 1e-9  # regularity at which a fixed direction replaces the one that is not determined


@final
@dataclass(frozen=True)
class Gap:
    """The nearest points of two shapes at one feature, in a frame A. Numbers may be recorded.

    distance    ()    m  negative where the shapes overlap; it goes on smoothly where the feature is not there
    normal      (3,)  1  unit vector from shape 1 to shape 2
    point       (3,)  m  midpoint between the nearest points of both shapes
    regularity  ()    1  0 where the nearest points or the normal are not determined; 1, or of this order, far from there. Second
                         derivatives of the distance grow as its inverse.
    presence    ()    m  the feature is there where this is at least 0; None: it is always there. It says so under error control, where
                         features that move along each other must not touch together
    presence_in_steps    the same in fixed steps; None: the same number
    """

    distance: Scalar
    normal: Array
    point: Array
    regularity: Scalar
    presence: Scalar | None = None
    presence_in_steps: Scalar | None = None

    def reversed(self) -> "Gap":
        """The same with the shapes in the other order."""
        return replace(self, normal=-self.normal)


@final
@dataclass(frozen=True)
class Proximity:
    """A Gap with tangents.

    gap         ()      m  distance between the points, also where the feature is not there
    normal      (3,)    1  unit vector from shape 1 to shape 2
    point       (3,)    m  midpoint between the nearest points of both shapes
    tangents    (2, 3)  1  unit vectors, normal to each other and to the normal; their cross product is the normal
    regularity  ()      1  see Gap
    presences   (2,)    m  of the feature under error control, and in fixed steps: see Gap
    """

    gap: Scalar
    normal: Array
    point: Array
    tangents: Array
    regularity: Scalar
    presences: tuple[Scalar, Scalar] | None

    @property
    def distance(self) -> Scalar:
        """() m, negative where the shapes overlap; ABSENT if the feature is not there in fixed steps."""
        return self.gap if self.presences is None else distance_if_present(self.gap, self.presences[1])

    @property
    def point1(self) -> Array:
        """(3,) m, the nearest point of shape 1, in A."""
        return self.point - self.gap / 2 * self.normal

    @property
    def point2(self) -> Array:
        """(3,) m, the nearest point of shape 2, in A."""
        return self.point + self.gap / 2 * self.normal


def distance_if_present(gap: Scalar, presence: Scalar) -> Scalar:
    """The gap where the presence is at least 0, otherwise ABSENT."""
    return where(presence >= 0, gap, ABSENT)
