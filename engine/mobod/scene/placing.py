"""Poses of shapes whose axes have given directions."""

import numpy as np
from numpy.typing import ArrayLike

from mobod.matter.bodies.decorations import Triple
from mobod.spatial import Transform, cross


def with_y_along(direction: np.ndarray, p: np.ndarray) -> Transform:
    """A pose whose y axis has the direction, a unit vector, as the axis of a Cylinder has."""
    x = perpendicular_to(direction)
    return Transform.of(np.array([x, direction, cross(x, direction)]).T, p)


def with_z_along(direction: np.ndarray, p: np.ndarray, x: np.ndarray | None = None) -> Transform:
    """A pose whose z axis has the direction, a unit vector; x: a unit vector at right angles to it."""
    x = perpendicular_to(direction) if x is None else x
    return Transform.of(np.array([x, cross(direction, x), direction]).T, p)


def perpendicular_to(direction: np.ndarray) -> np.ndarray:
    """A unit vector (3,) at right angles to a unit vector."""
    x = cross(direction, np.array([0.0, 0.0, 1.0] if abs(direction[2]) < 0.9 else [1.0, 0.0, 0.0]))
    return x / np.sqrt(x @ x)


def across(direction: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """(3,) the part of a vector at right angles to a unit vector."""
    return vector - (vector @ direction) * direction


def triple(vector: ArrayLike) -> Triple:
    """Three numbers as a tuple."""
    x, y, z = map(float, np.asarray(vector))
    return x, y, z
