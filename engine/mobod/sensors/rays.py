"""Where a ray goes through a convex shape.

A stretch of the ray p + t d is (t of its beginning, t of its end), in m, and none if it begins after its end.

Source: Kay & Kajiya, Ray tracing complex scenes, SIGGRAPH 1986 (stretches between planes).
"""

from functools import lru_cache, reduce, singledispatch
from itertools import product

import numpy as np
import scipy  # whose parts are loaded when they are used

from mobod.contact.shapes import Box, Capsule, Cone, ContactShape, ConvexMesh, Cylinder, Ellipsoid, HalfSpace, RoundedBox, Sphere
from mobod.errors import UnsupportedError
from mobod.scalar import Array, Scalar, maximum, minimum, where

Stretch = tuple[Scalar, Scalar]

ENDLESS = 1e30  # m
ALL: Stretch = (-ENDLESS, ENDLESS)
NONE: Stretch = (ENDLESS, -ENDLESS)
SAME_FACE = 1e-12  # relative: facets of a hull with such normals and distances lie in one plane


@singledispatch
def through(shape: ContactShape, p: Array, d: Array) -> Stretch:
    """The stretch of a ray in a shape, in whose frame p (3,) m and d (3,), a unit vector, are given. Recorded.

    Raises UnsupportedError for shapes that no ray hits.
    """
    raise UnsupportedError(
        f"a ray finds no {type(shape).__name__}. It finds Box, Capsule, Cone, ConvexMesh, Cylinder, Ellipsoid, HalfSpace, RoundedBox, "
        "Sphere and triangles of terrain of mb.contact."
    )


def first_hit(shape: ContactShape, p: Array, d: Array, most: Scalar) -> Scalar:
    """m: how far from p the ray goes into the shape, or out of it if p lies in it; `most` if it does not within this distance."""
    begin, end = through(shape, p, d)
    t = where(begin >= 0, begin, end)
    return where(begin <= end, where(t >= 0, minimum(t, most), most), most)


@through.register
def _half_space(shape: HalfSpace, p: Array, d: Array) -> Stretch:
    """From outside alone."""
    t = p[2] / where(d[2] < 0, -d[2], 1.0)
    enters = where(d[2] < 0, where(p[2] >= 0, 1.0, 0.0), 0.0) > 0
    return where(enters, t, NONE[0]), where(enters, ENDLESS, NONE[1])


@through.register
def _sphere(shape: Sphere, p: Array, d: Array) -> Stretch:
    return _in_ball(p, d, shape.radius)


@through.register
def _ellipsoid(shape: Ellipsoid, p: Array, d: Array) -> Stretch:
    radii = np.array(shape.radii)
    return _in_ball(p / radii, d / radii, 1.0)


@through.register
def _box(shape: Box, p: Array, d: Array) -> Stretch:
    return _common(*(_between_planes(x, v, half) for x, v, half in zip(p, d, shape.half_lengths, strict=True)))


@through.register
def _cylinder(shape: Cylinder, p: Array, d: Array) -> Stretch:
    return _in_cylinder(p, d, shape.radius, shape.half_length)


@through.register
def _cone(shape: Cone, p: Array, d: Array) -> Stretch:
    slope = shape.radius / (2 * shape.half_length)
    from_tip = p[2] - shape.half_length
    a = d[0] ** 2 + d[1] ** 2 - (slope * d[2]) ** 2
    b = p[0] * d[0] + p[1] * d[1] - slope**2 * from_tip * d[2]
    c = p[0] ** 2 + p[1] ** 2 - (slope * from_tip) ** 2
    square = b * b - a * c
    root = np.sqrt(where(square > 0, square, 1.0))
    # of a cone with two parts, of which the lower one counts: between the roots; outside of them if the ray is steeper than the side
    far = b + where(b >= 0, root, -root)
    one, other = -c / where(far * far > 0, far, 1.0), -far / where(a * a > 0, a, 1.0)
    first, last = minimum(one, other), maximum(one, other)
    steep = _if(d[2] > 0, (-ENDLESS, first), (last, ENDLESS))
    as_steep = _if(d[2] > 0, (-ENDLESS, one), (one, ENDLESS))
    of_side = _if(square > 0, _if(a > 0, (first, last), _if(a < 0, steep, as_steep)), _if(a < 0, ALL, NONE))
    return _common(of_side, _between_planes(p[2], d[2], shape.half_length))


@through.register
def _rounded_box(shape: RoundedBox, p: Array, d: Array) -> Stretch:
    halves, r = list(shape.half_lengths), shape.radius
    parts = []
    for k in range(3):
        sizes = [half + (r if i == k else 0.0) for i, half in enumerate(halves)]
        parts.append(_common(*(_between_planes(x, v, size) for x, v, size in zip(p, d, sizes, strict=True))))
        turned = [(k + 1) % 3, (k + 2) % 3, k]  # the edges along axis k, as cylinders along z, and a corner at one end of each
        for signs in ((-1, -1), (-1, 1), (1, -1), (1, 1)):
            from_edge = np.array([p[turned[0]] - signs[0] * halves[turned[0]], p[turned[1]] - signs[1] * halves[turned[1]], p[k]])
            parts.append(_in_cylinder(from_edge, np.array([d[i] for i in turned]), r, halves[k]))
    corners = product(*((-half, half) for half in halves))
    parts += [_in_ball(p - np.array(corner), d, r) for corner in corners]
    return _together(*parts)


@through.register
def _capsule(shape: Capsule, p: Array, d: Array) -> Stretch:
    ends = [_in_ball(p - np.array([0.0, 0.0, z]), d, shape.radius) for z in (-shape.half_length, shape.half_length)]
    return _together(_in_cylinder(p, d, shape.radius, shape.half_length), *ends)


@through.register
def _convex_mesh(shape: ConvexMesh, p: Array, d: Array) -> Stretch:
    return _common(*(_below_plane(np.array(n), distance, p, d) for *n, distance in _faces(shape)))


def _common(*stretches: Stretch) -> Stretch:
    """What is in all of them."""
    begin, end = reduce(lambda one, other: (maximum(one[0], other[0]), minimum(one[1], other[1])), stretches)
    return _if(begin <= end, (begin, end), NONE)


def _together(*stretches: Stretch) -> Stretch:
    """What is in any of them, if they overlap each other."""
    return reduce(lambda one, other: (minimum(one[0], other[0]), maximum(one[1], other[1])), stretches)


def _if(condition: Scalar, stretch: Stretch, otherwise: Stretch) -> Stretch:
    return where(condition, stretch[0], otherwise[0]), where(condition, stretch[1], otherwise[1])


def _in_ball(p: Array, d: Array, radius: Scalar) -> Stretch:
    """About the origin; p and d of any number of dimensions, d of any length above 0."""
    return _if(d @ d > 0, _roots(where(d @ d > 0, d @ d, 1.0), p @ d, p @ p - radius**2), _if(p @ p <= radius**2, ALL, NONE))


def _roots(a: Scalar, b: Scalar, c: Scalar) -> Stretch:
    """Where a t^2 + 2 b t + c is at most 0, for a above 0."""
    square = b * b - a * c
    root = np.sqrt(where(square > 0, square, 1.0))
    return _if(square > 0, ((-b - root) / a, (-b + root) / a), NONE)


def _between_planes(x: Scalar, v: Scalar, half: Scalar) -> Stretch:
    """Between -half and half along one axis."""
    size = np.abs(v)
    along = where(v < 0, -x, x)  # as the ray goes
    moves = where(size > 0, size, 1.0)
    return _if(size > 0, ((-half - along) / moves, (half - along) / moves), _if(np.abs(x) <= half, ALL, NONE))


def _below_plane(n: Array, distance: Scalar, p: Array, d: Array) -> Stretch:
    """Where n . x is at most the distance."""
    rise, room = n @ d, distance - n @ p
    t = room / where(rise * rise > 0, rise, 1.0)
    moving = _if(rise > 0, (-ENDLESS, t), (t, ENDLESS))
    return _if(rise * rise > 0, moving, _if(room >= 0, ALL, NONE))


def _in_cylinder(p: Array, d: Array, radius: Scalar, half_length: Scalar) -> Stretch:
    return _common(_in_ball(p[:2], d[:2], radius), _between_planes(p[2], d[2], half_length))


@lru_cache(maxsize=256)
def _faces(shape: ConvexMesh) -> tuple[tuple[float, ...], ...]:
    """(normal x, y, z, distance) of each plane of the hull; facets of one plane count once."""
    vertices = np.array(shape.vertices)
    size = float(np.abs(vertices).max())
    found: list[np.ndarray] = []
    for *n, offset in scipy.spatial.ConvexHull(vertices).equations.tolist():
        plane = np.array([*n, -offset])
        if not any(np.abs(plane[:3] - each[:3]).max() <= SAME_FACE and abs(plane[3] - each[3]) <= SAME_FACE * size for each in found):
            found.append(plane)
    return tuple(tuple(each.tolist()) for each in found)
