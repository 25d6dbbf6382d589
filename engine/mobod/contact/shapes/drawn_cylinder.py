"""A cylinder about z as a decoration, whose cylinders lie along y."""

import numpy as np

from mobod.contact.shapes.contact_shape import Look
from mobod.matter.bodies import decorations
from mobod.matter.bodies.decorations import Geometry
from mobod.spatial import Transform

_R_Z_FROM_Y = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])


def cylinder_about_z(radius: float, half_length: float, look: Look) -> tuple[Transform, Geometry]:
    """The decoration, and its pose."""
    return Transform(_R_Z_FROM_Y), decorations.Cylinder(radius, half_length, **look.of_geometry)
