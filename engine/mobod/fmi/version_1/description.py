"""The model description of an FMU of FMI 1.0 in the form of FMI 2.0."""

# Decision: docs/decisions/170-fmi-1.md

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import final

from fmpy.model_description import ValidationError
from lxml import etree

from mobod.native_sources import fmpy_schema

_COPIED = (
    "modelName", "guid", "description", "author", "version", "generationTool", "generationDateAndTime", "variableNamingConvention",
    "numberOfEventIndicators",
)  # fmt: skip
_CAPABILITIES = (
    "canHandleVariableCommunicationStepSize", "canInterpolateInputs", "maxOutputDerivativeOrder", "canRunAsynchronuously",
    "canBeInstantiatedOnlyOncePerProcess", "canNotUseMemoryManagementFunctions",
)  # fmt: skip
_OF_VALUE = ("declaredType", "quantity", "unit", "displayUnit", "relativeQuantity", "min", "max", "nominal", "start")
_TYPES = ("Real", "Integer", "Boolean", "String", "Enumeration")
_TRUE = ("true", "1")


@final
@dataclass(frozen=True)
class Description1:
    """What FMI 1.0 says in its own way.

    root       the description in the form of FMI 2.0
    n_states   number of continuous states; FMI 1.0 does not say which variables they are
    mime_type  of a slave that is a tool or a library
    negated    value reference in `root` -> that of the FMU, for variables with the negative value of another one
    """

    root: "etree._Element"
    n_states: int
    mime_type: str
    negated: Mapping[int, int]


def check_schema_1(xml: bytes) -> None:
    """Raises fmpy's ValidationError for a description that does not conform to the schema of FMI 1.0."""
    schema = fmpy_schema("schema/fmi1/fmiModelDescription.xsd")
    if not schema.validate(etree.fromstring(xml)):
        raise ValidationError([f"line {each.line}: {each.message}" for each in schema.error_log])


def description_1(root: "etree._Element") -> Description1:
    """The description from its root element by FMI 1.0.

    Causality `internal` and `none` become `local`; variability `parameter` becomes the causality of a parameter that is fixed. A start
    value that is not `fixed` is an approximate one. FMUs of FMI 1.0 cannot save their state, and have no directional derivatives.

    Raises ValueError for numbers that are none. Source: FMI for Model Exchange 1.0, section 3; FMI for Co-Simulation 1.0, section 3.
    """
    made = etree.Element("fmiModelDescription", _taken(root, _COPIED), fmiVersion="2.0")
    _add_interface(made, root)
    _add_units(made, root)
    _add_types(made, root)
    made.extend(etree.Element("DefaultExperiment", _taken(each, each.attrib)) for each in root.findall("DefaultExperiment"))
    variables = etree.SubElement(made, "ModelVariables")
    listed = root.findall("ModelVariables/ScalarVariable")
    references = [int(each.get("valueReference", "")) for each in listed]
    taken = set(references)
    free = (reference for reference in count() if reference not in taken)
    negated: dict[int, int] = {}
    for each, reference in zip(listed, references, strict=True):
        if each.get("alias") == "negatedAlias":
            own = next(free)
            negated[own] = reference
            reference = own
        _add_variable(variables, each, reference)
    _add_outputs(made, listed)
    kind = root.find("Implementation/CoSimulation_Tool/Model")
    mime_type = "application/x-fmu-sharedlibrary" if kind is None else kind.get("type", "")
    return Description1(made, int(root.get("numberOfContinuousStates", "0")), mime_type, negated)


def _taken(element: "etree._Element", names: "Iterator[str] | tuple[str, ...] | etree._Attrib") -> dict[str, str]:
    return {str(name): str(element.attrib[name]) for name in names if name in element.attrib}


def _add_interface(made: "etree._Element", root: "etree._Element") -> None:
    identifier = root.get("modelIdentifier", "")
    implementation = root.find("Implementation")
    if implementation is None:
        etree.SubElement(made, "ModelExchange", modelIdentifier=identifier)
        return
    kind = next(iter(implementation), implementation)
    capabilities = kind.find("Capabilities")
    promised = {} if capabilities is None else _taken(capabilities, _CAPABILITIES)
    interface = etree.SubElement(made, "CoSimulation", promised, modelIdentifier=identifier)
    if kind.tag == "CoSimulation_Tool":
        interface.set("needsExecutionTool", "true")


def _add_units(made: "etree._Element", root: "etree._Element") -> None:
    """FMI 1.0 does not say what a unit is in those of SI."""
    units = root.findall("UnitDefinitions/BaseUnit")
    if units:
        definitions = etree.SubElement(made, "UnitDefinitions")
        for unit in units:
            element = etree.SubElement(definitions, "Unit", name=unit.get("unit", ""))
            for shown in unit.findall("DisplayUnitDefinition"):
                factor, offset = shown.get("gain", "1"), shown.get("offset", "0")
                etree.SubElement(element, "DisplayUnit", name=shown.get("displayUnit", ""), factor=factor, offset=offset)


def _add_types(made: "etree._Element", root: "etree._Element") -> None:
    types = root.findall("TypeDefinitions/Type")
    if not types:
        return
    definitions = etree.SubElement(made, "TypeDefinitions")
    for each in types:
        element = etree.SubElement(definitions, "SimpleType", _taken(each, ("name", "description")))
        for kind in each:
            typed = etree.SubElement(element, str(kind.tag).removesuffix("Type"), _taken(kind, _OF_VALUE))
            for value, item in enumerate(kind.findall("Item"), start=1):
                etree.SubElement(typed, "Item", _taken(item, ("name", "description")), value=str(value))


def _add_variable(variables: "etree._Element", variable: "etree._Element", reference: int) -> None:
    value = next((child for child in variable if child.tag in _TYPES), None)
    if value is None:
        raise ValueError(f"variable '{variable.get('name')}' has no type")
    element = etree.SubElement(variables, "ScalarVariable", _taken(variable, ("name", "description")), valueReference=str(reference))
    for name, chosen in _kind(variable, value).items():
        element.set(name, chosen)
    etree.SubElement(element, str(value.tag), _taken(value, _OF_VALUE))


def _kind(variable: "etree._Element", value: "etree._Element") -> dict[str, str]:
    """Causality, variability and initial of FMI 2.0."""
    causality, variability = variable.get("causality", "internal"), variable.get("variability", "continuous")
    has_start = "start" in value.attrib
    if variability == "constant":
        return {"causality": "output" if causality == "output" else "local", "variability": "constant", "initial": "exact"}
    if variability == "continuous" and value.tag != "Real":
        variability = "discrete"
    if variability == "parameter" and causality != "output":
        if has_start:
            return {"causality": "parameter", "variability": "fixed", "initial": "exact"}
        return {"causality": "calculatedParameter", "variability": "fixed", "initial": "calculated"}
    if variability == "parameter":
        variability = "discrete"
    if causality == "input":
        return {"causality": "input", "variability": variability}
    initial = "calculated" if not has_start else "exact" if value.get("fixed", "true") in _TRUE else "approx"
    return {"causality": "output" if causality == "output" else "local", "variability": variability, "initial": initial}


def _add_outputs(made: "etree._Element", listed: "list[etree._Element]") -> None:
    """The outputs, with the inputs that they depend on directly; without a list: on all."""
    positions = {each.get("name"): str(position) for position, each in enumerate(listed, start=1)}
    outputs = etree.SubElement(etree.SubElement(made, "ModelStructure"), "Outputs")
    for position, each in enumerate(listed, start=1):
        if each.get("causality") != "output":
            continue
        unknown = etree.SubElement(outputs, "Unknown", index=str(position))
        declared = each.find("DirectDependency")
        if declared is not None:
            names = [name.text for name in declared.findall("Name")]
            unknown.set("dependencies", " ".join(positions[name] for name in names if name in positions))
