"""Parts of the XML that SSP files of 1.0 have: elements, types with units and enumerations, values."""

from collections.abc import Mapping
from typing import final

from fmpy.model_description import Unit
from lxml import etree

from mobod.cosim.connections.unit_conversion import conversion
from mobod.cosim.ssp.namespaces import PREFIXES, qualified
from mobod.cosim.ssp.units import base_unit
from mobod.cosim.variable import Kind, NetworkVariable, Value
from mobod.errors import UnsupportedError
from mobod.fmu.source_date import generated
from mobod.version import mobod_version

_NAMES: Mapping[Kind, str] = {
    "float": "Real",
    "integer": "Integer",
    "boolean": "Boolean",
    "string": "String",
    "enumeration": "Enumeration",
}


def root_element(name: str, attributes: Mapping[str, str]) -> "etree._Element":
    """The root of a file, with its version, its tool and the prefixes that other tools expect."""
    made: dict[str, str] = {"version": "1.0", "generationTool": f"mobod {mobod_version()}", **generated()}
    element = etree.Element(qualified(name), nsmap=PREFIXES)
    for attribute, value in (made | dict(attributes)).items():
        element.set(attribute, value)
    return element


def add(parent: "etree._Element", name: str, attributes: Mapping[str, str] | None = None) -> "etree._Element":
    """A new child."""
    return etree.SubElement(parent, qualified(name), dict(attributes or {}))


def add_kept(parent: "etree._Element", kept: Mapping[str, str], *names: str) -> None:
    """Children as they were read."""
    for name in names:
        if name in kept:
            parent.append(etree.fromstring(kept[name]))


def as_file(root: "etree._Element") -> bytes:
    etree.indent(root)
    return etree.tostring(root, encoding="UTF-8", xml_declaration=True)


@final
class Definitions:
    """Units and enumerations that a file uses, and must define."""

    def __init__(self) -> None:
        self._units: dict[str, Unit] = {}
        self._enumerations: dict[str, Mapping[str, int]] = {}

    def add_type(self, parent: "etree._Element", variable: NetworkVariable) -> None:
        """Add the type of a connector."""
        attributes = {}
        if variable.kind == "enumeration":
            attributes = {"name": self._enumeration(variable.items)}
        elif variable.kind == "float" and variable.unit is not None and self._defines(variable.unit):
            attributes = {"unit": variable.unit.name}
        add(parent, f"ssc:{_NAMES[variable.kind]}", attributes)

    def write(self, root: "etree._Element", prefix: str) -> None:
        """Add the definitions to a file."""
        if self._enumerations:
            listed = add(root, f"{prefix}:Enumerations")
            for name, items in self._enumerations.items():
                enumeration = add(listed, "ssc:Enumeration", {"name": name})
                for item, value in items.items():
                    add(enumeration, "ssc:Item", {"name": item, "value": str(value)})
        if self._units:
            listed = add(root, f"{prefix}:Units")
            for name, unit in self._units.items():
                add(add(listed, "ssc:Unit", {"name": name}), "ssc:BaseUnit", base_unit(unit))

    def _defines(self, unit: Unit) -> bool:
        """Whether the file can define the unit: it is known, and the name has no other meaning in another FMU."""
        if unit.baseUnit is None:
            return False
        other = self._units.setdefault(unit.name, unit)
        between = conversion(other, unit)
        return between is not None and between.factor == 1 and between.offset == 0

    def _enumeration(self, items: Mapping[str, int]) -> str:
        for name, known in self._enumerations.items():
            if dict(known) == dict(items):
                return name
        name = f"Enumeration{len(self._enumerations) + 1}"
        self._enumerations[name] = items
        return name


def add_parameters(parent: "etree._Element", values: Mapping[str, tuple[NetworkVariable, Value]]) -> None:
    """Add the values of a parameter set, in the units of their variables. Raises UnsupportedError for an integer of more than 32 bits."""
    listed = add(parent, "ssv:Parameters")
    for name, (variable, value) in values.items():
        text = repr(float(value)) if variable.kind == "float" else str(value)
        if variable.kind == "boolean":
            text = "true" if value else "false"
        elif variable.kind == "enumeration":
            text = next((item for item, number in variable.items.items() if number == value), text)
        elif variable.kind == "integer" and not -(2**31) <= int(value) < 2**31:
            raise UnsupportedError(f"'{name}' is {value}: a parameter set of SSP 1.0 has integers of 32 bits only.")
        add(add(listed, "ssv:Parameter", {"name": name}), f"ssv:{_NAMES[variable.kind]}", {"value": text})
