"""Distances between spheres and capsules. All can be recorded.

Source: Ericson, Real-Time Collision Detection (2005), 5.1.9, for the nearest points of two straight lines.
"""

import numpy as np

from mobod.contact.proximity import ABSENT, SINGULAR, Gap
from mobod.contact.shapes import Capsule, Sphere
from mobod.scalar import Array, Scalar, clip, norm, where
from mobod.spatial import Transform, cross

PARALLEL = 1e-12  # squared sine of the angle between axes that have no crossing point
CROSSING_NAMES = ("first_end_0", "first_end_1", "second_end_0", "second_end_1", "crossing")


def sphere_sphere_gaps(sphere1: Sphere, X_A1: Transform, sphere2: Sphere, X_A2: Transform) -> list[Gap]:
    return [_between_balls(X_A1.p, sphere1.radius, X_A2.p, sphere2.radius, X_A1.R[:, 2])]


def sphere_capsule_gaps(sphere: Sphere, X_A1: Transform, capsule: Capsule, X_A2: Transform) -> list[Gap]:
    return [_between_ball_and_capsule(X_A1.p, sphere.radius, capsule, X_A2)]


def capsule_capsule_gaps(capsule1: Capsule, X_A1: Transform, capsule2: Capsule, X_A2: Transform) -> list[Gap]:
    """The ends of the first against the second capsule, the ends of the second against the first, and the crossing of both."""
    first = [_between_ball_and_capsule(c, capsule1.radius, capsule2, X_A2) for c in _ends(capsule1, X_A1)]
    second = [_between_ball_and_capsule(c, capsule2.radius, capsule1, X_A1).reversed() for c in _ends(capsule2, X_A2)]
    return [*first, *second, _crossing(capsule1, X_A1, capsule2, X_A2)]


def _ends(capsule: Capsule, X: Transform) -> tuple[Array, Array]:
    along = capsule.half_length * X.R[:, 2]
    return X.p - along, X.p + along


def _between_balls(c1: Array, r1: Scalar, c2: Array, r2: Scalar, instead: Array) -> Gap:
    """The gap between two balls; `instead` is the normal if they have the same center."""
    delta, size = c2 - c1, r1 + r2
    length = norm(delta)
    is_regular = length > SINGULAR * size
    normal = where(is_regular, delta / where(is_regular, length, 1.0), instead)
    distance = where(is_regular, length, instead @ delta) - size
    return Gap(distance, normal, c1 + (r1 + distance / 2) * normal, length / size)


def _between_ball_and_capsule(c: Array, r: Scalar, capsule: Capsule, X_AC: Transform) -> Gap:
    """From the ball to the capsule."""
    axis = X_AC.R[:, 2]
    nearest = X_AC.p + clip(axis @ (c - X_AC.p), -capsule.half_length, capsule.half_length) * axis
    return _between_balls(c, r, nearest, capsule.radius, X_AC.R[:, 0])


def _crossing(capsule1: Capsule, X_A1: Transform, capsule2: Capsule, X_A2: Transform) -> Gap:
    """The gap where the axes are nearest to each other; absent unless that is within both straight parts."""
    u, v, w = X_A1.R[:, 2], X_A2.R[:, 2], X_A2.p - X_A1.p
    across = cross(u, v)
    D = across @ across
    are_skew = D > PARALLEL
    safe_D = where(are_skew, D, 1.0)
    b = u @ v
    s, t = (u @ w - b * (v @ w)) / safe_D, (b * (u @ w) - v @ w) / safe_D
    instead = where(are_skew, across / np.sqrt(safe_D), X_A1.R[:, 0])
    gap = _between_balls(X_A1.p + s * u, capsule1.radius, X_A2.p + t * v, capsule2.radius, instead)
    exists = are_skew & (np.abs(s) <= capsule1.half_length) & (np.abs(t) <= capsule2.half_length)
    return Gap(where(exists, gap.distance, ABSENT), gap.normal, gap.point, gap.regularity)
