"""How far shapes reach in a direction."""

from functools import singledispatch

import numpy as np

from mobod.matter.bodies.decorations import Box, Cylinder, Ellipsoid, Geometry, Line, Mesh, Sphere


@singledispatch
def reach(_geometry: Geometry, _direction: np.ndarray) -> float:
    """m, from the origin of a shape in a direction, a unit vector (3,) in the frame of the shape; 0 for shapes without a volume."""
    return 0.0


@reach.register
def _of_sphere(sphere: Sphere, _direction: np.ndarray) -> float:
    return sphere.radius


@reach.register
def _of_ellipsoid(ellipsoid: Ellipsoid, direction: np.ndarray) -> float:
    return float(np.linalg.norm(direction * np.array(ellipsoid.radii)))


@reach.register
def _of_box(box: Box, direction: np.ndarray) -> float:
    return float(np.abs(direction) @ np.array(box.half_lengths))


@reach.register
def _of_cylinder(cylinder: Cylinder, direction: np.ndarray) -> float:
    along = min(1.0, abs(float(direction[1])))
    return cylinder.half_length * along + cylinder.radius * float((1 - along**2) ** 0.5)


@reach.register
def _of_line(line: Line, direction: np.ndarray) -> float:
    return float(max(direction @ np.array(each) for each in (line.start, line.end)))


@reach.register
def _of_mesh(mesh: Mesh, direction: np.ndarray) -> float:
    return float((np.array(mesh.vertices) @ direction).max())
