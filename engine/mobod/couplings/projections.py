"""Nearest rotations that leave an axis in place, and the displacement of a frame from another; can be recorded."""

import numpy as np
from numpy.typing import ArrayLike

from mobod.scalar import Array, Scalar, maximum, where
from mobod.spatial import Transform, cross_matrix

# below this (1 - cos) of half a turn the axes count as opposite
_OPPOSITE = 1e-14
# below this sine of the angle, squared, angle / sine is taken from its series, whose remainder is then under 1e-18
_SERIES = 1e-3
# quadratic convergence: 6 are enough near the surface, more where the axes are of very different lengths
_NEWTON_STEPS = 20


def with_z_aligned(R_CD: Array) -> Array:
    """R_CD after the shortest rotation that takes z of C to z of D; by half a turn about x if they are opposite."""
    x, y, z = R_CD[:, 2]
    V = cross_matrix(np.array([y, -x, 0]))  # z of C times z of D
    is_opposite = 1 + z < _OPPOSITE
    shortest = np.eye(3) + V + V @ V / where(is_opposite, 1.0, 1 + z)
    return where(is_opposite, np.diag([1.0, -1.0, -1.0]), shortest) @ R_CD


def displacement(T: Transform) -> Array:
    """(6,) position and rotation vector (axis times angle) of a pose."""
    return np.concatenate([T.p, rotation_vector(T.R)])


def rotation_vector(R: Array) -> Array:
    """(3,) axis times angle. It is smooth except at half a turn, where the axis is not unique and the result is 0."""
    s = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2  # axis times sine
    c = (R[0, 0] + R[1, 1] + R[2, 2] - 1) / 2
    square = s @ s
    is_small = (square < _SERIES) & (c > 0)
    guarded = where(square == 0, 1.0, square)
    sine = np.sqrt(where(is_small, 1.0, guarded))
    # arcsin(x) / x
    series = 1 + square * (1 / 6 + square * (3 / 40 + square * (15 / 336 + square * (105 / 3456 + square * 945 / 42240))))
    return s * where(is_small, series, np.arctan2(sine, c) / sine)


def with_column_raised(R: Array, column: int, elevation: Scalar) -> Array:
    """R after the shortest rotation that brings a column of it to an elevation (rad) above the x-y plane; about x if it stands upright."""
    x, y, z = R[:, column]
    length = np.sqrt(where((x == 0) & (y == 0), 1.0, x * x + y * y))
    is_upright = (x == 0) & (y == 0)
    axis = np.array([where(is_upright, 1.0, y / length), where(is_upright, 0.0, -x / length), 0])
    angle = elevation - np.arctan2(z, where(is_upright, 0.0, length))
    K = cross_matrix(axis)
    return R + np.sin(angle) * (K @ R) + (1 - np.cos(angle)) * (K @ (K @ R))


def nearest_on_ellipsoid(p: Array, radii: ArrayLike) -> Array:
    """(3,) the point of the ellipsoid x^2/a^2 + y^2/b^2 + z^2/c^2 = 1 that is nearest to p; NaN at its center.

    p - x = t (x/a^2, y/b^2, z/c^2): Newton's method for t, from where it converges from one side.
    Source: Eberly, Distance from a Point to an Ellipse, an Ellipsoid, or a Hyperellipsoid (2013), section 3.
    """
    a = np.array(radii)
    square = a * a
    scaled = a * np.abs(p)
    t = maximum(maximum(scaled[0] - square[0], scaled[1] - square[1]), scaled[2] - square[2])
    for _ in range(_NEWTON_STEPS):
        r = scaled / (t + square)
        t = t + (r @ r - 1) / (2 * (r * r / (t + square)).sum())
    return square * p / (t + square)
