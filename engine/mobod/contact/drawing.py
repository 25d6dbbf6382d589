"""Shapes of contacts as decorations, for pages and scenes."""

from collections.abc import Sequence

import numpy as np
import scipy  # whose parts are loaded when they are used

from mobod.contact.shapes import Box, Capsule, Circle, ContactShape, ConvexMesh, Cylinder, Ellipsoid, HalfSpace, Sphere, Torus
from mobod.contact.triangle_mesh import TriangleMesh
from mobod.errors import UnsupportedError
from mobod.matter.bodies import decorations
from mobod.matter.bodies.decorations import Geometry, Triple
from mobod.spatial import Transform

COLOR = (0.9, 0.6, 0.2)
AROUND, ACROSS = 48, 16  # facets of a torus, around its axis and across the tube
RING = 0.1  # width of the ring that stands for a circle, relative to its radius
THIN = 0.005  # thickness of the plate that stands for a half-space, relative to its size

_R_Z_FROM_Y = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # cylinders of decorations lie along y


def decorations_of(
    shape: ContactShape | TriangleMesh, *, size: float = 2.0, color: Sequence[float] = COLOR, opacity: float = 1.0
) -> tuple[tuple[Transform, Geometry], ...]:
    """What draws a shape: decorations with their poses in its frame. On a body:

        for X_SD, geometry in mb.contact.decorations_of(shape):
            body.add_body_decoration(X_BS @ X_SD, geometry)

    size     m, of the square plate that stands for a half-space, from its middle to an edge
    color    red, green, blue, each from 0 to 1
    opacity  from 0 to 1

    Raises InputError for invalid numbers.
    """
    red, green, blue = color
    placed = _placed(shape, size, (red, green, blue), opacity)
    return tuple(placed)


def _placed(shape: ContactShape | TriangleMesh, size: float, color: Triple, opacity: float) -> list[tuple[Transform, Geometry]]:
    def cylinder(radius: float, half_length: float) -> tuple[Transform, Geometry]:
        return Transform(_R_Z_FROM_Y), decorations.Cylinder(radius, half_length, color=color, opacity=opacity)

    def ball(radius: float, z: float) -> tuple[Transform, Geometry]:
        return Transform(p=[0.0, 0.0, z]), decorations.Sphere(radius, color=color, opacity=opacity)

    match shape:
        case HalfSpace():
            plate = decorations.Box((size, size, THIN * size), color=color, opacity=opacity)
            return [(Transform(p=[0.0, 0.0, -THIN * size]), plate)]
        case Sphere(radius):
            return [ball(radius, 0.0)]
        case Capsule(radius, half_length):
            return [cylinder(radius, half_length), ball(radius, -half_length), ball(radius, half_length)]
        case Cylinder(radius, half_length):
            return [cylinder(radius, half_length)]
        case Box(half_lengths):
            return [(Transform(), decorations.Box(half_lengths, color=color, opacity=opacity))]
        case Ellipsoid(radii):
            return [(Transform(), decorations.Ellipsoid(radii, color=color, opacity=opacity))]
        case Circle(radius):
            return [(Transform(), decorations.Arc(radius, RING * radius, -np.pi, np.pi, color=color, opacity=opacity))]
        case Torus():
            return [(Transform(), decorations.Mesh(*_torus_facets(shape), color=color, opacity=opacity))]
        case ConvexMesh(vertices):
            return [(Transform(), decorations.Mesh(vertices, _hull_facets(np.array(vertices)), color=color, opacity=opacity))]
        case TriangleMesh(vertices, faces):
            return [(Transform(), decorations.Mesh(vertices, faces, color=color, opacity=opacity))]
        case _:
            raise UnsupportedError(f"{type(shape).__name__} has no decoration. Decorate the body by shapes of mb.decorations.")


def _torus_facets(torus: Torus) -> tuple[tuple[Triple, ...], tuple[tuple[int, int, int], ...]]:
    """Vertices and faces, counterclockwise seen from outside."""
    vertices, faces = [], []
    for i in range(AROUND):
        for k in range(ACROSS):
            a, b = 2 * np.pi * i / AROUND, 2 * np.pi * k / ACROSS
            distance = torus.radius + torus.tube_radius * np.cos(b)
            vertices.append((distance * np.cos(a), distance * np.sin(a), torus.tube_radius * np.sin(b)))
            next_i, next_k = (i + 1) % AROUND, (k + 1) % ACROSS
            corners = [each * ACROSS + other for each, other in ((i, k), (next_i, k), (next_i, next_k), (i, next_k))]
            faces += [(corners[0], corners[1], corners[2]), (corners[0], corners[2], corners[3])]
    return tuple(vertices), tuple(faces)


def _hull_facets(vertices: np.ndarray) -> tuple[tuple[int, int, int], ...]:
    """The triangles of the hull, counterclockwise seen from outside."""
    hull = scipy.spatial.ConvexHull(vertices)
    faces = []
    for (a, b, c), outward in zip(hull.simplices.tolist(), hull.equations[:, :3], strict=True):
        is_seen = np.cross(vertices[b] - vertices[a], vertices[c] - vertices[a]) @ outward > 0
        faces.append((a, b, c) if is_seen else (a, c, b))
    return tuple(faces)
