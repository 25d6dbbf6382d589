"""Shapes of contacts in a model file, and how materials combine."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from typing import ClassVar, final, get_type_hints

from mobod.contact import ContactShape, TriangleMesh
from mobod.contact.placed_shape import PlacedShape
from mobod.contact.shapes import SHAPES
from mobod.contact.shapes.height_field import Heights, Spacing
from mobod.contact.shapes.terrain_mesh import Corners
from mobod.files.json_source import Json
from mobod.files.model.codecs import BODY, BOOLEAN, FRAME, INTEGER, NUMBER, TEXT, VECTOR, Codec, ListOf, NumbersCodec, Schema
from mobod.files.model.elements import NEEDED, Family, FileField, Record, Spec
from mobod.files.model.imports import import_path, imported
from mobod.files.model.place import Place
from mobod.matter.bodies.decorations import Triple
from mobod.spatial import Transform

_CODECS: Mapping[object, Codec] = {
    float: NUMBER,
    int: INTEGER,
    bool: BOOLEAN,
    Triple: VECTOR,
    tuple[Triple, ...]: ListOf(VECTOR),
    Spacing: NumbersCodec(2),
    Heights: ListOf(NumbersCodec()),
    tuple[Corners, ...]: ListOf(ListOf(INTEGER)),
}


def _fields(shape: type[ContactShape]) -> dict[str, FileField]:
    """Those of its dataclass."""
    types = get_type_hints(shape)
    return {
        each.name: FileField(_CODECS[types[each.name]], default=NEEDED if each.default is MISSING else each.default)
        for each in fields(shape)  # type: ignore[arg-type] # all shapes are dataclasses
    }


CONTACT_SHAPE = Family("contact_shape", {cls.__name__: Spec(cls, _fields(cls)) for cls in SHAPES})
TRIANGLE_MESH = Family(
    "triangle_mesh",
    {"TriangleMesh": Spec(TriangleMesh, {"vertices": FileField(ListOf(VECTOR)), "faces": FileField(ListOf(ListOf(INTEGER)))})},
)


@final
class PlacedShapeCodec(Codec[PlacedShape]):
    """A shape on a body, for those that see it; groups and materials are left out."""

    record = Record(
        {"name": FileField(TEXT), "body": FileField(BODY), "shape": FileField(CONTACT_SHAPE), "X_BS": FileField(FRAME, default={})}
    )

    @property
    def schema(self) -> Schema:
        return self.record.schema

    def write(self, value: PlacedShape) -> Json:
        return self.record.write(value)

    def read(self, value: Json, place: Place) -> PlacedShape:
        values = {"X_BS": Transform(), **self.record.read(value, place)}
        return PlacedShape(**values, material=None, friction=None, group=1, mask=~0)


PLACED_SHAPE = PlacedShapeCodec()


@final
class CombinationCodec(Codec[Callable[..., float]]):
    """A function of two materials by its import path."""

    schema: ClassVar[Schema] = {"type": "string", "pattern": ":"}

    def write(self, value: object) -> Json:
        return import_path(value, "the combination of materials of a contact")

    def read(self, value: Json, place: Place) -> Callable[..., float]:
        return imported(TEXT.read(value, place), place)


COMBINATION = CombinationCodec()
