"""Writes modelDescription.xml of FMI 2.0."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import final

from lxml import etree

from mobod.fmu.description.parts import (
    LOG_CATEGORIES,
    add_default_experiment,
    add_log_categories,
    add_units,
    check_schema,
    generation_tool,
    real_text,
    truth,
    type_name,
)
from mobod.fmu.interface import Interface
from mobod.fmu.names import model_identifier
from mobod.fmu.source_date import generated
from mobod.fmu.variables import FmuVariable
from mobod.system.units import DISPLAY_UNITS


@final
@dataclass(frozen=True, kw_only=True)
class Capabilities:
    """Capabilities that differ between the kinds of FMUs.

    log_categories  name -> description
    """

    log_categories: Mapping[str, str]
    needs_execution_tool: bool
    serializes_state: bool
    has_directional_derivatives: bool
    has_model_exchange: bool
    interpolates_inputs: bool


def native_capabilities(interface: Interface) -> Capabilities:
    return Capabilities(
        log_categories=LOG_CATEGORIES,
        needs_execution_tool=False,
        serializes_state=True,
        has_directional_derivatives=True,
        has_model_exchange=interface.has_model_exchange,
        interpolates_inputs=interface.fixed_steps is None,
    )


def model_description(interface: Interface, source_files: Sequence[str] | None, capabilities: Capabilities | None = None) -> bytes:
    """The XML text, which was validated with the schema of FMI 2.0.

    source_files  names of the C files to compile, below sources/; None: there is no such folder
    capabilities  default: those of a native FMU

    Its date is SOURCE_DATE_EPOCH. If that is not set, it has none, so that the same model gives the same bytes.
    Source: FMI specification 2.0.5, chapters 2.2 and 4.3.
    """
    capabilities = native_capabilities(interface) if capabilities is None else capabilities
    root = etree.Element(
        "fmiModelDescription",
        fmiVersion="2.0",
        modelName=interface.model_name,
        guid=interface.token,
        generationTool=generation_tool(),
        variableNamingConvention=interface.convention(row.name for row in interface.rows),
        numberOfEventIndicators=str(interface.n_event_indicators if capabilities.has_model_exchange else 0),
    )
    for attribute, value in generated().items():
        root.set(attribute, value)
    if interface.fixed_steps is not None:
        root.set("description", interface.fixed_steps.description)
    if capabilities.has_model_exchange:
        _add_model_exchange(root, interface, source_files, capabilities)
    _add_co_simulation(root, interface, source_files, capabilities)
    add_units(root, interface.rows)
    _add_enumerations(root, interface.rows)
    add_log_categories(root, capabilities.log_categories)
    add_default_experiment(root, interface)
    variables = etree.SubElement(root, "ModelVariables")
    for reference, row in enumerate(interface.rows):
        _add_variable(variables, reference, row, jumps=row.at in interface.jumping and capabilities.has_model_exchange)
    _add_model_structure(root, interface)
    check_schema(root, interface.model_name, "2.0")
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True)


def _add_model_exchange(root: etree._Element, interface: Interface, source_files: Sequence[str] | None, capabilities: Capabilities) -> None:
    model_exchange = etree.SubElement(
        root,
        "ModelExchange",
        _common_attributes(interface, capabilities),
        completedIntegratorStepNotNeeded="false",
    )
    _add_source_files(model_exchange, source_files)


def _common_attributes(interface: Interface, capabilities: Capabilities) -> dict[str, str]:
    return {
        "modelIdentifier": model_identifier(interface.model_name),
        "needsExecutionTool": truth(capabilities.needs_execution_tool),
        "canBeInstantiatedOnlyOncePerProcess": "false",
        "canNotUseMemoryManagementFunctions": "true",
        "canGetAndSetFMUstate": "true",
        "canSerializeFMUstate": truth(capabilities.serializes_state),
        "providesDirectionalDerivative": truth(capabilities.has_directional_derivatives),
    }


def _add_source_files(element: etree._Element, source_files: Sequence[str] | None) -> None:
    if source_files is not None:
        files = etree.SubElement(element, "SourceFiles")
        for name in source_files:
            etree.SubElement(files, "File", name=name)


def _add_co_simulation(root: etree._Element, interface: Interface, source_files: Sequence[str] | None, capabilities: Capabilities) -> None:
    co_simulation = etree.SubElement(
        root,
        "CoSimulation",
        _common_attributes(interface, capabilities),
        canHandleVariableCommunicationStepSize="true",
        canInterpolateInputs=truth(capabilities.interpolates_inputs),
        maxOutputDerivativeOrder="1" if capabilities.has_directional_derivatives else "0",
        canRunAsynchronuously="false",
    )
    _add_source_files(co_simulation, source_files)


def _add_enumerations(root: etree._Element, rows: Iterable[FmuVariable]) -> None:
    enumerations = [row for row in rows if row.choices]
    if not enumerations:  # the schema forbids an empty list
        return
    definitions = etree.SubElement(root, "TypeDefinitions")
    for row in enumerations:
        kind = etree.SubElement(definitions, "SimpleType", name=type_name(row))
        items = etree.SubElement(kind, "Enumeration")
        for value, name in enumerate(row.choices, start=int(row.minimum or 0)):
            etree.SubElement(items, "Item", name=name, value=str(value))


def _add_variable(variables: etree._Element, reference: int, row: FmuVariable, *, jumps: bool) -> None:
    variable = etree.SubElement(
        variables,
        "ScalarVariable",
        name=row.name,
        valueReference=str(reference),
        description=row.description,
        causality=row.causality,
        variability=row.variability,
    )
    if row.initial is not None:
        variable.set("initial", row.initial)
    if row.type == "boolean":
        boolean = etree.SubElement(variable, "Boolean")
        if row.start is not None:
            boolean.set("start", "true" if row.start else "false")
        return
    number = etree.SubElement(variable, "Enumeration" if row.choices else row.type.capitalize())
    if row.choices:
        number.set("declaredType", type_name(row))
    if row.type == "real":
        number.set("unit", row.unit)
        if row.unit in DISPLAY_UNITS:
            number.set("displayUnit", DISPLAY_UNITS[row.unit][0])
    for name, value in (("min", row.declared_minimum), ("max", row.declared_maximum), ("nominal", row.nominal), ("start", row.start)):
        if value is not None:
            number.set(name, real_text(value) if row.type == "real" else f"{value:.0f}")
    if row.derivative_of is not None:
        number.set("derivative", _index(row.derivative_of))
    if row.is_state and jumps:
        number.set("reinit", "true")


def _add_model_structure(root: etree._Element, interface: Interface) -> None:
    structure = etree.SubElement(root, "ModelStructure")
    rows = interface.rows
    texts: dict[tuple[int, ...], str] = {}  # of lists, which many unknowns share
    for element, unknowns in (
        ("Outputs", {i: rows[i].depends_on for i in interface.outputs()}),
        ("Derivatives", {i: rows[i].depends_on for i in interface.derivatives()}),
        ("InitialUnknowns", {i: rows[i].starts_from for i in interface.initial_unknowns()}),
    ):
        if unknowns:  # the schema forbids an empty list
            listed = etree.SubElement(structure, element)
            for unknown, knowns in unknowns.items():
                added = etree.SubElement(listed, "Unknown", index=_index(unknown))
                if knowns is None:  # all
                    continue
                if knowns not in texts:
                    texts[knowns] = " ".join(map(_index, knowns))
                added.set("dependencies", texts[knowns])


def _index(reference: int) -> str:
    """The index of a variable in the XML, which counts from 1."""
    return str(reference + 1)
