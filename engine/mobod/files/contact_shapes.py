"""Shapes of contacts in a model file, and how materials combine."""

from collections.abc import Mapping
from typing import Any, final

from mobod.contact import Box, Capsule, Circle, ContactShape, ConvexMesh, Cylinder, Ellipsoid, HalfSpace, Sphere, Torus, TriangleMesh
from mobod.files.codecs import INTEGER, NUMBER, TEXT, VECTOR, Codec, ListOf, Place
from mobod.files.elements import Family, FileField, Spec
from mobod.files.imports import import_path, imported
from mobod.files.json_source import Json

_FIELDS: Mapping[type[ContactShape], Mapping[str, FileField]] = {
    Box: {"half_lengths": FileField(VECTOR)},
    Capsule: {"radius": FileField(NUMBER), "half_length": FileField(NUMBER)},
    Circle: {"radius": FileField(NUMBER), "points": FileField(INTEGER, default=0)},
    ConvexMesh: {"vertices": FileField(ListOf(VECTOR))},
    Cylinder: {"radius": FileField(NUMBER), "half_length": FileField(NUMBER), "points": FileField(INTEGER, default=0)},
    Ellipsoid: {"radii": FileField(VECTOR)},
    HalfSpace: {},
    Sphere: {"radius": FileField(NUMBER)},
    Torus: {"radius": FileField(NUMBER), "tube_radius": FileField(NUMBER)},
}
CONTACT_SHAPE = Family("contact_shape", {cls.__name__: Spec(cls, fields) for cls, fields in _FIELDS.items()})


TRIANGLE_MESH = Family(
    "triangle_mesh",
    {"TriangleMesh": Spec(TriangleMesh, {"vertices": FileField(ListOf(VECTOR)), "faces": FileField(ListOf(ListOf(INTEGER)))})},
)


@final
class CombinationCodec(Codec):
    """A function of two materials by its import path."""

    @property
    def schema(self) -> dict[str, Json]:
        return {"type": "string", "pattern": ":"}

    def write(self, value: Any) -> Json:
        return import_path(value, "the combination of materials of a contact")

    def read(self, value: Json, place: Place) -> Any:
        return imported(TEXT.read(value, place), place)


COMBINATION = CombinationCodec()
