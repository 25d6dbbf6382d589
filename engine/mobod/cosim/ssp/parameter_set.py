"""ParameterSet and ParameterMapping: values by name (SSV), and their way to variables (SSM)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final

from fmpy.model_description import Unit

from mobod.cosim.ssp.node import Node
from mobod.cosim.ssp.transformation import Transformation, read_transformation
from mobod.cosim.ssp.units import INTEGERS, REALS, read_units, type_of, unit_of
from mobod.cosim.variable import Value


@final
@dataclass(frozen=True)
class ParameterValue:
    """A value of a parameter set.

    value           or the values of an array, by rows
    type            'Real', 'Int8', 'Enumeration', ...; '' if it is that of the variable
    unit            None: that of the variable
    converts_units  whether it is converted to the unit of the variable
    transformation  after this conversion
    where           for messages
    """

    value: Value | Sequence[Value]
    type: str = ""
    unit: Unit | None = None
    converts_units: bool = True
    transformation: Transformation | None = None
    where: str = ""


@final
@dataclass(frozen=True)
class ParameterSet:
    """Values by name."""

    name: str
    values: Mapping[str, ParameterValue]


@final
@dataclass(frozen=True)
class MappingEntry:
    """One parameter of a set, and the variable that takes it."""

    source: str
    target: str
    converts_units: bool
    transformation: Transformation | None


@final
@dataclass(frozen=True)
class ParameterBinding:
    """A parameter set for an element of a system.

    prefix   before all names of the set
    mapping  None: the names of the set are those of variables
    """

    set: ParameterSet
    prefix: str = ""
    mapping: Sequence[MappingEntry] | None = None

    def values(self) -> dict[str, ParameterValue]:
        """By the names of variables of the element."""
        given = {self.prefix + name: value for name, value in self.set.values.items()}
        if self.mapping is None:
            return given
        return {
            entry.target: ParameterValue(
                value=given[entry.source].value,
                type=given[entry.source].type,
                unit=given[entry.source].unit,
                converts_units=entry.converts_units,
                transformation=entry.transformation,
                where=given[entry.source].where,
            )
            for entry in self.mapping
            if entry.source in given
        }


def read_parameter_set(root: Node) -> ParameterSet:
    """Raises SspFileError."""
    units = read_units(root, "ssv")
    parameters = root.child("ssv:Parameters")
    values: dict[str, ParameterValue] = {}
    for node in parameters.children("ssv:Parameter") if parameters is not None else ():
        name, typed = node.required("name"), type_of(node)
        if name in values:
            raise node.error("the set has two parameters of this name")
        if typed is None:
            raise node.error("it has no value")
        where = f"{node.where}: parameter '{name}'"
        values[name] = ParameterValue(_value(node, typed), typed.local_name, unit_of(typed, units), where=where)
    return ParameterSet(root.required("name"), values)


def read_mapping(root: Node) -> list[MappingEntry]:
    """Raises SspFileError."""
    entries: dict[str, MappingEntry] = {}
    for node in root.children("ssm:MappingEntry"):
        source, target = node.required("source"), node.required("target")
        if target in entries:
            raise node.error(f"'{target}' is the target of two entries, of '{entries[target].source}' and '{source}'")
        entries[target] = MappingEntry(source, target, not node.truth("suppressUnitConversion", False), read_transformation(node))
    return list(entries.values())


def _value(parameter: Node, typed: Node) -> Value | list[Value]:
    dimensions = [each for each in parameter.children() if each.local_name == "Dimension"]
    items = [each for each in typed.children() if each.local_name == "Value"]
    if items and typed.element.get("value") is not None:
        raise parameter.error("it has an attribute 'value' and elements 'Value'")
    texts = ["".join(map(str, each.element.itertext())) for each in items] or [typed.required("value")]
    if dimensions and not items and typed.local_name not in ("String", "Enumeration", "Binary"):
        texts = texts[0].split()
    size = 1
    for dimension in dimensions:
        size *= dimension.whole("size")
    if len(texts) != size:
        raise parameter.error(f"it has {len(texts)} values, and its dimensions are those of {size}")
    values = [_parsed(parameter, typed.local_name, text) for text in texts]
    return values if dimensions else values[0]


def _parsed(parameter: Node, kind: str, text: str) -> Value:
    try:
        if kind in REALS:
            return float(text)
        if kind in INTEGERS:
            return int(text)
        if kind == "Boolean":
            return {"true": True, "1": True, "false": False, "0": False}[text.strip()]
    except (ValueError, KeyError):
        raise parameter.error(f"'{text}' is no {kind}") from None
    return text
