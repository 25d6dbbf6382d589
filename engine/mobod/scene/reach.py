"""How far shapes reach in a direction."""

import numpy as np

from mobod.matter.bodies.decorations import Box, Cylinder, Ellipsoid, Geometry, Line, Mesh, Sphere


def reach(geometry: Geometry, direction: np.ndarray) -> float:
    """m, from the origin of a shape in a direction, a unit vector (3,) in the frame of the shape; 0 for shapes without a volume."""
    match geometry:
        case Sphere(radius=radius):
            return radius
        case Ellipsoid(radii=radii):
            return float(np.linalg.norm(direction * np.array(radii)))
        case Box(half_lengths=lengths):
            return float(np.abs(direction) @ np.array(lengths))
        case Cylinder(radius=radius, half_length=half_length):
            along = min(1.0, abs(float(direction[1])))
            return half_length * along + radius * float((1 - along**2) ** 0.5)
        case Line(start=start, end=end):
            return float(max(direction @ np.array(each) for each in (start, end)))
        case Mesh(vertices=vertices):
            return float((np.array(vertices) @ direction).max())
    return 0.0
