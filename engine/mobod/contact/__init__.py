"""Shapes that touch each other, and the distances between them."""

from mobod.contact.decomposition import convex_parts
from mobod.contact.drawing import decorations_of
from mobod.contact.material import combined_hertz, combined_linear
from mobod.contact.pairs import ContactPair, pair_of
from mobod.contact.proximity import Proximity
from mobod.contact.shapes import (
    Box,
    Capsule,
    Circle,
    Cone,
    ContactShape,
    ConvexMesh,
    Cylinder,
    Ellipsoid,
    HalfSpace,
    HeightField,
    RoundedBox,
    Sphere,
    TerrainMesh,
    Torus,
)
from mobod.contact.triangle_mesh import TriangleMesh

__all__ = [
    "Box",
    "Capsule",
    "Circle",
    "Cone",
    "ContactPair",
    "ContactShape",
    "ConvexMesh",
    "Cylinder",
    "Ellipsoid",
    "HalfSpace",
    "HeightField",
    "Proximity",
    "RoundedBox",
    "Sphere",
    "TerrainMesh",
    "Torus",
    "TriangleMesh",
    "combined_hertz",
    "combined_linear",
    "convex_parts",
    "decorations_of",
    "pair_of",
]


def __dir__() -> list[str]:
    return sorted(__all__)
