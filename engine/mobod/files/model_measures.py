"""Measures in a model file."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from mobod import registry
from mobod.files.codecs import INTEGER, MEASURE, NUMBER, TEXT, UNITS, VALUES, Choice, Place
from mobod.files.elements import Family, Field, Spec
from mobod.system import Stage
from mobod.system.measures import Measure


def _parameter(name: str) -> Callable[[Any], Any]:
    return lambda measure: measure.default_parameter(name)


UNIT = Field(UNITS, lambda measure: measure.units, default="1")
OPERAND = Field(MEASURE)
FIELDS: Mapping[str, Mapping[str, Field]] = {
    "Constant": {"value": Field(VALUES, lambda measure: measure.default_value), "unit": UNIT},
    "Delay": {
        "operand": OPERAND,
        "delay": Field(NUMBER),
        "before": Field(VALUES, default=None),
        "capacity": Field(INTEGER, default=1000),
    },
    "Differentiate": {"operand": OPERAND, "unit": UNIT},
    "Integrate": {
        "operand": OPERAND,
        "initial": Field(VALUES, lambda measure: np.reshape(measure.z_starts, measure.shape), default=0.0),
        "unit": UNIT,
    },
    **{name: {"operand": OPERAND} for name in ("MaxAbs", "Maximum", "MinAbs", "Minimum")},
    **{name: {"left": Field(MEASURE), "right": Field(MEASURE), "unit": UNIT} for name in ("Minus", "Plus")},
    "SampleAndHold": {"operand": OPERAND, "interval": Field(NUMBER, default=None), "before": Field(VALUES, default=None)},
    "Scale": {
        "factor": Field(NUMBER, _parameter("factor")),
        "operand": OPERAND,
        "unit": UNIT,
        "factor_unit": Field(TEXT, lambda measure: measure.parameter_unit("factor"), default="1"),
    },
    "Sinusoid": {
        **{name: Field(NUMBER, _parameter(name)) for name in ("amplitude", "frequency", "phase")},
        "unit": UNIT,
    },
    "Time": {},
    "Variable": {
        "value": Field(VALUES, lambda measure: measure.default_value),
        "invalidates": Field(Choice(tuple(stage.name for stage in Stage)), lambda measure: measure.stage.name),
        "unit": UNIT,
    },
}


def _maker(name: str) -> Callable[[Place, dict[str, Any]], Measure]:
    cls: Any = registry.MEASURES[name]

    def make(place: Place, values: dict[str, Any]) -> Measure:
        if "unit" in FIELDS[name]:
            values.setdefault("unit", "1")
        if "invalidates" in values:
            values["invalidates"] = Stage[values["invalidates"]]
        measure: Measure = cls(place.system, **values)
        place.measures[measure.name] = measure
        return measure

    return make


MEASURE_ELEMENT = Family(
    "measure",
    {name: Spec(cls, {"name": Field(TEXT), **FIELDS[name]}, _maker(name)) for name, cls in registry.MEASURES.items()},
)
