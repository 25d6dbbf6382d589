"""The components of a network by name, and their variables."""

# Decision: docs/decisions/135-components.md

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral, Real
from typing import final

import numpy as np
from fmpy.model_description import Unit

from mobod.cosim.component_model import ComponentModel
from mobod.cosim.variable import Kind, NetworkVariable, Value
from mobod.errors import InputError, UnknownNameError


@final
class Component:
    """A component of a network: its name, what it is, and start values that differ from its own."""

    def __init__(self, name: str, model: ComponentModel) -> None:
        self.name = name
        self.start: dict[str, Value] = {}
        self._take(model)

    def _take(self, model: ComponentModel) -> None:
        self.model = model
        arrays: dict[str, list[str]] = {}
        for variable in model.variables.values():
            if variable.array is not None:
                arrays.setdefault(variable.array, []).append(variable.name)
        self._vectors = {**_vectors(model.variables), **arrays}

    @property
    def inputs(self) -> list[str]:
        return self._names("input")

    @property
    def outputs(self) -> list[str]:
        return self._names("output")

    def port(self, variable: str) -> "ComponentVariable":
        """The variable with this name, an entry of an array as `p[2]`. Raises UnknownNameError; InputError for the name of an array."""
        if variable in self._vectors and variable not in self.model.variables:
            entries = self._vectors[variable]
            raise InputError(
                f"'{self.name}.{variable}' is an array of {len(entries)} entries. Name one of them, such as '{self.name}.{entries[0]}'."
            )
        if variable not in self.model.variables:
            known = [*self.model.variables, *self._vectors, *self.terminals]
            raise UnknownNameError(f"variable of '{self.name}'", variable, known)
        return ComponentVariable(self, self.model.variables[variable])

    def ports(self, name: str) -> list["ComponentVariable"]:
        """The entries of the array with this name, or of variables named `name[1]`, `name[2]`, ... or `name[1,1]`, `name[1,2]`, ...; else
        the variable with this name.

        Raises UnknownNameError.
        """
        if name not in self.model.variables and name in self._vectors:
            return [self.port(entry) for entry in self._vectors[name]]
        return [self.port(name)]

    def has(self, name: str) -> bool:
        """Whether it has a variable or an array with this name."""
        return name in self.model.variables or name in self._vectors

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
            self.start[name] = port.checked(value)

    def _structural(self, values: Mapping[str, object]) -> dict[str, object]:
        """The values, after those of structural parameters have decided the sizes of arrays."""
        structural = {
            name: value
            for name, value in values.items()
            if name in self.model.variables and self.model.variables[name].causality == "structuralParameter"
        }
        if structural:
            checked = {name: self.port(name).checked(value) for name, value in structural.items()}
            self._take(self.model.restructured({name: int(value) for name, value in {**self._sizes(), **checked}.items()}))
            self.start = {name: value for name, value in self.start.items() if name in self.model.variables} | checked
        return {name: value for name, value in values.items() if name not in structural}

    def _sizes(self) -> dict[str, Value]:
        return {name: value for name, value in self.start.items() if self.model.variables[name].causality == "structuralParameter"}

    def _entries(self, values: Mapping[str, object]) -> dict[str, object]:
        """Values by the names of entries."""
        found: dict[str, object] = {}
        for name, value in values.items():
            if name not in self._vectors or name in self.model.variables:
                found[name] = value
                continue
            entries, given = self._vectors[name], np.ravel(np.asarray(value)).tolist()
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
        if name not in items:
            raise UnknownNameError(f"item of '{self}'", name, items)
        return items[name]


def _vectors(names: Iterable[str]) -> dict[str, list[str]]:
    """The names of entries by the name of their vector or matrix, by rows: names that end in [1], [2], ... or [1,1], [1,2], ..."""
    found: dict[str, dict[tuple[int, ...], str]] = {}
    for name in names:
        stem, bracket, indices = name.removesuffix("]").rpartition("[")
        if bracket and name.endswith("]") and all(each.isdecimal() for each in indices.split(",")):
            found.setdefault(stem, {})[tuple(map(int, indices.split(",")))] = name
    vectors = {stem: [entries[index] for index in sorted(entries)] for stem, entries in found.items()}
    return {stem: entries for stem, entries in vectors.items() if _is_full(list(found[stem]))}


def _is_full(indices: list[tuple[int, ...]]) -> bool:
    """Whether indices, counted from 1, are those of an array."""
    if len({len(index) for index in indices}) > 1:
        return False
    shape = [max(sizes) for sizes in zip(*indices, strict=True)]
    return math.prod(shape) == len(indices) and min(min(index) for index in indices) == 1


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
