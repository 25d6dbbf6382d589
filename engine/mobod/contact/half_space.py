"""Distances of a half-space from other shapes.

Each shape has some points that are nearest to the plane. A function of the shape and of m, the half-space's normal expressed in the shape's
frame, finds them. All can be recorded.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any, final

import numpy as np

from mobod.contact.proximity import SINGULAR, Gap
from mobod.contact.shapes import Box, Capsule, Circle, ContactShape, ConvexMesh, Cylinder, Ellipsoid, HalfSpace, Sphere, Torus
from mobod.scalar import Array, Scalar, norm, where
from mobod.spatial import Transform


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


def half_space_gaps(half_space: HalfSpace, X_AH: Transform, shape: ContactShape, X_AS: Transform) -> list[Gap]:
    """The gaps between a half-space H and a shape S, in frame A."""
    n = X_AH.R[:, 2]
    height_of_origin = n @ (X_AS.p - X_AH.p)
    gaps = []
    for lowest in lowest_points(shape, X_AS.R.T @ n):
        distance = height_of_origin + lowest.height
        gaps.append(Gap(distance, n, X_AS.apply(lowest.p) - distance / 2 * n, lowest.regularity))
    return gaps


def lowest_points(shape: ContactShape, m: Array) -> list[LowestPoint]:
    """The points of a shape that may touch a half-space whose normal is m (3,), in the shape's frame."""
    return _LOWEST_POINTS[type(shape)](shape, m)


def _of_sphere(sphere: Sphere, m: Array) -> list[LowestPoint]:
    return [LowestPoint(-sphere.radius * m, -sphere.radius)]


def _of_capsule(capsule: Capsule, m: Array) -> list[LowestPoint]:
    r = capsule.radius
    return [LowestPoint(np.array([0.0, 0.0, z]) - r * m, z * m[2] - r) for z in (-capsule.half_length, capsule.half_length)]


def _of_cylinder(cylinder: Cylinder, m: Array) -> list[LowestPoint]:
    ends = (-cylinder.half_length, cylinder.half_length)
    if cylinder.points:
        return _of_points([point for z in ends for point in _on_rim(cylinder, z)], m)
    direction, extent, regularity = _in_plane(m)
    return [
        LowestPoint(np.array([0.0, 0.0, z]) - cylinder.radius * direction, z * m[2] - cylinder.radius * extent, regularity) for z in ends
    ]


def _of_circle(circle: Circle, m: Array) -> list[LowestPoint]:
    if circle.points:
        return _of_points(_on_rim(circle, 0.0), m)
    direction, extent, regularity = _in_plane(m)
    return [LowestPoint(-circle.radius * direction, -circle.radius * extent, regularity)]


def _of_torus(torus: Torus, m: Array) -> list[LowestPoint]:
    direction, extent, regularity = _in_plane(m)
    p = -torus.radius * direction - torus.tube_radius * m
    return [LowestPoint(p, -torus.radius * extent - torus.tube_radius, regularity)]


def _of_box(box: Box, m: Array) -> list[LowestPoint]:
    x, y, z = box.half_lengths
    return _of_points(list(product((-x, x), (-y, y), (-z, z))), m)


def _of_convex_mesh(mesh: ConvexMesh, m: Array) -> list[LowestPoint]:
    return _of_points(mesh.vertices, m)


def _of_ellipsoid(ellipsoid: Ellipsoid, m: Array) -> list[LowestPoint]:
    radii = np.array(ellipsoid.radii)
    scaled = radii * m
    extent = np.sqrt(scaled @ scaled)  # at least the smallest radius
    return [LowestPoint(-radii * scaled / extent, -extent)]


def _on_rim(shape: Cylinder | Circle, z: Scalar) -> list[tuple[Scalar, Scalar, Scalar]]:
    """The points that are fixed on a rim."""
    angles = 2 * np.pi * np.arange(shape.points) / shape.points
    return [(shape.radius * np.cos(a), shape.radius * np.sin(a), z) for a in angles]


def _of_points(points: Any, m: Array) -> list[LowestPoint]:
    return [LowestPoint(p, m @ p) for p in (np.array(point) for point in points)]


def _in_plane(m: Array) -> tuple[Array, Scalar, Scalar]:
    """(direction (3,), extent, regularity): the direction of m's part in the x-y plane, that part's length, and the same as regularity.

    Where that part vanishes the direction is x, and the extent m_x, so that the distance has the rate of the point that is taken.
    """
    g = norm(m[:2])
    is_regular = g > SINGULAR
    length = where(is_regular, g, 1.0)
    direction = np.array([where(is_regular, m[0] / length, 1.0), where(is_regular, m[1] / length, 0.0), 0.0])
    return direction, where(is_regular, g, m[0]), g


_LOWEST_POINTS: dict[type[ContactShape], Callable[[Any, Array], list[LowestPoint]]] = {
    Sphere: _of_sphere,
    Capsule: _of_capsule,
    Cylinder: _of_cylinder,
    Circle: _of_circle,
    Torus: _of_torus,
    Box: _of_box,
    ConvexMesh: _of_convex_mesh,
    Ellipsoid: _of_ellipsoid,
}


def has_rim(shape: ContactShape) -> bool:
    """Whether its nearest point moves around a rim, and is not determined where its axis z is normal to a plane."""
    return isinstance(shape, Torus) or (isinstance(shape, (Circle, Cylinder)) and not shape.points)


def lean_of_rim(R_AH: Array, R_AS: Array) -> Array:
    """(2,) the axis of a shape with a rim, along the x and y axes of a half-space's frame: 0 where the shape lies flat, and of length 1
    where it stands on its rim. The nearest point is in the opposite direction. A spin about the axis does not change it.
    """
    return R_AH[:, :2].T @ R_AS[:, 2]


def names_at_half_space(half_space: HalfSpace, shape: ContactShape) -> tuple[str, ...]:
    """A name for each gap."""
    match shape:
        case Cylinder(points=0):
            return "rim_0", "rim_1"
        case Cylinder(points=n):
            return tuple(f"rim_{rim}_point_{i}" for rim in range(2) for i in range(n))
        case Circle(points=n) if n:
            return tuple(f"point_{i}" for i in range(n))
        case Capsule():
            return "end_0", "end_1"
        case Box():
            return tuple(f"corner_{i}" for i in range(8))
        case ConvexMesh(vertices=vertices):
            return tuple(f"vertex_{i}" for i in range(len(vertices)))
        case _:
            return ("point",)
