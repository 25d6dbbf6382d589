"""The components of a network by name, and their variables."""

# Decision: docs/decisions/135-components.md

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral, Real
from typing import NamedTuple, final

import numpy as np
from fmpy.model_description import Unit

from mobod.cosim.component_model import ComponentModel
from mobod.cosim.variable import Kind, NetworkVariable, Value
from mobod.errors import InputError, UnknownNameError
from mobod.system.number_names import array_of, entry_position, split_entry


@final
class Component:
    """A component of a network: its name, what it is, and start values that differ from its own."""

    def __init__(self, name: str, model: ComponentModel) -> None:
        self.name = name
        self.start: dict[str, Value] = {}
        self._take(model)

    def _take(self, model: ComponentModel) -> None:
        self.model = model
        self._arrays = _arrays(model.variables)

    @property
    def inputs(self) -> list[str]:
        return self._names("input")

    @property
    def outputs(self) -> list[str]:
        return self._names("output")

    def port(self, variable: str) -> "ComponentVariable":
        """The variable with this name, an entry of an array as `p[2]`. Raises UnknownNameError; InputError for the name of an array."""
        if self.is_array(variable):
            entries = self._arrays[variable].entries
            raise InputError(
                f"'{self.name}.{variable}' is an array of {len(entries)} entries. Name one of them, such as '{self.name}.{entries[0]}'."
            )
        return ComponentVariable(self, self.model.variables[self._entry(variable)])

    def ports(self, name: str) -> list["ComponentVariable"]:
        """The entries of the array with this name, or of variables named `name[1]`, `name[2]`, ... or `name[1,1]`, `name[1,2]`, ...; else
        the variable with this name.

        Raises UnknownNameError.
        """
        return [self.port(entry) for entry in (self._arrays[name].entries if self.is_array(name) else [name])]

    def is_array(self, name: str) -> bool:
        return name in self._arrays and name not in self.model.variables

    def shape(self, name: str) -> tuple[int, ...]:
        """Of the array with this name; () for a single variable."""
        return self._arrays[name].shape if self.is_array(name) else ()

    def has(self, name: str) -> bool:
        """Whether it has a variable or an array with this name."""
        return name in self.model.variables or name in self._arrays

    def _entry(self, name: str) -> str:
        """The name that the model gives to a single variable: 'q' for 'q[1]', 'R[1,3]' for 'R[3]'. Raises UnknownNameError."""
        thing = f"variable of '{self.name}'"
        if name in self.model.variables:
            return name
        if (split := split_entry(name, {**self.model.variables, **self._arrays})) is None:
            raise UnknownNameError(thing, name, [*self.model.variables, *self._arrays, *self.terminals])
        array = self._arrays.get(split[0], _Array((), [split[0]]))
        return array.entries[entry_position(thing, name, *split, array.shape)]

    @cached_property
    def terminals(self) -> Mapping[str, Mapping[str, str]]:
        """Variables that are connected as a whole: by the name of a Port or of an InputMotion, and by the name in it."""
        found: Mapping[str, Mapping[str, str]] = getattr(self.model, "terminals", {})
        return found

    def set_start(self, values: Mapping[str, object]) -> None:
        """Set start values of parameters, inputs and initial values, by name. An array takes a list, by rows.

        Raises UnknownNameError, and InputError for a variable that the component computes itself or a value of another type.
        """
        for name, value in self._entries(self._structural(values)).items():
            port = self.port(name)
            port.check_start_is_open()
            self.start[port.variable.name] = port.checked(value)

    def _structural(self, values: Mapping[str, object]) -> dict[str, object]:
        """The values, after those of structural parameters have decided the sizes of arrays."""
        variables = self.model.variables
        single = {name: variables.get(name) or variables.get(array_of(name)) for name in values}
        structural = [name for name, each in single.items() if each is not None and each.causality == "structuralParameter"]
        if structural:
            checked = {port.variable.name: port.checked(values[name]) for name in structural for port in [self.port(name)]}
            self._take(self.model.restructured({name: int(value) for name, value in {**self._sizes(), **checked}.items()}))
            self.start = {name: value for name, value in self.start.items() if name in self.model.variables} | checked
        return {name: value for name, value in values.items() if name not in structural}

    def _sizes(self) -> dict[str, Value]:
        return {name: value for name, value in self.start.items() if self.model.variables[name].causality == "structuralParameter"}

    def _entries(self, values: Mapping[str, object]) -> dict[str, object]:
        """Values by the names of entries."""
        found: dict[str, object] = {}
        for name, value in values.items():
            if not self.is_array(name):
                found[name] = value
                continue
            entries, given = self._arrays[name].entries, np.ravel(np.asarray(value)).tolist()
            if len(given) != len(entries):
                raise InputError(f"'{self.name}.{name}' has {len(entries)} entries, but was given {len(given)}.")
            found.update(zip(entries, given, strict=True))
        return found

    def _names(self, causality: str) -> list[str]:
        return [name for name, variable in self.model.variables.items() if variable.causality == causality]


@final
@dataclass(frozen=True)
class ComponentVariable:
    """A variable of a component."""

    component: Component
    variable: NetworkVariable

    def __str__(self) -> str:
        return f"{self.component.name}.{self.variable.name}"

    @property
    def unit(self) -> Unit | None:
        return self.variable.unit

    def is_same(self, other: "ComponentVariable") -> bool:
        """Whether both are the same variable, possibly under two names (aliases)."""
        return self.component is other.component and self.variable.key == other.variable.key

    def check_start_is_open(self) -> None:
        """Raise InputError unless FMI allows setting the variable before the initialization."""
        if not self.variable.start_is_open:
            raise InputError(
                f"'{self}' cannot be given a start value: the {self.component.model.noun} computes it (causality "
                f"{self.variable.causality}, variability {self.variable.variability}). Set a parameter, an input or an initial value."
            )

    def check_is_settable(self) -> None:
        """Raise InputError unless FMI allows setting the variable between steps."""
        if not self.variable.is_settable:
            raise InputError(
                f"'{self}' cannot be set during a run (causality {self.variable.causality}, variability {self.variable.variability}). Set "
                "an input or a tunable parameter."
            )

    def checked(self, value: object) -> Value:
        """The value as Python's float, int, bool or str, by the kind of the variable. For an enumeration the name of an item is also
        accepted.
        """
        kind = self.variable.kind
        if isinstance(value, (bool, np.bool_)):
            if kind == "boolean":
                return bool(value)
        elif isinstance(value, str):
            if kind == "string":
                return value
            if kind == "enumeration":
                return self._item(value)
        elif isinstance(value, Real) and kind == "float":
            if not math.isfinite(value):
                raise InputError(f"'{self}' was given {value!r}. Give a finite number.")
            return float(value)
        elif isinstance(value, Integral) and kind in ("integer", "enumeration"):
            whole = int(value)
            if not self.variable.lowest <= whole <= self.variable.highest:
                raise InputError(
                    f"'{self}' was given {whole}. Type {self.variable.type} goes from {self.variable.lowest} to {self.variable.highest}."
                )
            return whole
        raise InputError(f"'{self}' is of type {self.variable.type}, but was given {value!r}.")

    def parsed(self, text: str) -> Value:
        """The value of a text, as on a command line, by the kind of the variable."""
        try:
            value = _READERS[self.variable.kind](text)
        except ValueError:
            raise InputError(f"'{self}' is of type {self.variable.type}, but was given {text!r}.") from None
        return self.checked(value)

    def _item(self, name: str) -> int:
        items = self.variable.items
        UnknownNameError.check(f"item of '{self}'", name, items)
        return items[name]


class _Array(NamedTuple):
    """Its shape, and the names of its entries by rows."""

    shape: tuple[int, ...]
    entries: list[str]


def _arrays(names: Iterable[str]) -> dict[str, _Array]:
    """Arrays by name: names that end in [1], [2], ... or [1,1], [1,2], ..., all indices of a shape."""
    found: dict[str, dict[tuple[int, ...], str]] = {}
    for name in names:
        if (array := array_of(name)) != name:
            index = name[name.rindex("[") + 1 : name.rindex("]")].split(",")
            found.setdefault(array, {})[tuple(map(int, index))] = name
    arrays = {}
    for array, entries in found.items():
        shape = tuple(max(sizes) for sizes in zip(*entries, strict=False))
        if {len(index) for index in entries} == {len(shape)} and math.prod(shape) == len(entries):
            arrays[array] = _Array(shape, [entries[index] for index in sorted(entries)])
    return arrays


def _truth(text: str) -> bool:
    if text not in ("true", "false", "1", "0"):
        raise ValueError(text)
    return text in ("true", "1")


def _number_or_name(text: str) -> int | str:
    return int(text) if text.lstrip("+-").isdecimal() else text


_READERS: dict[Kind, Callable[[str], object]] = {
    "float": float,
    "integer": int,
    "enumeration": _number_or_name,
    "boolean": _truth,
    "string": str,
}
