"""Measures in a model file."""

from collections.abc import Callable, Mapping
from typing import Any, final

import numpy as np

from mobod import registry
from mobod.errors import UnsupportedError
from mobod.files.json_source import Json
from mobod.files.model.codecs import TEXT, UNITS, VALUES, Choice, Codec
from mobod.files.model.declared_fields import declared_fields
from mobod.files.model.elements import Family, FileField, Spec
from mobod.files.model.imports import import_path, imported, made_by_users
from mobod.files.model.place import Place, as_object, check_keys
from mobod.files.model.values_of_users import read_arguments, write_arguments
from mobod.forces.subsystem import forces_of
from mobod.system import Stage
from mobod.system.measures import Custom, CustomMeasure, Measure

UNIT = FileField(UNITS, lambda measure: measure.units, default="1")
# fields that cannot be derived from the declared fields of a class
BY_HAND: Mapping[str, Mapping[str, FileField]] = {
    "Constant": {"value": FileField(VALUES), "unit": UNIT},
    "Integrate": {"initial": FileField(VALUES, lambda measure: np.reshape(measure.z_starts, measure.shape), default=0.0)},
    "Readout": {"force": FileField(TEXT, lambda readout: readout.force and readout.force.name, default=None)},
    "Variable": {
        "value": FileField(VALUES),
        "invalidates": FileField(Choice(tuple(stage.name for stage in Stage)), lambda measure: measure.stage.name),
        "unit": UNIT,
    },
}


def _fields(cls: type[Measure]) -> dict[str, FileField]:
    declared = declared_fields(cls, Measure) | dict(BY_HAND.get(cls.__name__, {}))
    return declared | ({"unit": UNIT} if "unit" in declared else {})


def _maker(name: str) -> Callable[[Place, dict[str, Any]], Measure]:
    cls: Any = registry.MEASURES[name]

    def make(place: Place, values: dict[str, Any]) -> Measure:
        if "unit" in _fields(cls):
            values.setdefault("unit", "1")
        if "invalidates" in values:
            values["invalidates"] = Stage[values["invalidates"]]
        if values.get("force") is not None:
            values["force"] = _force(values["force"], place)
        measure: Measure = cls(place.system, **values)
        place.measures[measure.name] = measure
        return measure

    return make


def _force(name: str, place: Place) -> object:
    """The force that stands before the measure in the file."""
    forces = {force.name: force for force in forces_of(place.system)}
    if name not in forces:
        place.at("force").unknown("force", name, list(forces))
    return forces[name]


@final
class UsersMeasure(Codec[Measure]):
    """A CustomMeasure by import path, with its arguments."""

    @property
    def schema(self) -> dict[str, Json]:
        return {
            "type": "object",
            "properties": {"type": {"type": "string", "pattern": ":"}, "name": TEXT.schema, "arguments": {"type": "object"}},
            "required": ["type", "name"],
            "additionalProperties": False,
        }

    def write(self, value: Measure) -> Json:
        what = f"measure '{value.name}'"
        if not isinstance(value, CustomMeasure) or isinstance(value, Custom):
            raise UnsupportedError(f"{what} cannot be saved: a model file has no measure of type {type(value).__name__}.")
        return {
            "type": import_path(type(value), what),
            "name": value.name,
            "arguments": write_arguments(value, what, ", without the System and name"),
        }

    def read(self, value: Json, place: Place) -> Measure:
        found = as_object(value, place)
        check_keys(found, ["type", "name", "arguments"], place)
        if "name" not in found:
            place.fail("the key 'name' is missing.")
        cls = imported(str(found["type"]), place.at("type"), CustomMeasure)
        arguments, name = read_arguments(found, place), TEXT.read(found["name"], place.at("name"))
        measure: Measure = made_by_users(str(found["type"]), place, lambda: cls(place.system, **arguments, name=name))
        place.measures[measure.name] = measure
        return measure


MEASURE_ELEMENT = Family(
    "measure",
    {name: Spec(cls, {"name": FileField(TEXT), **_fields(cls)}, _maker(name)) for name, cls in registry.MEASURES.items()},
    UsersMeasure(),
)
