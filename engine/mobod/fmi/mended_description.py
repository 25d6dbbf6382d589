"""Mends: how a modelDescription.xml is read that breaks rules which other tools forgive.

Each rule has its clause of the standard in `mobod.fmi.rules`. A breach that is not listed here changes nothing in how the file is read.
"""

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import final

from fmpy.model_description import Item, SimpleType
from lxml import etree

from mobod.fmi.rules import causality, dependencies, derivatives, model_structure, names, type_definitions, units, xml_files
from mobod.fmi.rules.description import DescribedVariable, Description, integer
from mobod.fmi.rules.initial import INITIALS
from mobod.fmi.rules.rule import Rule, Version

_PARAMETERS = ("parameter", "calculatedParameter", "structuralParameter")
_CAUSALITIES = (*_PARAMETERS, "input", "output", "local", "independent")
_VARIABILITIES = ("constant", "fixed", "tunable", "discrete", "continuous")


@final
@dataclass(frozen=True)
class Mend:
    """How a file is read that breaks a rule.

    reading  for messages and the documentation: "read as discrete"
    apply    changes a copy of the description; None if it can be read as it is
    """

    reading: str
    apply: Callable[[Description], None] | None = None


def mended_description(root: "etree._Element", version: Version) -> "etree._Element":
    """A copy of the root element in which all mends were made."""
    root = copy.deepcopy(root)
    etree.strip_tags(root, etree.Comment, etree.ProcessingInstruction)
    for mend in MENDS.values():
        if mend.apply is not None:
            mend.apply(Description(root, version))
    return root


def _mend_elements(description: Description) -> None:
    root = description.root
    if root.find("ModelVariables") is None:
        etree.SubElement(root, "ModelVariables")
    for definition in root.findall("TypeDefinitions/*"):
        typed = definition if description.version == "3" else next(iter(definition), None)
        if typed is None:
            _remove(definition)
            continue
        # fmpy gives these the name and the type of the element itself
        _keep_attributes(typed, SimpleType, but=("type", "items") if typed is definition else ("name", "type", "items"))
        _keep_numbers(typed)
        for item in typed.findall("Item"):
            _keep_attributes(item, Item)
            if not _is_number(item.get("value") or "", whole=True):
                typed.remove(item)
    for unit in root.findall("UnitDefinitions/Unit"):
        for element in (*unit.findall("BaseUnit"), *unit.findall("DisplayUnit")):
            if not all(_is_number(text, whole=name not in ("factor", "offset")) for name, text in element.attrib.items() if name != "name"):
                unit.remove(element)
    for each in description.variables:
        _keep_numbers(each.typed)
        if each.causality not in _CAUSALITIES:
            each.element.attrib.pop("causality", None)
        if each.variability not in _VARIABILITIES:
            each.element.attrib.pop("variability", None)


def _remove(element: "etree._Element") -> None:
    parent = element.getparent()
    if parent is not None:
        parent.remove(element)


def _keep_attributes(element: "etree._Element", known: type, but: Sequence[str] = ()) -> None:
    for name in list(element.attrib):
        if name not in known.__annotations__ or name in but:
            del element.attrib[name]


def _keep_numbers(typed: "etree._Element") -> None:
    for name in ("min", "max", "nominal"):
        if not _is_number(typed.get(name, "0"), whole=False):
            del typed.attrib[name]


def _is_number(text: str, *, whole: bool) -> bool:
    try:
        int(text) if whole else float(text)
    except ValueError:
        return False
    return True


def _mend_types(description: Description) -> None:
    for each in description.variables:
        if each.declared is None:
            each.typed.attrib.pop("declaredType", None)


def _mend_continuous(description: Description) -> None:
    for each in description.variables:
        if each.variability == "continuous" and not each.is_float:
            each.element.set("variability", "fixed" if each.causality in _PARAMETERS else "discrete")


def _mend_combinations(description: Description) -> None:
    allowed = INITIALS[description.version]
    for each in description.variables:
        if (each.causality, each.variability) in allowed:
            continue
        if each.variability == "constant":
            _set_initial(description, each, "exact")  # it cannot be set
        elif each.causality in _PARAMETERS:
            each.element.set("variability", "fixed")
            if each.initial is None and (each.causality, "fixed") not in allowed:  # a structural parameter of FMI 2.0
                _set_initial(description, each, "exact")
        else:
            each.element.set("variability", "continuous" if each.causality == "independent" else "discrete")


def _set_initial(description: Description, variable: DescribedVariable, initial: str) -> None:
    if variable.initial is None:
        (variable.element if description.version == "2" else variable.typed).set("initial", initial)


def _mend_derivatives(description: Description) -> None:
    for each in description.variables:
        if each.typed.get("derivative") is not None and description.derivative_of(each) is None:
            del each.typed.attrib["derivative"]


def _mend_structure(description: Description) -> None:
    for element in _unknowns(description):
        if description.unknown(element) is None:
            _remove(element)


def _mend_dependencies(description: Description) -> None:
    for element in _unknowns(description):
        texts = (element.get("dependencies") or "").split()
        if any(description.referred(text) is None or integer(text) is None for text in texts):
            element.attrib.pop("dependencies", None)
            element.attrib.pop("dependenciesKind", None)
        for name in ("dependencies", "dependenciesKind"):
            if (text := element.get(name)) is not None:
                element.set(name, " ".join(text.split()))  # fmpy splits at single blanks


def _unknowns(description: Description) -> "list[etree._Element]":
    return description.root.findall("ModelStructure/*/Unknown" if description.version == "2" else "ModelStructure/*")


MENDS: Mapping[Rule, Mend] = {
    xml_files.SCHEMA: Mend(
        "attributes and elements that the schema does not know are left out, and bounds that are no numbers; a causality or a variability "
        "that it does not know has the default; a file that cannot be read then is refused",
        _mend_elements,
    ),
    units.UNIT: Mend("the unit has the meaning that mobod gives its name, if it knows it; units that it does not know fit by their names"),
    type_definitions.DECLARED: Mend("the variable has no declared type; an enumeration has numbers in place of names", _mend_types),
    causality.CONTINUOUS: Mend("the variable is discrete; a parameter is fixed", _mend_continuous),
    causality.COMBINATION: Mend(
        "parameters are fixed, the independent variable is continuous, all others are discrete; constants stay constant",
        _mend_combinations,
    ),
    causality.START_MISSING: Mend("the start value is the one that the FMU has by itself"),
    names.UNIQUE: Mend("the last variable of the name counts"),
    derivatives.DERIVATIVE: Mend("a derivative of a variable that does not exist is a variable like others", _mend_derivatives),
    model_structure.UNKNOWN: Mend("an entry of no variable is left out", _mend_structure),
    dependencies.EXISTS: Mend("the unknown depends on everything", _mend_dependencies),
}


def table_of_mends() -> str:
    """The table of docs/how_do_i/simulating_fmus.md."""
    rows = [f"| {rule.name} | {rule.fmi2 or '-'} | {rule.fmi3 or '-'} | {mend.reading} |" for rule, mend in MENDS.items()]
    return "\n".join(["| rule | FMI 2.0.5 | FMI 3.0.2 | how mobod reads the file |", "|---|---|---|---|", *rows])
