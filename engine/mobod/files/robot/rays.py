"""Distances along a ray to shapes, and between shapes, recorded: what range finders show."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from mobod.contact import Box, Capsule, Cylinder, Ellipsoid, Sphere
from mobod.contact.pairs import pair_of
from mobod.matter import Ground, MobilizedBody
from mobod.scalar import Array, Scalar, maximum, minimum, where
from mobod.spatial import Transform

MISS = 1e100  # m, where the ray meets nothing
NOTHING = -1.0  # what is shown then, as in MuJoCo
_PARALLEL = 1e-15


@final
@dataclass(frozen=True)
class Rectangle:
    """z = 0 of its frame, seen from above; half_lengths, m along x and y; 0: without end."""

    half_lengths: tuple[float, float]


Placed = tuple[Transform, Any]  # a shape of RAYS, or of a pair
Body = MobilizedBody | Ground


def range_shown(X_BS: Transform, placed: Sequence[Placed], cutoff: float, body: Body, *bodies: Body, state: Any) -> Scalar:
    """m from the origin of S along its z axis to the nearest shape; placed: each shape with its pose on its body of `bodies`."""
    X_GS = body.X_GB(state) @ X_BS
    nearest: Scalar = MISS
    for carrier, (X_BC, shape) in zip(bodies, placed, strict=True):
        X_GC = carrier.X_GB(state) @ X_BC
        p, d = X_GC.R.T @ (X_GS.p - X_GC.p), X_GC.R.T @ X_GS.R[:, 2]
        nearest = minimum(nearest, RAYS[type(shape)](shape, p, d))
    shown = minimum(nearest, cutoff) if cutoff else nearest
    return where(nearest >= MISS, NOTHING, shown)


def distance_shown(one: Placed, other: Placed, most: float, body: Body, other_body: Body, *, state: Any) -> Scalar:
    """m between two shapes, at most `most`."""
    gaps = pair_of(one[1], other[1]).proximities(one[1], body.X_GB(state) @ one[0], other[1], other_body.X_GB(state) @ other[0])
    nearest: Scalar = most
    for gap in gaps:
        nearest = minimum(nearest, gap.distance)
    return nearest


# a ray from p along the unit vector d, in the frame of the shape
def _ahead(t: Scalar) -> Scalar:
    return where(t >= 0, t, MISS)


def _roots(a: Scalar, b: Scalar, c: Scalar) -> tuple[Scalar, Scalar]:
    """Of a t^2 + 2 b t + c, with a > 0; MISS where there are none."""
    square = b * b - a * c
    root = np.sqrt(maximum(square, 0.0))
    return tuple(where(square < 0, MISS, (-b + sign * root) / a) for sign in (-1.0, 1.0))


def to_sphere(shape: Sphere, p: Array, d: Array) -> Scalar:
    first, second = _roots(1.0, p @ d, p @ p - shape.radius**2)
    return minimum(_ahead(first), _ahead(second))


def to_ellipsoid(shape: Ellipsoid, p: Array, d: Array) -> Scalar:
    radii = np.array(shape.radii)
    p, d = p / radii, d / radii
    first, second = _roots(d @ d, p @ d, p @ p - 1.0)
    return minimum(_ahead(first), _ahead(second))


def to_rectangle(shape: Rectangle, p: Array, d: Array) -> Scalar:
    """From above only."""
    falls = d[2] < -_PARALLEL
    t = -p[2] / where(falls, d[2], 1.0)
    found = where(falls, _ahead(t), MISS)
    for axis, half in enumerate(shape.half_lengths):
        if half:
            found = where(abs(p[axis] + t * d[axis]) <= half, found, MISS)
    return found


def to_box(shape: Box, p: Array, d: Array) -> Scalar:
    half, nearest = np.array(shape.half_lengths), MISS
    for axis in range(3):
        others = [other for other in range(3) if other != axis]
        is_parallel = abs(d[axis]) < _PARALLEL
        along = where(is_parallel, 1.0, d[axis])
        for side in (-half[axis], half[axis]):
            t = (side - p[axis]) / along
            found = _ahead(t)
            for other in others:
                found = where(abs(p[other] + t * d[other]) <= half[other], found, MISS)
            nearest = minimum(nearest, where(is_parallel, MISS, found))
    return nearest


def _to_side(radius: float, half_length: float, p: Array, d: Array) -> Scalar:
    """Of a cylinder about z."""
    a = d[0] * d[0] + d[1] * d[1]
    is_parallel = a < _PARALLEL
    roots = _roots(where(is_parallel, 1.0, a), p[0] * d[0] + p[1] * d[1], p[0] * p[0] + p[1] * p[1] - radius**2)
    found = [where(abs(p[2] + t * d[2]) <= half_length, _ahead(t), MISS) for t in roots]
    return where(is_parallel, MISS, minimum(*found))


def to_cylinder(shape: Cylinder, p: Array, d: Array) -> Scalar:
    nearest = _to_side(shape.radius, shape.half_length, p, d)
    is_parallel = abs(d[2]) < _PARALLEL
    along = where(is_parallel, 1.0, d[2])
    for side in (-shape.half_length, shape.half_length):
        t = (side - p[2]) / along
        x, y = p[0] + t * d[0], p[1] + t * d[1]
        met = where(x * x + y * y <= shape.radius**2, _ahead(t), MISS)
        nearest = minimum(nearest, where(is_parallel, MISS, met))
    return nearest


def to_capsule(shape: Capsule, p: Array, d: Array) -> Scalar:
    nearest = _to_side(shape.radius, shape.half_length, p, d)
    for side in (-1.0, 1.0):
        from_end = p - np.array([0.0, 0.0, side * shape.half_length])
        for t in _roots(1.0, from_end @ d, from_end @ from_end - shape.radius**2):
            is_outside = side * (p[2] + t * d[2]) >= shape.half_length
            nearest = minimum(nearest, where(is_outside, _ahead(t), MISS))
    return nearest


RAYS: dict[type, Callable[[Any, Array, Array], Scalar]] = {
    Box: to_box,
    Capsule: to_capsule,
    Cylinder: to_cylinder,
    Ellipsoid: to_ellipsoid,
    Rectangle: to_rectangle,
    Sphere: to_sphere,
}
