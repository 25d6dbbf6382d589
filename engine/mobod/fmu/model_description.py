"""Writes modelDescription.xml of FMI 2.0 for co-simulation."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from math import ceil, inf
from pathlib import Path
from typing import final

import fmpy
from lxml import etree

from mobod.errors import FmuFileError, InputError
from mobod.fmu.interface import FmuVariable, Interface
from mobod.fmu.names import model_identifier, naming_convention
from mobod.fmu.units import DISPLAY_UNITS, si_exponents

LOG_CATEGORIES = {
    "logStatusError": "calls that were refused, and steps that failed",
    "logStatusWarning": "what goes on in another way than was asked for",
    "logStatusDiscard": "questions that have no answer, and steps that end before their time",
    "logSteps": "what each communication step took",
    "logAll": "all of these",
}
"""Log categories of the C runtime (logging.c), and their descriptions."""

_UNDATED = "1980-01-01T00:00:00Z"
_DURATION = 10.0  # s, stop time of the default experiment
_STEP = 0.01  # s, its step size


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


NATIVE = Capabilities(log_categories=LOG_CATEGORIES, needs_execution_tool=False, serializes_state=True, has_directional_derivatives=True)


def model_description(interface: Interface, source_files: Sequence[str] | None, capabilities: Capabilities = NATIVE) -> bytes:
    """The XML text, which was validated with the schema of FMI 2.0.

    source_files  names of the C files to compile, below sources/; None: there is no such folder

    Its date is SOURCE_DATE_EPOCH, or 1980-01-01 if that is not set, so that the same model gives the same bytes.
    Source: FMI specification 2.0.5, chapters 2.2 and 4.3.
    """
    root = etree.Element(
        "fmiModelDescription",
        fmiVersion="2.0",
        modelName=interface.model_name,
        guid=interface.token,
        generationTool=_generation_tool(),
        generationDateAndTime=_date(),
        variableNamingConvention=naming_convention(row.name for row in interface.rows),
        numberOfEventIndicators="0",
    )
    if interface.fixed_steps is not None:
        root.set("description", interface.fixed_steps.description)
    _add_co_simulation(root, interface, source_files, capabilities)
    _add_units(root, interface.rows)
    _add_enumerations(root, interface.rows)
    _add_log_categories(root, capabilities.log_categories)
    _add_default_experiment(root, interface)
    variables = etree.SubElement(root, "ModelVariables")
    for reference, row in enumerate(interface.rows):
        _add_variable(variables, reference, row)
    _add_model_structure(root, interface)
    _check_schema(root, interface.model_name)
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True)


def _generation_tool() -> str:
    try:
        return f"mobod {version('mobod')}"
    except PackageNotFoundError:
        return "mobod, not installed"


def _date() -> str:
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if epoch is None:
        return _UNDATED
    try:
        return datetime.fromtimestamp(int(epoch), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError) as error:
        raise InputError(f"SOURCE_DATE_EPOCH is '{epoch}': it must be a number of seconds since 1970.") from error


def _add_co_simulation(root: etree._Element, interface: Interface, source_files: Sequence[str] | None, capabilities: Capabilities) -> None:
    co_simulation = etree.SubElement(
        root,
        "CoSimulation",
        modelIdentifier=model_identifier(interface.model_name),
        needsExecutionTool=_truth(capabilities.needs_execution_tool),
        canHandleVariableCommunicationStepSize="true",
        canInterpolateInputs="false",
        maxOutputDerivativeOrder="0",
        canRunAsynchronuously="false",
        canBeInstantiatedOnlyOncePerProcess="false",
        canNotUseMemoryManagementFunctions="true",
        canGetAndSetFMUstate="true",
        canSerializeFMUstate=_truth(capabilities.serializes_state),
        providesDirectionalDerivative=_truth(capabilities.has_directional_derivatives),
    )
    if source_files is not None:
        files = etree.SubElement(co_simulation, "SourceFiles")
        for name in source_files:
            etree.SubElement(files, "File", name=name)


def _truth(value: bool) -> str:
    return "true" if value else "false"


def _add_units(root: etree._Element, rows: Iterable[FmuVariable]) -> None:
    definitions = etree.SubElement(root, "UnitDefinitions")
    for name in sorted({row.unit for row in rows if row.type == "real"}):
        unit = etree.SubElement(definitions, "Unit", name=name)
        etree.SubElement(unit, "BaseUnit", {base: str(exponent) for base, exponent in si_exponents(name).items()})
        if name in DISPLAY_UNITS:
            shown, factor = DISPLAY_UNITS[name]
            etree.SubElement(unit, "DisplayUnit", name=shown, factor=repr(factor))


def _add_enumerations(root: etree._Element, rows: Iterable[FmuVariable]) -> None:
    enumerations = [row for row in rows if row.choices]
    if not enumerations:  # the schema forbids an empty list
        return
    definitions = etree.SubElement(root, "TypeDefinitions")
    for row in enumerations:
        kind = etree.SubElement(definitions, "SimpleType", name=_type_name(row))
        items = etree.SubElement(kind, "Enumeration")
        for value, name in enumerate(row.choices, start=int(row.minimum or 0)):
            etree.SubElement(items, "Item", name=name, value=str(value))


def _type_name(row: FmuVariable) -> str:
    """The name of an enumeration: 'Integrator' of numerics.integrator. It must not be that of a variable."""
    return row.name.rpartition(".")[2].capitalize()


def _add_log_categories(root: etree._Element, named: Mapping[str, str]) -> None:
    if not named:  # the schema forbids an empty list
        return
    categories = etree.SubElement(root, "LogCategories")
    for name, description in named.items():
        etree.SubElement(categories, "Category", name=name, description=description)


def _add_default_experiment(root: etree._Element, interface: Interface) -> None:
    etree.SubElement(
        root,
        "DefaultExperiment",
        startTime=_real(interface.start_time),
        stopTime=_real(interface.start_time + _DURATION),
        tolerance=_real(interface.tolerance),
        stepSize=_real(_communication_step(interface)),
    )


def _communication_step(interface: Interface) -> float:
    size = interface.numerics.fixed_step if interface.fixed_steps is None else interface.fixed_steps.steps.size
    return _whole_steps(size) if size else _STEP


def _whole_steps(size: float) -> float:
    """_STEP, or the next larger time that is a whole number of steps of this size even after it is halved twice, as FMU checkers do."""
    return ceil(_STEP / (4 * size) * (1 - 1e-9)) * 4 * size


def _add_variable(variables: etree._Element, reference: int, row: FmuVariable) -> None:
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
        number.set("declaredType", _type_name(row))
    if row.type == "real":
        number.set("unit", row.unit)
        if row.unit in DISPLAY_UNITS:
            number.set("displayUnit", DISPLAY_UNITS[row.unit][0])
    for name, value in (("min", row.minimum), ("max", row.maximum), ("start", row.start)):
        if value is not None:
            number.set(name, _real(value) if row.type == "real" else f"{value:.0f}")
    if row.derivative_of is not None:
        number.set("derivative", _index(row.derivative_of))


def _add_model_structure(root: etree._Element, interface: Interface) -> None:
    structure = etree.SubElement(root, "ModelStructure")
    rows = interface.rows
    for element, unknowns in (
        ("Outputs", {i: rows[i].depends_on for i in interface.outputs()}),
        ("Derivatives", {i: rows[i].depends_on for i in interface.derivatives()}),
        ("InitialUnknowns", {i: rows[i].starts_from for i in interface.initial_unknowns()}),
    ):
        if unknowns:  # the schema forbids an empty list
            listed = etree.SubElement(structure, element)
            for unknown, knowns in unknowns.items():
                etree.SubElement(listed, "Unknown", index=_index(unknown), dependencies=" ".join(map(_index, knowns)))


def _index(reference: int) -> str:
    """The index of a variable in the XML, which counts from 1."""
    return str(reference + 1)


def _real(value: float) -> str:
    """The shortest text for the number that reads back exactly, as XML Schema spells it."""
    if abs(value) == inf:
        return "INF" if value > 0 else "-INF"
    return repr(float(value))


@cache
def _schema() -> etree.XMLSchema:
    return etree.XMLSchema(file=str(Path(fmpy.__file__).parent / "schema" / "fmi2" / "fmi2ModelDescription.xsd"))


def _check_schema(root: etree._Element, model_name: str) -> None:
    schema = _schema()
    if not schema.validate(root):
        problems = "\n".join(entry.message for entry in schema.error_log)
        raise FmuFileError(f"model '{model_name}': its model description does not conform to the schema of FMI 2.0:\n{problems}")
