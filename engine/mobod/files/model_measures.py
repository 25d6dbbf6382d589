"""Measures in a model file."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from mobod import registry
from mobod.files.codecs import TEXT, UNITS, VALUES, Choice, Place
from mobod.files.declared_fields import declared_fields
from mobod.files.elements import Family, Field, Spec
from mobod.system import Stage
from mobod.system.measures import Measure

UNIT = Field(UNITS, lambda measure: measure.units, default="1")
# what the fields of a class do not say
BY_HAND: Mapping[str, Mapping[str, Field]] = {
    "Constant": {"value": Field(VALUES, lambda measure: measure.default_value), "unit": UNIT},
    "Integrate": {"initial": Field(VALUES, lambda measure: np.reshape(measure.z_starts, measure.shape), default=0.0)},
    "Variable": {
        "value": Field(VALUES, lambda measure: measure.default_value),
        "invalidates": Field(Choice(tuple(stage.name for stage in Stage)), lambda measure: measure.stage.name),
        "unit": UNIT,
    },
}


def _fields(cls: type[Measure]) -> dict[str, Field]:
    declared = declared_fields(cls, Measure) | dict(BY_HAND.get(cls.__name__, {}))
    return declared | ({"unit": UNIT} if "unit" in declared else {})


def _maker(name: str) -> Callable[[Place, dict[str, Any]], Measure]:
    cls: Any = registry.MEASURES[name]

    def make(place: Place, values: dict[str, Any]) -> Measure:
        if "unit" in _fields(cls):
            values.setdefault("unit", "1")
        if "invalidates" in values:
            values["invalidates"] = Stage[values["invalidates"]]
        measure: Measure = cls(place.system, **values)
        place.measures[measure.name] = measure
        return measure

    return make


MEASURE_ELEMENT = Family(
    "measure",
    {name: Spec(cls, {"name": Field(TEXT), **_fields(cls)}, _maker(name)) for name, cls in registry.MEASURES.items()},
)
