"""Distances between spheres and capsules. All can be recorded.

Source: Ericson, Real-Time Collision Detection (2005), 5.1.9, for the nearest points of two segments.
"""

from dataclasses import replace

import numpy as np

from mobod.contact.pairs.contact_pair import touching
from mobod.contact.proximity import SINGULAR, Gap
from mobod.contact.shapes import Capsule, Sphere
from mobod.scalar import Array, Scalar, clip, norm, where
from mobod.spatial import Transform, cross

PARALLEL = 1e-10  # squared sine of the angle between axes up to which the ends alone touch
NEARLY_PARALLEL = 1e-2  # squared sine of the angle up to which the ends touch in fixed steps, too
NAMES_OF_TWO_CAPSULES = ("first_end_0", "first_end_1", "second_end_0", "second_end_1", "crossing")


@touching(Sphere, Sphere)
def sphere_sphere_gaps(sphere1: Sphere, X_A1: Transform, sphere2: Sphere, X_A2: Transform) -> list[Gap]:
    return [_between_balls(X_A1.p, sphere1.radius, X_A2.p, sphere2.radius, X_A1.R[:, 2])]


@touching(Sphere, Capsule)
def sphere_capsule_gaps(sphere: Sphere, X_A1: Transform, capsule: Capsule, X_A2: Transform) -> list[Gap]:
    return [_between_ball_and_capsule(X_A1.p, sphere.radius, capsule, X_A2)]


@touching(Capsule, Capsule, names=lambda *capsules: NAMES_OF_TWO_CAPSULES, has_line=True)
def capsule_capsule_gaps(capsule1: Capsule, X_A1: Transform, capsule2: Capsule, X_A2: Transform) -> list[Gap]:
    """The ends of the first against the second capsule, the ends of the second against the first, and the nearest points of both.

    The nearest points are there unless the axes are parallel. Their distance goes on where they pass the end of a straight part: its
    gradient is continuous there. Parallel capsules touch along a line, which their ends hold. Where the axes are nearly parallel, the
    nearest points move along this line faster than fixed steps can follow, so that the ends hold it there, too. Under error control they
    must not: the distance of an end that the nearest points come to falls to theirs, and both cannot be held.
    """
    u, v, w = X_A1.R[:, 2], X_A2.R[:, 2], X_A2.p - X_A1.p
    h1, h2, size = capsule1.half_length, capsule2.half_length, capsule1.radius + capsule2.radius
    across = cross(u, v)
    D, b = across @ across, u @ v
    are_skew = D > PARALLEL
    safe_D = where(are_skew, D, PARALLEL)

    # where the straight line through the first is nearest to the other one; then where the straight parts are. Where the axes are parallel,
    # the point goes on without a jump, because steps look beyond the presence of a row that they hold
    s_line = (u @ w - b * (v @ w)) / safe_D
    t = clip(b * clip(s_line, -h1, h1) - v @ w, -h2, h2)
    s = clip(b * t + u @ w, -h1, h1)
    instead = where(are_skew, across / np.sqrt(safe_D), X_A1.R[:, 0])
    nearest = _between_balls(X_A1.p + s * u, capsule1.radius, X_A2.p + t * v, capsule2.radius, instead)

    nearest = replace(nearest, presence=size * (D / PARALLEL - 1))
    first = [_between_ball_and_capsule(c, capsule1.radius, capsule2, X_A2) for c in _ends(capsule1, X_A1)]
    second = [_between_ball_and_capsule(c, capsule2.radius, capsule1, X_A1).reversed() for c in _ends(capsule2, X_A2)]
    are_parallel, are_nearly_parallel = size * (1 - D / PARALLEL), size * (1 - D / NEARLY_PARALLEL)
    ends = [replace(each, presence=are_parallel, presence_in_steps=are_nearly_parallel) for each in (*first, *second)]
    return [*ends, nearest]


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
