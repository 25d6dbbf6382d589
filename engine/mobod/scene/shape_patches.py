"""Shapes as flat patches, as a camera sees them."""

from collections.abc import Iterator
from functools import singledispatch
from typing import final

import numpy as np

from mobod.matter.bodies.decorations import Arc, Box, Cylinder, Ellipsoid, Frame, Geometry, Line, Mesh, Sphere, Triple
from mobod.scene.camera import Camera
from mobod.scene.patches import Patch
from mobod.spatial import Transform

_LIGHT = np.array([-0.35, 0.75, 0.56])  # right, up, towards the viewer
_CIRCLE = 28  # corners of a circle
_MOST_FACES = 800  # of a mesh; the outline of a larger one is drawn
_AXES: tuple[Triple, ...] = ((0.80, 0.27, 0.27), (0.30, 0.62, 0.30), (0.27, 0.42, 0.80))


def patches_of(geometry: Geometry, X: Transform, view: Camera, line: float) -> Iterator[Patch]:
    """The patches of a shape at the pose X in Ground, in m. line: width of outlines, pixels"""
    return _patches(geometry, _Seen(geometry, X, view, line))


@final
class _Seen:
    """How a camera sees the frame of a shape.

    axes    (3, 3)  columns: its axes
    center  (3,)    its origin
    """

    def __init__(self, geometry: Geometry, X: Transform, view: Camera, line: float):
        self.axes, self.center = view.axes @ X.R, view.seen(X.p[None])[0]
        self._line, self._color, self._opacity = line, geometry.color, geometry.opacity

    def patch(self, points: np.ndarray, normal: np.ndarray | None = None) -> Patch:
        """A polygon with corners (n, 3). normal: by which it is shaded"""
        shade = 0.86 if normal is None else 0.66 + 0.36 * max(0.0, float(normal @ _LIGHT))
        return Patch(points[:, :2], _scaled(self._color, shade), _scaled(self._color, 0.5), self._line, self._opacity)

    def stroke(self, points: np.ndarray, color: Triple | None = None) -> Patch:
        """A line through points (n, 3)."""
        return Patch(points[:, :2], None, self._color if color is None else color, 2 * self._line, self._opacity)


@singledispatch
def _patches(_geometry: Geometry, _seen: _Seen) -> Iterator[Patch]:
    """By the type of the shape; nothing for texts and files of meshes."""
    return iter(())


@_patches.register
def _of_sphere(sphere: Sphere, seen: _Seen) -> Iterator[Patch]:
    yield seen.patch(seen.center + sphere.radius * _circle(np.eye(3)))


@_patches.register
def _of_ellipsoid(ellipsoid: Ellipsoid, seen: _Seen) -> Iterator[Patch]:
    yield seen.patch(seen.center + _outline_of_ellipsoid(seen.axes * np.array(ellipsoid.radii)))


@_patches.register
def _of_box(box: Box, seen: _Seen) -> Iterator[Patch]:
    axes, half = seen.axes, box.half_lengths
    for i in range(3):
        normal = axes[:, i] if axes[2, i] > 0 else -axes[:, i]
        if normal[2] > 1e-6:
            a, b = axes[:, (i + 1) % 3] * half[(i + 1) % 3], axes[:, (i + 2) % 3] * half[(i + 2) % 3]
            yield seen.patch(seen.center + half[i] * normal + np.array([a + b, a - b, -a - b, b - a]), normal)


@_patches.register
def _of_cylinder(cylinder: Cylinder, seen: _Seen) -> Iterator[Patch]:
    axes, half_length = seen.axes, cylinder.half_length
    end = axes[:, 1] * half_length * (1 if axes[2, 1] >= 0 else -1)
    rim = cylinder.radius * _circle(axes[:, [2, 0, 1]])
    side = np.cross(axes[:, 1], np.cross([0.0, 0.0, 1.0], axes[:, 1]))
    yield seen.patch(seen.center + _hull(np.concatenate([rim + end, rim - end])), side / max(1e-9, float(np.linalg.norm(side))))
    yield seen.patch(seen.center + rim + end, end / half_length)


@_patches.register
def _of_line(line: Line, seen: _Seen) -> Iterator[Patch]:
    yield seen.stroke(seen.center + np.array([line.start, line.end]) @ seen.axes.T)


@_patches.register
def _of_arc(arc: Arc, seen: _Seen) -> Iterator[Patch]:
    axes = seen.axes
    corners = _sector(arc.radius, arc.width, arc.start, arc.end)
    yield seen.patch(seen.center + corners @ axes.T, axes[:, 2] if axes[2, 2] > 0 else -axes[:, 2])


@_patches.register
def _of_frame(frame: Frame, seen: _Seen) -> Iterator[Patch]:
    for i, colour in enumerate(_AXES):
        yield seen.stroke(seen.center + np.array([np.zeros(3), seen.axes[:, i] * frame.axis_length]), colour)


@_patches.register
def _of_mesh(mesh: Mesh, seen: _Seen) -> Iterator[Patch]:
    points = seen.center + np.array(mesh.vertices) @ seen.axes.T
    if len(mesh.faces) > _MOST_FACES:
        yield seen.patch(_hull(points))
        return
    for triangle in sorted((points[list(face)] for face in mesh.faces), key=lambda each: float(each[:, 2].mean())):
        normal = np.cross(triangle[1] - triangle[0], triangle[2] - triangle[0])
        if normal[2] > 0:
            yield seen.patch(triangle, normal / np.linalg.norm(normal))


def _sector(radius: float, width: float, start: float, end: float) -> np.ndarray:
    """(n, 3) corners of an Arc in its own frame: the outer ones, then the inner ones back."""
    angles = np.linspace(start, end, 2 + int(abs(end - start) * _CIRCLE / (2 * np.pi)))
    outer = np.array([np.cos(angles), np.sin(angles), np.zeros(len(angles))]).T
    return np.concatenate([radius * outer, (radius - width) * outer[::-1]])


def _circle(axes: np.ndarray) -> np.ndarray:
    """(n, 3) points of a unit circle in the plane of the first two axes, which are columns."""
    angles = np.arange(_CIRCLE) * (2 * np.pi / _CIRCLE)
    return np.outer(np.cos(angles), axes[:, 0]) + np.outer(np.sin(angles), axes[:, 1])


def _outline_of_ellipsoid(axes: np.ndarray) -> np.ndarray:
    """(n, 3) points of the outline of an ellipsoid with these half axes, as columns, seen along z."""
    half = axes[:2]
    values, vectors = np.linalg.eigh(half @ half.T)
    outline = np.zeros((3, 3))
    outline[:2, :2] = vectors * np.sqrt(np.maximum(0.0, values))
    return _circle(outline)


def _hull(points: np.ndarray) -> np.ndarray:
    """The corners (k, 3) of the convex hull of points (n, 3), seen along z (Andrew's monotone chain)."""
    ordered = points[np.lexsort((points[:, 1], points[:, 0]))]

    def chain(sequence: np.ndarray) -> list[np.ndarray]:
        kept: list[np.ndarray] = []
        for point in sequence:
            while len(kept) > 1 and _turn(kept[-2], kept[-1], point) <= 0:
                kept.pop()
            kept.append(point)
        return kept[:-1]

    return np.array([*chain(ordered), *chain(ordered[::-1])])


def _turn(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def _scaled(colour: Triple, factor: float) -> Triple:
    red, green, blue = (min(1.0, part * factor) for part in colour)
    return red, green, blue
