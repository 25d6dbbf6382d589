"""Writes modelDescription.xml of FMI 2.0."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final

from lxml import etree

from mobod.fmu.description.parts import (
    LOG_CATEGORIES,
    add_default_experiment,
    add_enumerations,
    add_log_categories,
    add_row,
    add_units,
    checked_text,
    described_root,
    set_type_and_bounds,
    truth,
    value_text,
)
from mobod.fmu.interface import Interface
from mobod.fmu.names import model_identifier
from mobod.fmu.variables import FmuVariable


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
        has_directional_derivatives=interface.has_derivatives,
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
    indicators = {"numberOfEventIndicators": str(interface.n_event_indicators if capabilities.has_model_exchange else 0)}
    root = described_root(interface, "2.0", (row.name for row in interface.rows), "guid", indicators)
    if capabilities.has_model_exchange:
        _add_model_exchange(root, interface, source_files, capabilities)
    _add_co_simulation(root, interface, source_files, capabilities)
    add_units(root, interface.rows)
    add_enumerations(root, interface.rows, "2.0")
    add_log_categories(root, capabilities.log_categories)
    add_default_experiment(root, interface)
    variables = etree.SubElement(root, "ModelVariables")
    for reference, row in enumerate(interface.rows):
        _add_variable(variables, reference, row, jumps=row.at in interface.jumping and capabilities.has_model_exchange)
    _add_model_structure(root, interface)
    return checked_text(root, interface, "2.0")


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


def _add_variable(variables: etree._Element, reference: int, row: FmuVariable, *, jumps: bool) -> None:
    variable = add_row(variables, "ScalarVariable", row.name, reference, row, row.description)
    number = etree.SubElement(variable, "Enumeration" if row.choices else row.type.capitalize())
    set_type_and_bounds(number, row)
    if row.start is not None:
        number.set("start", value_text(row, row.start))
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
