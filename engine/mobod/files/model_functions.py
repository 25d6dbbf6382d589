"""Built-in functions in a model file; those of users are in values_of_users."""

from dataclasses import MISSING, Field, fields
from typing import Any, final

import numpy as np
import scipy

from mobod import functions, registry
from mobod.files.codecs import BOOLEAN, INTEGER, NUMBER, OF_TYPES, Choice, Codec, ListOf, NumbersCodec, Place
from mobod.files.elements import NEEDED, FileField, Spec
from mobod.files.json_source import Json


@final
class Term(Codec):
    """[coefficient, [a power for each argument]]"""

    @property
    def schema(self) -> dict[str, Json]:
        return {"type": "array", "prefixItems": [NUMBER.schema, ListOf(INTEGER).schema], "minItems": 2, "maxItems": 2}

    def write(self, value: Any) -> Json:
        coefficient, powers = value
        return [float(coefficient), list(powers)]

    def read(self, value: Json, place: Place) -> Any:
        if not isinstance(value, list) or len(value) != 2:
            place.fail("a term is a list of two: the coefficient, and the list of powers.")
        return NUMBER.read(value[0], place.at(0)), ListOf(INTEGER).read(value[1], place.at(1))


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
    extrapolate: Any = "periodic" if values["outside"] == "periodic" else None
    breakpoints = np.array(values["breakpoints"])
    if not (np.diff(breakpoints) > 0).all():
        place.at("breakpoints").fail("each number must be greater than the one before.")
    return functions.Spline(scipy.interpolate.PPoly(c, breakpoints, extrapolate=extrapolate), outside=values["outside"])


def _declared(cls: type[functions.Function]) -> dict[str, FileField]:
    """A field of the file for each field of the dataclass."""
    return {each.name: FileField(OF_TYPES[each.type], default=_default(each)) for each in fields(cls)}  # type: ignore[arg-type] # all built-in functions are dataclasses


def _default(field: Field[Any]) -> Json:
    return NEEDED if field.default is MISSING else field.default


# what the fields of a class do not say
BY_HAND = {
    "MultiPoly": Spec(functions.MultiPoly, {"n_args": FileField(INTEGER), "terms": FileField(ListOf(Term()))}),
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
