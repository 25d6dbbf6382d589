"""Connection of an output to an input, and the check that both fit."""

from dataclasses import dataclass
from math import isclose
from typing import final

from fmpy.model_description import Unit

from mobod import errors
from mobod.cosim.component import ComponentVariable


@final
@dataclass(frozen=True)
class Connection:
    """A connection of an output to an input.

    Raises errors.ConnectionError unless source is an output, target is an input, and they agree in type and unit. A variable without a unit
    fits any unit.
    """

    source: ComponentVariable
    target: ComponentVariable

    def __post_init__(self) -> None:
        if self.source.variable.causality != "output":
            raise self._error(f"'{self.source}' is not an output (its causality is {self.source.variable.causality})")
        if self.target.variable.causality != "input":
            hint = ". Give a parameter its value as a start value" if self.target.variable.causality == "parameter" else ""
            raise self._error(f"'{self.target}' is not an input (its causality is {self.target.variable.causality}){hint}")
        one, other = self.source.variable, self.target.variable
        types = f"their types are {one.type} and {other.type}"
        if one.kind != other.kind:
            raise self._error(types)
        if one.kind == "enumeration" and list(one.items.items()) != list(other.items.items()):
            raise self._error("the items of their enumerations differ")
        if one.kind == "integer" and not (other.lowest <= one.lowest and one.highest <= other.highest):
            raise self._error(f"{types}, and {other.type} does not have all values of {one.type}")
        given, wanted = self.source.unit, self.target.unit
        if given is not None and wanted is not None and not _alike(given, wanted):
            raise self._error(f"their units are {_described(given)} and {_described(wanted)}. Convert the value in one of the models")

    def __str__(self) -> str:
        return f"{self.source} -> {self.target}"

    def _error(self, reason: str) -> errors.ConnectionError:
        return errors.ConnectionError(f"'{self.source}' cannot be connected to '{self.target}': {reason}.")


_EXPONENTS = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")


def _alike(a: Unit, b: Unit) -> bool:
    """Whether two units are equal: by exponents, factor and offset if both define them, since tools write 'N.m', 'Nm' and 'N m'; else by
    name.
    """
    if a.baseUnit is None or b.baseUnit is None:
        return a.name == b.name
    # tools write factors such as pi/180 with 15 or more digits
    scaled = isclose(a.baseUnit.factor, b.baseUnit.factor, rel_tol=1e-12) and isclose(a.baseUnit.offset, b.baseUnit.offset, rel_tol=1e-12)
    return scaled and all(getattr(a.baseUnit, letter) == getattr(b.baseUnit, letter) for letter in _EXPONENTS)


def _described(unit: Unit) -> str:
    """'deg (0.0174533 rad)', 'm (m)', or only the name if the unit has no definition."""
    base = unit.baseUnit
    if base is None:
        return f"'{unit.name}'"
    exponents = [(letter, getattr(base, letter)) for letter in _EXPONENTS]
    powers = [letter if exponent == 1 else f"{letter}^{exponent}" for letter, exponent in exponents if exponent]
    factor = [f"{base.factor:g}"] if base.factor != 1 or not powers else []
    offset = f", zero at {base.offset:g}" if base.offset else ""
    return f"'{unit.name}' ({' '.join(factor + powers)}{offset})"
