"""The rules for arrays and structural parameters of FMI 3.0."""

import math

from lxml import etree

from mobod.fmi.rules.description import DescribedVariable, Description, integer
from mobod.fmi.rules.rule import Rule, RuleFindings

DIMENSION = Rule("dimension", "A dimension has either a start value or a value reference, and its size is positive.", None, "2.4.7.2")
DIMENSION_REFERENCE = Rule(
    "dimension-reference", "A dimension refers to a structural parameter or a constant of type UInt64.", None, "2.4.7.2"
)
STRUCTURAL = Rule("structural-parameter", "A structural parameter has no dimensions.", None, "2.4.7.4")
START_COUNT = Rule("start-count", "An array has one start value, or one for each element; a scalar has one.", None, "2.4.7.5")


def check(description: Description, found: RuleFindings) -> None:
    """Check the dimensions and the number of start values of each variable."""
    for variable in description.variables:
        if variable.type == "Clock":
            continue
        sizes = [_size(description, variable, each, found) for each in variable.element.iterfind("Dimension")]
        if sizes and variable.causality == "structuralParameter":
            found.add(STRUCTURAL, f"{variable} is a structural parameter with dimensions. Make it a scalar.", variable.place)
        starts = variable.starts
        known = [size for size in sizes if size is not None]
        if starts is None or len(known) < len(sizes):
            continue
        n_elements = math.prod(known)
        if len(starts) not in (1, n_elements):
            message = f"{variable} has {len(starts)} start values and {n_elements} elements. Give one value, or one for each element."
            found.add(START_COUNT, message, variable.place)


def _size(description: Description, variable: DescribedVariable, dimension: "etree._Element", found: RuleFindings) -> int | None:
    """The size of a dimension; None if it is not known."""
    start, reference = dimension.get("start"), dimension.get("valueReference")
    if (start is None) == (reference is None):
        message = f"a dimension of {variable} has both start and valueReference, or none of them. Give one of them."
        found.add(DIMENSION, message, variable.place)
        return None
    if start is not None:
        size = integer(start)
        if size == 0:
            found.add(DIMENSION, f"a dimension of {variable} has the size 0. Give a positive size.", variable.place)
        return size
    parameter = description.referred(reference)
    if parameter is None:
        message = f"a dimension of {variable} refers to the value reference {reference}, which no variable has. Correct it."
        found.add(DIMENSION_REFERENCE, message, variable.place)
        return None
    if parameter.type != "UInt64":
        message = f"a dimension of {variable} refers to {parameter} of type {parameter.type}. Make that variable a UInt64."
        found.add(DIMENSION_REFERENCE, message, variable.place)
        return None
    if parameter.causality != "structuralParameter" and parameter.variability != "constant":
        message = f"a dimension of {variable} refers to {parameter}, which is neither a structural parameter nor constant. Make it one."
        found.add(DIMENSION_REFERENCE, message, variable.place)
    size = integer(parameter.starts[0] if parameter.starts else None)
    if size == 0:
        message = f"{parameter} is the size of {variable}, and its start value is 0. Give a positive start value."
        found.add(DIMENSION, message, parameter.place)
    return size
