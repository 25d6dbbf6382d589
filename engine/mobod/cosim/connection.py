"""Connection of an output to an input, and the check that both fit."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import final

from mobod import errors
from mobod.cosim.component import ComponentVariable
from mobod.cosim.connections.unit_conversion import UnitConversion, conversion, described
from mobod.cosim.variable import Value


@final
@dataclass(frozen=True)
class Connection:
    """A connection of an output to an input.

    gain, offset  input = gain * output + offset, where the output is converted to the unit of the input first; offset is in this unit
    converts_units
                  False: the units are left aside

    Raises errors.ConnectionError unless source is an output, target is an input, they agree in type, and their units can be converted. A
    variable without a unit fits any unit.
    """

    source: ComponentVariable
    target: ComponentVariable
    gain: float = 1.0
    offset: float = 0.0
    converts_units: bool = True

    def __post_init__(self) -> None:
        if self.source.variable.causality != "output":
            raise self._error(f"'{self.source}' is not an output (its causality is {self.source.variable.causality})")
        if self.target.variable.causality != "input":
            hint = ". Give a parameter its value as a start value" if self.target.variable.causality == "parameter" else ""
            raise self._error(f"'{self.target}' is not an input (its causality is {self.target.variable.causality}){hint}")
        one, other = self.source.variable, self.target.variable
        types = f"their types are {one.type} and {other.type}"
        # FMI passes enumerations as the numbers of their items; RangeWatch looks at the numbers that an enumeration is given
        if one.kind != other.kind and {one.kind, other.kind} != {"integer", "enumeration"}:
            raise self._error(types)
        if one.items and other.items and list(one.items.items()) != list(other.items.items()):
            raise self._error("the items of their enumerations differ")
        if one.kind == other.kind == "integer" and not (other.lowest <= one.lowest and one.highest <= other.highest):
            raise self._error(f"{types}, and {other.type} does not have all values of {one.type}")
        if (self.gain, self.offset) != (1, 0) and one.kind != "float":
            raise self._error(f"{types}. Only real numbers take a gain and an offset")
        if not (math.isfinite(self.gain) and math.isfinite(self.offset) and self.gain):
            raise self._error(f"its gain is {self.gain} and its offset {self.offset}. Give finite numbers, and a gain that is not 0")
        if self._converted is None:
            units = " and ".join(described(each.unit) for each in (self.source, self.target) if each.unit is not None)
            raise self._error(f"their units are {units}, which cannot be converted. Convert the value in one of the models")

    @cached_property
    def _converted(self) -> UnitConversion | None:
        given, wanted = self.source.unit, self.target.unit
        if not self.converts_units or given is None or wanted is None or self.source.variable.kind != "float":
            return UnitConversion()
        return conversion(given, wanted, relative=(self.source.variable.is_relative, self.target.variable.is_relative))

    @property
    def conversion(self) -> UnitConversion:
        """From the unit of the output to that of the input."""
        assert self._converted is not None  # checked on construction
        return self._converted

    @property
    def factor(self) -> float:
        """input = factor * output + shift"""
        return self.gain * self.conversion.factor

    @property
    def shift(self) -> float:
        return self.gain * self.conversion.offset + self.offset

    @property
    def is_plain(self) -> bool:
        """Whether the input takes the value as it is."""
        return self.factor == 1 and self.shift == 0

    def taken(self, value: Value) -> Value:
        """The value that the input takes of an output's value."""
        return value if self.is_plain or isinstance(value, str) else self.factor * value + self.shift

    @property
    def change(self) -> str:
        """What is done with a value on the way, such as "deg to rad, times 0.0174533"; '' if nothing is."""
        names = [each.unit.name for each in (self.source, self.target) if each.unit is not None]
        units = "" if self.conversion == UnitConversion() else f"{' to '.join(names)}, "
        return "" if self.is_plain else f"{units}times {self.factor:.6g}{f' plus {self.shift:.6g}' if self.shift else ''}"

    def __str__(self) -> str:
        return f"{self.source} -> {self.target}{f' ({self.change})' if self.change else ''}"

    def _error(self, reason: str) -> errors.ConnectionError:
        return errors.ConnectionError(f"'{self.source}' cannot be connected to '{self.target}': {reason}.")
