"""Transformations of values on their way: along a connection, or from a parameter set to a variable."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

from mobod.cosim.ssp.node import Node
from mobod.cosim.variable import Value
from mobod.errors import InputError

_CHOICES = ("LinearTransformation", "BooleanMappingTransformation", "IntegerMappingTransformation", "EnumerationMappingTransformation")


@final
@dataclass(frozen=True)
class LinearTransformation:
    """factor * value + offset"""

    factor: float = 1.0
    offset: float = 0.0

    def of(self, value: Value) -> Value:
        if isinstance(value, (bool, str)):
            raise InputError(f"a LinearTransformation takes a number, not {value!r}.")
        return self.factor * value + self.offset


@final
@dataclass(frozen=True)
class MappingTransformation:
    """A table of values: truth values, whole numbers, or the names of items."""

    name: str
    table: Mapping[Value, Value]

    def of(self, value: Value) -> Value:
        if value not in self.table:
            raise InputError(f"the {self.name} has no entry for {value!r}, only for {', '.join(map(repr, self.table))}.")
        return self.table[value]


Transformation = LinearTransformation | MappingTransformation


def read_transformation(node: Node) -> Transformation | None:
    """That of a connection or a mapping entry. Raises SspFileError."""
    found = [each for each in node.children() if each.local_name in _CHOICES]
    if not found:
        return None
    if len(found) > 1:
        raise node.error("it has several transformations")
    choice = found[0]
    if choice.local_name == "LinearTransformation":
        return LinearTransformation(choice.number("factor", 1.0), choice.number("offset", 0.0))
    entries = list(choice.children("ssc:MapEntry"))
    return MappingTransformation(
        choice.local_name, {_read(choice.local_name, each, "source"): _read(choice.local_name, each, "target") for each in entries}
    )


def _read(transformation: str, entry: Node, side: str) -> Value:
    if transformation == "BooleanMappingTransformation":
        return entry.truth(side)
    return entry.whole(side) if transformation == "IntegerMappingTransformation" else entry.required(side)
