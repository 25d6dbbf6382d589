"""The rules for start, min, max and nominal."""

import math

from lxml import etree

from mobod.fmi.rules.description import DescribedVariable, Description, integer, place
from mobod.fmi.rules.rule import Rule, RuleFindings

SPECIAL = Rule("special-value", "Attributes are finite numbers: no INF and no NaN.", "2.2", None)
MIN_MAX = Rule("min-max", "max is not less than min.", "2.2.3", "2.4.4")
RANGE = Rule("start-range", "The start value lies between min and max.", "2.2.3", "2.4.4")
NOMINAL = Rule("nominal", "The nominal value is not zero, and positive.", "2.2.3", "2.4.4", "warning")
ENUMERATION_VALUE = Rule("enumeration-value", "The start value of an enumeration is the value of one of its items.", "2.2.3", "2.4.4")
BINARY_SIZE = Rule("binary-size", "The start value of a binary is not longer than its maxSize.", None, "2.4.4")

_NUMBERS = ("start", "min", "max", "nominal")
_NOT_NUMBERS = ("Boolean", "String", "Binary", "Clock")
_MOST_STARTS = 1_000_000  # elements of an array whose start values are compared


def check(description: Description, found: RuleFindings) -> None:
    """Check the numbers of all types and variables."""
    for name, element in description.types.items():
        _check_bounds(f"the type '{name}'", element, place(element), found)
    items = {name: {integer(item.get("value")) for item in element.iterfind("Item")} for name, element in description.types.items()}
    for variable in description.variables:
        if variable.type == "Binary":
            _check_size(variable, found)
        if variable.type in _NOT_NUMBERS:
            continue
        if description.version == "2" and variable.is_float:
            _check_finite(variable, found)
        _check_bounds(str(variable), variable, variable.place, found)
        _check_start(variable, found)
        declared = variable.typed.get("declaredType") or ""
        if variable.type == "Enumeration" and variable.declared is not None and items[declared]:
            for start in variable.starts or ():
                if integer(start) is not None and integer(start) not in items[declared]:
                    message = f"{variable} has the start value {start}, which no item of '{declared}' has. Use the value of an item."
                    found.add(ENUMERATION_VALUE, message, variable.place)


def _check_bounds(what: str, owner: "DescribedVariable | etree._Element", where: str, found: RuleFindings) -> None:
    low, high, nominal = (_number(owner.get(name)) for name in ("min", "max", "nominal"))
    if low is not None and high is not None and high < low:
        found.add(MIN_MAX, f"{what} has min {low:g} and max {high:g}. Give a max that is not less.", where)
    if nominal is not None and not nominal > 0:
        found.add(NOMINAL, f"{what} has the nominal value {nominal:g}. Give a positive number.", where)


def _check_start(variable: DescribedVariable, found: RuleFindings) -> None:
    low, high = (_number(variable.get(name)) for name in ("min", "max"))
    if low is None and high is None:
        return
    for text in (variable.starts or ())[:_MOST_STARTS]:
        start = _number(text)
        if start is not None and ((low is not None and start < low) or (high is not None and start > high)):
            bounds = f"between {'no limit' if low is None else f'{low:g}'} and {'no limit' if high is None else f'{high:g}'}"
            message = f"{variable} has the start value {text}, which is not {bounds}. Change start, min or max."
            found.add(RANGE, message, variable.place)
            return


def _check_finite(variable: DescribedVariable, found: RuleFindings) -> None:
    for name in _NUMBERS:
        number = _number(variable.typed.get(name))
        if number is not None and not math.isfinite(number):
            found.add(SPECIAL, f"{variable} has {name}={variable.typed.get(name)!r}. Give a finite number.", variable.place)


def _check_size(variable: DescribedVariable, found: RuleFindings) -> None:
    size = integer(variable.get("maxSize"))
    for start in variable.starts or ():
        if size is not None and len(start) // 2 > size:
            message = f"{variable} has a start value of {len(start) // 2} bytes and a maxSize of {size}. Raise maxSize."
            found.add(BINARY_SIZE, message, variable.place)


def _number(text: str | None) -> float | int | None:
    """The number; integers without loss. None if it is not a number."""
    if text is None:
        return None
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return None  # the schema's finding
