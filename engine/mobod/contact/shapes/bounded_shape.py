"""BoundedShape: the base of the shapes that lie on a half-space."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.contact.shapes.contact_shape import ContactShape
from mobod.scalar import Array, Scalar


@final
@dataclass(frozen=True)
class LowestPoint:
    """The point of a shape that is lowest in a direction m.

    p           (3,)  m  in the shape's frame
    height      ()    m  m . p
    regularity  ()    1  see Gap
    """

    p: Array
    height: Scalar
    regularity: Scalar = 1.0


class BoundedShape(ContactShape):
    """Base class of all shapes but the half-space. Some of their points are the nearest ones to a plane: their features."""

    @property
    def features(self) -> tuple[str, ...]:
        """The names of its points that may touch a half-space."""
        return ("point",)

    @abstractmethod
    def lowest_points(self, m: Array) -> list[LowestPoint]:
        """The points of its features, for a half-space whose normal is m (3,), in the shape's frame. Recorded."""


def lowest_of(points: Sequence[object], m: Array) -> list[LowestPoint]:
    """Of a shape whose points (3,) are fixed."""
    return [LowestPoint(p, m @ p) for p in (np.array(point) for point in points)]
