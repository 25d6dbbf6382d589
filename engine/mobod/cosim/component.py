"""The FMUs of a network by name, and their variables."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import final

import numpy as np
from fmpy.model_description import ModelVariable, Unit

from mobod.cosim.batch import Value
from mobod.cosim.fmu_file import FmuFile
from mobod.errors import InputError, UnknownNameError


@final
class Component:
    """An FMU in a network: its name, its file, and start values that differ from its own."""

    def __init__(self, name: str, file: FmuFile) -> None:
        self.name = name
        self.file = file
        self.start: dict[str, Value] = {}

    @property
    def inputs(self) -> list[str]:
        return self._names("input")

    @property
    def outputs(self) -> list[str]:
        return self._names("output")

    def port(self, variable: str) -> "ComponentVariable":
        """The variable with this name. Raises UnknownNameError."""
        if variable not in self.file.variables:
            raise UnknownNameError(f"variable of '{self.name}'", variable, self.file.variables)
        return ComponentVariable(self, self.file.variables[variable])

    def set_start(self, values: Mapping[str, object]) -> None:
        """Set start values of parameters, inputs and initial values, by name.

        Raises UnknownNameError, and InputError for a variable that the FMU computes itself or a value of another type.
        """
        for name, value in values.items():
            port = self.port(name)
            port.check_start_is_open()
            self.start[name] = port.checked(value)

    def _names(self, causality: str) -> list[str]:
        return [name for name, variable in self.file.variables.items() if variable.causality == causality]


@final
@dataclass(frozen=True)
class ComponentVariable:
    """A variable of a component."""

    component: Component
    variable: ModelVariable

    def __str__(self) -> str:
        return f"{self.component.name}.{self.variable.name}"

    @property
    def unit(self) -> Unit | None:
        return self.component.file.unit(self.variable)

    def is_same(self, other: "ComponentVariable") -> bool:
        """Whether both are the same variable, possibly under two names (aliases)."""
        mine, its = self.variable, other.variable
        return self.component is other.component and (mine.type, mine.valueReference) == (its.type, its.valueReference)

    def check_start_is_open(self) -> None:
        """Raise InputError unless FMI 2.0 allows setting the variable before the initialization."""
        variable = self.variable
        if variable.variability == "constant" or (variable.causality != "input" and variable.initial not in ("exact", "approx")):
            raise InputError(
                f"'{self}' cannot be given a start value: the FMU computes it (causality {variable.causality}, variability "
                f"{variable.variability}). Set a parameter, an input or an initial value."
            )

    def check_is_settable(self) -> None:
        """Raise InputError unless FMI 2.0 allows setting the variable between steps."""
        variable = self.variable
        if variable.causality != "input" and not (variable.causality == "parameter" and variable.variability == "tunable"):
            raise InputError(
                f"'{self}' cannot be set during a run (causality {variable.causality}, variability {variable.variability}). Set an input "
                "or a tunable parameter."
            )

    def checked(self, value: object) -> Value:
        """The value as Python's float, int, bool or str, by the type of the variable. For an enumeration the name of an item is also
        accepted.
        """
        kind = self.variable.type
        if isinstance(value, (bool, np.bool_)):
            if kind == "Boolean":
                return bool(value)
        elif isinstance(value, str):
            if kind == "String":
                return value
            if kind == "Enumeration":
                return self._item(value)
        elif isinstance(value, Real) and kind == "Real":
            if not math.isfinite(value):
                raise InputError(f"'{self}' was given {value!r}. Give a finite number.")
            return float(value)
        elif isinstance(value, Integral) and kind in ("Integer", "Enumeration"):
            whole = int(value)
            if not -(2**31) <= whole < 2**31:
                raise InputError(f"'{self}' was given {whole}. FMI 2.0 has integers of 32 bits.")
            return whole
        raise InputError(f"'{self}' is of type {kind}, but was given {value!r}.")

    def parsed(self, text: str) -> Value:
        """The value of a text, as on a command line, by the type of the variable."""
        kind = self.variable.type
        try:
            value = _READERS[kind](text)
        except ValueError:
            raise InputError(f"'{self}' is of type {kind}, but was given {text!r}.") from None
        return self.checked(value)

    def _item(self, name: str) -> int:
        declared = self.variable.declaredType
        items = {item.name: int(item.value) for item in declared.items} if declared is not None else {}
        if name not in items:
            raise UnknownNameError(f"item of '{self}'", name, items)
        return items[name]


def _truth(text: str) -> bool:
    if text not in ("true", "false", "1", "0"):
        raise ValueError(text)
    return text in ("true", "1")


def _number_or_name(text: str) -> int | str:
    return int(text) if text.lstrip("+-").isdecimal() else text


_READERS: dict[str, Callable[[str], object]] = {
    "Real": float,
    "Integer": int,
    "Enumeration": _number_or_name,
    "Boolean": _truth,
    "String": str,
}
