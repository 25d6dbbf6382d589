"""VariableValues: variables of an instance that are read or written together, with one call for each type."""

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, final

from mobod.errors import InputError
from mobod.importer.kinds import Value, VariableKind
from mobod.importer.variable import ForeignVariable


class FmuFunctions(Protocol):
    """An instance: the first digit of its FMI version, the number of elements of a variable, and its functions without their prefix."""

    fmi_version: str

    def size(self, variable: ForeignVariable) -> int: ...

    def call(self, function: str, *arguments: object) -> None: ...


@dataclass(frozen=True)
class _GroupOfType:
    """The variables of one type, and the buffers for their calls. Each variable has a slice of the values."""

    kind: VariableKind
    positions: list[int]
    slices: list[slice]
    references: Any  # C array of value references
    values: Any  # C array of values


@final
class VariableValues:
    """The values of some variables: for each a list of its elements, by rows."""

    def __init__(self, instance: FmuFunctions, variables: Sequence[ForeignVariable]) -> None:
        self._instance = instance
        self._count = len(variables)
        self._set: list[Any] = []  # what was set last, by group
        grouped: dict[VariableKind, list[int]] = {}
        for position, variable in enumerate(variables):
            if variable.kind is None:
                raise InputError(f"'{variable}' is of type {variable.type}, which is no number, truth value or text.")
            grouped.setdefault(variable.kind, []).append(position)
        self._groups = []
        for kind, positions in grouped.items():
            slices, end = [], 0
            for position in positions:
                size = instance.size(variables[position])
                slices.append(slice(end, end + size))
                end += size
            references = (ctypes.c_uint * len(positions))(*(variables[position].reference for position in positions))
            self._groups.append(_GroupOfType(kind, positions, slices, references, (kind.c_type * end)()))

    def get(self) -> list[list[Value]]:
        values: list[list[Value]] = [[] for _ in range(self._count)]
        for group in self._groups:
            self._call("Get", group)
            for position, part in zip(group.positions, group.slices, strict=True):
                values[position] = [group.kind.from_c(raw) for raw in group.values[part]]
        return values

    def set(self, values: Sequence[Sequence[Value]], *, always: bool = False) -> None:
        """Set all; unless `always`, types whose values are those that were set last are left out."""
        new = [[group.kind.to_c(each) for position in group.positions for each in values[position]] for group in self._groups]
        for number, group in enumerate(self._groups):
            if always or not self._set or self._set[number] != new[number]:
                group.values[:] = new[number]
                self._call("Set", group)
        self._set = new

    def _call(self, verb: str, group: _GroupOfType) -> None:
        counts = [len(group.positions), group.values]
        if self._instance.fmi_version == "3":
            counts.append(len(group.values))
        self._instance.call(verb + group.kind.ending, group.references, *counts)
