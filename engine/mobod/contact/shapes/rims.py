"""Parts of shapes with a rim. Rims lie about z."""

from operator import index

import numpy as np

from mobod.contact.proximity import SINGULAR
from mobod.errors import InputError
from mobod.scalar import Array, Scalar, norm, where

MOST_POINTS = 100  # on a rim


def checked_points(owner: str, points: object) -> int:
    """The number of points that are fixed on a rim: 0 or 3 to MOST_POINTS. Raises InputError."""
    try:
        count = -1 if isinstance(points, bool) else index(points)  # type: ignore[arg-type] # what has no index is refused below
    except TypeError:
        count = -1
    if count != 0 and not 3 <= count <= MOST_POINTS:
        raise InputError(f"{owner}: points is {points!r}. It must be 0, or a whole number from 3 to {MOST_POINTS}.")
    return count


def points_on_rim(radius: Scalar, n: int, z: Scalar) -> list[tuple[Scalar, Scalar, Scalar]]:
    """The points that are fixed on it, the first one on x."""
    angles = 2 * np.pi * np.arange(n) / n
    return [(radius * np.cos(a), radius * np.sin(a), z) for a in angles]


def lowest_direction(m: Array) -> tuple[Array, Scalar, Scalar]:
    """(direction (3,), extent, regularity): the direction of m's part in the x-y plane, that part's length, and the same as regularity.

    Where that part vanishes the direction is x, and the extent m_x, so that the distance has the rate of the point that is taken.
    """
    g = norm(m[:2])
    is_regular = g > SINGULAR
    length = where(is_regular, g, 1.0)
    direction = np.array([where(is_regular, m[0] / length, 1.0), where(is_regular, m[1] / length, 0.0), 0.0])
    return direction, where(is_regular, g, m[0]), g


def lean_of_rim(R_AH: Array, R_AS: Array) -> Array:
    """(2,) the axis of a shape with a rim, along the x and y axes of a half-space's frame: 0 where the shape lies flat, and of length 1
    where it stands on its rim. The nearest point is in the opposite direction. A spin about the axis does not change it.
    """
    return R_AH[:, :2].T @ R_AS[:, 2]
