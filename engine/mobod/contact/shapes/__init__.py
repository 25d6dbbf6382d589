"""Shapes that touch each other, a file for each.

Use them with the name of the module above, since mobilizers and decorations have the same names: `mb.contact.Sphere(0.1)`.
"""

from mobod.contact.shapes.bounded_shape import BoundedShape
from mobod.contact.shapes.box import Box
from mobod.contact.shapes.capsule import Capsule
from mobod.contact.shapes.circle import Circle
from mobod.contact.shapes.cone import Cone
from mobod.contact.shapes.contact_shape import ContactShape
from mobod.contact.shapes.convex_mesh import ConvexMesh
from mobod.contact.shapes.cylinder import Cylinder
from mobod.contact.shapes.ellipsoid import Ellipsoid
from mobod.contact.shapes.half_space import HalfSpace
from mobod.contact.shapes.height_field import HeightField
from mobod.contact.shapes.rounded_box import RoundedBox
from mobod.contact.shapes.sphere import Sphere
from mobod.contact.shapes.terrain_mesh import TerrainMesh
from mobod.contact.shapes.torus import Torus

SHAPES = (Box, Capsule, Circle, Cone, ConvexMesh, Cylinder, Ellipsoid, HalfSpace, HeightField, RoundedBox, Sphere, TerrainMesh, Torus)
"""All shapes, by their names."""

__all__ = [
    "SHAPES",
    "BoundedShape",
    "Box",
    "Capsule",
    "Circle",
    "Cone",
    "ContactShape",
    "ConvexMesh",
    "Cylinder",
    "Ellipsoid",
    "HalfSpace",
    "HeightField",
    "RoundedBox",
    "Sphere",
    "TerrainMesh",
    "Torus",
]
