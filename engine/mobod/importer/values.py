"""VariableValues: variables of an instance that are read or written together, with one call for each type."""

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, final

from mobod.errors import InputError
from mobod.importer.fmi_version import FmiVersion
from mobod.importer.kinds import Value, VariableKind
from mobod.importer.variable import ForeignVariable


class FmuFunctions(Protocol):
    """An instance: its version, the number of elements of a variable, and its functions without their prefix."""

    @property
    def version(self) -> FmiVersion: ...

    def size(self, variable: ForeignVariable) -> int: ...

    def call(self, function: str, *arguments: object) -> None: ...


@dataclass(frozen=True)
class _GroupOfType:
    """The variables of one type: positions of their elements among all, and what is needed for their calls."""

    ending: str
    positions: list[int]
    from_c: Callable[[Any], Value]
    to_c: Callable[[Value], object]
    values: Any  # C array
    arguments: tuple[object, ...]  # C arrays of value references and of values, with their sizes


@final
class VariableValues:
    """The values of some variables: those of all elements in a row, an array by rows, or a list for each variable.

    size  number of all elements
    """

    def __init__(self, instance: FmuFunctions, variables: Sequence[ForeignVariable]) -> None:
        self._instance = instance
        self._slices: list[slice] = []
        self._groups: list[_GroupOfType] = []
        self.size = 0
        grouped: dict[VariableKind, list[ForeignVariable]] = {}
        positions: dict[VariableKind, list[int]] = {}
        for variable in variables:
            if variable.kind is None:
                raise InputError(f"'{variable}' is of type {variable.type}, which is no number, truth value or text.")
            first, self.size = self.size, self.size + instance.size(variable)
            self._slices.append(slice(first, self.size))
            grouped.setdefault(variable.kind, []).append(variable)
            positions.setdefault(variable.kind, []).extend(range(first, self.size))
        for kind, members in grouped.items():
            references = (ctypes.c_uint * len(members))(*(each.reference for each in members))
            values = (kind.c_type * len(positions[kind]))()
            arguments = references, len(members), *instance.version.counted(values)
            self._groups.append(_GroupOfType(kind.ending, positions[kind], kind.from_c, kind.to_c, values, arguments))
        self._set: list[list[object] | None] = [None] * len(self._groups)  # what was set last

    def get(self) -> list[list[Value]]:
        return self.rows(self.get_elements())

    def rows(self, elements: Sequence[Value]) -> list[list[Value]]:
        """The elements of each variable, of those of all."""
        return [list(elements[part]) for part in self._slices]

    def get_elements(self) -> list[Value]:
        elements: list[Value] = [0.0] * self.size
        for group in self._groups:
            self._instance.call("Get" + group.ending, *group.arguments)
            for position, raw in zip(group.positions, group.values, strict=True):
                elements[position] = group.from_c(raw)
        return elements

    def get_reals(self) -> list[float]:
        """The values of all elements as floats."""
        return [float(element) for element in self.get_elements()]

    def set(self, values: Sequence[Sequence[Value]], *, always: bool = False) -> None:
        """Set all; unless `always`, types whose values are those that were set last are left out."""
        self.set_elements([element for row in values for element in row], always=always)

    def set_elements(self, elements: Sequence[Value], *, always: bool = False) -> None:
        """Like `set`."""
        for number, group in enumerate(self._groups):
            new = [group.to_c(elements[position]) for position in group.positions]
            if always or self._set[number] != new:
                group.values[:] = new
                self._instance.call("Set" + group.ending, *group.arguments)
                self._set[number] = new
