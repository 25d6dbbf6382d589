"""The tables in the docstrings of elements agree with the parameters that the classes declare."""

import inspect
import re

import pytest

from mobod import registry
from mobod.system.elements import Composed, Parameter, fields_of

ELEMENTS = registry.MOBILIZERS | registry.CONSTRAINTS | registry.FORCES | registry.MEASURES
PARAMETERS = [
    (name, field.name) for name, cls in ELEMENTS.items() for field in fields_of(cls).values() if isinstance(field, (Parameter, Composed))
]


def as_written(unit):
    """'N.m/s2' as docstrings have it: 'N m/s^2'."""
    return re.sub(r"(?<=[a-z])(\d)", r"^\1", unit).replace(".", " ")


@pytest.mark.parametrize(("element", "name"), PARAMETERS)
def test_a_parameter_has_a_row_with_its_unit(element, name):
    field = fields_of(ELEMENTS[element])[name]
    rows = [line for line in inspect.getdoc(ELEMENTS[element]).split("\n") if re.match(rf"[\w, ]*\b{name}\b[\w, ]*  ", line)]
    assert len(rows) == 1
    known = {unit for unit in getattr(field, "units", ()) if unit != "1" and "{" not in unit}
    assert all(as_written(unit) in rows[0] for unit in known)


def test_the_table_covers_what_is_declared():
    assert {("Screw", "pitch"), ("Rod", "length"), ("LinearBushing", "stiffness"), ("Sinusoid", "phase")} <= set(PARAMETERS)
