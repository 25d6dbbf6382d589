"""The rules for units, and the unit of a derivative."""

import math
from dataclasses import dataclass
from typing import final

from lxml import etree

from mobod.fmi.rules.description import DescribedVariable, Description, place
from mobod.fmi.rules.rule import Rule, RuleFindings

UNIT_UNIQUE = Rule("unit-unique", "Each unit has a name of its own, and each display unit within its unit.", "2.2.2", "2.4.3")
UNIT = Rule("unit", "The unit of a variable or type is defined.", "2.2.3", "2.4.4")
UNIT_FACTOR = Rule("unit-factor", "Factors of units are finite and not zero.", "2.2.2", "2.4.3", "warning")
DISPLAY_UNIT = Rule("display-unit", "A variable or type with a display unit has a unit.", "2.2.3", "2.4.4")
DISPLAY_UNIT_DEFINED = Rule("display-unit-defined", "The display unit is defined in its unit.", None, "2.4.4")
DISPLAY_UNIT_IGNORED = Rule(
    "display-unit-ignored", "The display unit is defined in its unit; otherwise it is ignored.", "2.2.3", None, "warning"
)
DERIVATIVE_UNIT = Rule(
    "derivative-unit", "The unit of a derivative is that of its variable, divided by the unit of time.", "2.2.7", "2.4.7.5", "warning"
)

_EXPONENTS = ("kg", "m", "s", "A", "K", "mol", "cd")


def check(description: Description, found: RuleFindings) -> None:
    """Check unit definitions and all uses of units."""
    _check_definitions(description, found)
    displays = {name: {each.get("name") for each in unit.iterfind("DisplayUnit")} for name, unit in description.units.items()}
    for name, element in description.types.items():
        _check_use(f"the type '{name}'", element, displays, place(element), found)
    for variable in description.variables:
        if variable.is_float:
            _check_use(str(variable), variable, displays, variable.place, found)
            if description.version == "3":
                for alias in variable.element.iterfind("Alias[@displayUnit]"):
                    uses = {"unit": variable.get("unit"), "displayUnit": alias.get("displayUnit")}
                    _check_use(f"the alias '{alias.get('name')}'", uses, displays, place(alias), found)
            if variable.typed.get("derivative") is not None:
                _check_derivative(description, variable, found)


def _check_definitions(description: Description, found: RuleFindings) -> None:
    seen = set[str | None]()
    for unit in description.root.iterfind("UnitDefinitions/Unit"):
        name = unit.get("name")
        if name in seen:
            found.add(UNIT_UNIQUE, f"the unit '{name}' is defined twice. Remove one.", place(unit))
        seen.add(name)
        inner = set[str | None]()
        for display in unit.iterfind("DisplayUnit"):
            if display.get("name") in inner:
                message = f"the display unit '{display.get('name')}' is defined twice in the unit '{name}'. Remove one."
                found.add(UNIT_UNIQUE, message, place(display))
            inner.add(display.get("name"))
        for element in (*unit.iterfind("BaseUnit"), *unit.iterfind("DisplayUnit")):
            factor = _number(element, "factor", 1.0)
            if factor == 0 or not math.isfinite(factor):
                message = f"the unit '{name}' has the factor {factor:g}. Give the factor of the conversion."
                found.add(UNIT_FACTOR, message, place(element))


def _check_use(
    what: str,
    owner: "DescribedVariable | etree._Element | dict[str, str | None]",
    displays: dict[str, set[str | None]],
    where: str,
    found: RuleFindings,
) -> None:
    unit, display = owner.get("unit"), owner.get("displayUnit")
    if unit is not None and unit not in displays:
        found.add(UNIT, f"{what} has the unit '{unit}', which is not defined. Define it in UnitDefinitions.", where)
    elif display is not None and unit is None:
        found.add(DISPLAY_UNIT, f"{what} has the display unit '{display}', but no unit. Give it a unit.", where)
    elif display is not None and unit is not None and display not in displays[unit]:
        rule = DISPLAY_UNIT_IGNORED if found.version == "2" else DISPLAY_UNIT_DEFINED
        found.add(rule, f"{what} has the display unit '{display}', which the unit '{unit}' does not define. Define it.", where)


@final
@dataclass(frozen=True)
class _BaseUnit:
    """The exponents of SI units without rad, which counts as 1, and the factor."""

    exponents: tuple[int, ...]
    factor: float


_SECOND = _BaseUnit((0, 0, 1, 0, 0, 0, 0), 1.0)


def _check_derivative(description: Description, derivative: DescribedVariable, found: RuleFindings) -> None:
    variable = description.derivative_of(derivative)
    if variable is None:
        return
    of, rate = (_base_unit(description, each.get("unit")) for each in (variable, derivative))
    if of is None or rate is None:
        return
    independent = description.independent
    time = _SECOND if independent is None or independent.get("unit") is None else _base_unit(description, independent.get("unit"))
    if time is None:
        return
    expected = tuple(a - b for a, b in zip(of.exponents, time.exponents, strict=True))
    if rate.exponents != expected or not math.isclose(rate.factor, of.factor / time.factor, rel_tol=1e-6):
        message = f"{derivative} has the unit '{derivative.get('unit')}', but is the derivative of {variable} in '{variable.get('unit')}'."
        found.add(DERIVATIVE_UNIT, f"{message} Correct one of the units.", derivative.place)


def _base_unit(description: Description, name: str | None) -> _BaseUnit | None:
    unit = None if name is None else description.units.get(name)
    base = None if unit is None else unit.find("BaseUnit")
    if base is None:
        return None
    factor = _number(base, "factor", 1.0)
    exponents = tuple(int(_number(base, each, 0.0)) for each in _EXPONENTS)
    return _BaseUnit(exponents, factor) if factor and math.isfinite(factor) else None


def _number(element: "etree._Element", attribute: str, default: float) -> float:
    try:
        number = float(element.get(attribute) or default)
    except ValueError:
        return default  # the schema's finding
    return number if math.isfinite(number) or attribute == "factor" else default
