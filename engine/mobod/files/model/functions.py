"""Built-in functions in a model file; those of users are in values_of_users."""

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from typing import Annotated, Any, get_args, get_origin

import numpy as np
import scipy

from mobod import functions, registry
from mobod.files.json_source import Json
from mobod.files.model.codecs import BOOLEAN, INTEGER, NUMBER, OF_TYPES, Choice, Codec, ListOf, NumbersCodec, TupleOf
from mobod.files.model.elements import NEEDED, FileField, Spec
from mobod.files.model.place import Place
from mobod.functions.annotated import annotation_of
from mobod.functions.multi_poly import Terms

# of fields that are annotated with these types
CODECS: Mapping[object, Codec] = {**OF_TYPES, Terms: ListOf(TupleOf((NUMBER, ListOf(INTEGER))))}


def _spline(place: Place, values: dict[str, Any]) -> functions.Spline:
    tables = values["coefficients"]  # of each value, of each power, of each piece
    pieces = len(values["breakpoints"]) - 1
    for number, of_value in enumerate(tables):
        for power, row in enumerate(of_value):
            if len(row) != pieces or len(of_value) != len(tables[0]):
                place.at("coefficients").at(number).at(power).fail(
                    f"{pieces} numbers are needed, one for each piece, in each of as many rows."
                )
    if not tables or not tables[0] or pieces < 1:
        place.fail("a spline has two breakpoints at least, and coefficients.")
    c = np.array(tables, dtype=float).transpose(1, 2, 0)
    if not values["has_several_values"]:
        if c.shape[2] != 1:
            place.at("coefficients").fail(f"a spline of one value has one table, not {c.shape[2]}.")
        c = c[:, :, 0]
    extrapolate = "periodic" if values["outside"] == "periodic" else None
    breakpoints = np.array(values["breakpoints"])
    if not (np.diff(breakpoints) > 0).all():
        place.at("breakpoints").fail("each number must be greater than the one before.")
    return functions.Spline(scipy.interpolate.PPoly(c, breakpoints, extrapolate=extrapolate), outside=values["outside"])


def _declared(cls: type[functions.Function]) -> dict[str, FileField]:
    """A field of the file for each field of the dataclass."""
    found: Any = fields(cls)  # type: ignore[arg-type] # all built-in functions are dataclasses
    return {each.name: FileField(CODECS[_type(annotation_of(cls, each.name))], default=_default(each)) for each in found}


def _type(annotation: object) -> object:
    """T of Annotated[T, check]."""
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


def _default(field: Field[object]) -> Json:
    return NEEDED if field.default is MISSING else field.default


# what the fields of a class do not say
BY_HAND = {
    "Spline": Spec(
        functions.Spline,
        {
            "breakpoints": FileField(NumbersCodec(), lambda spline: spline.breakpoints.numbers),
            "coefficients": FileField(
                ListOf(ListOf(NumbersCodec())), lambda spline: [[row.numbers for row in of_value] for of_value in spline.coefficients]
            ),
            "has_several_values": FileField(BOOLEAN),
            "outside": FileField(Choice(("continue", "error", "periodic"))),
        },
        _spline,
    ),
}
BUILT_IN = {name: BY_HAND.get(name) or Spec(cls, _declared(cls)) for name, cls in registry.FUNCTIONS.items()}
