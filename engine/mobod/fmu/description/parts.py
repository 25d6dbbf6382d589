"""Parts of a model description that are the same in FMI 2.0 and 3.0."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from math import ceil, inf
from typing import final

from lxml import etree

from mobod.errors import FmuFileError
from mobod.fmu.interface import Interface
from mobod.fmu.source_date import generated
from mobod.fmu.variables import FmiVersion, FmuVariable
from mobod.native_sources import fmpy_schema
from mobod.system.units import DISPLAY_UNITS, si_exponents

LOG_CATEGORIES = {
    "logStatusError": "calls that were refused, and steps that failed",
    "logStatusWarning": "what goes on in another way than was asked for",
    "logStatusDiscard": "questions that have no answer, and steps that end before their time",
    "logSteps": "what each communication step took",
    "logAll": "all of these",
}
"""Log categories of the C runtime (logging.c), and their descriptions."""

_DURATION = 10.0  # s, stop time of the default experiment
_STEP = 0.01  # s, its step size


def generation_tool() -> str:
    try:
        return f"mobod {version('mobod')}"
    except PackageNotFoundError:
        return "mobod, not installed"


def described_root(
    interface: Interface, fmi_version: FmiVersion, names: Iterable[str], token: str, further: Mapping[str, str] | None = None
) -> etree._Element:
    """The root element. names: of all variables; token: the attribute of the model's identity; further: attributes of the version"""
    root = etree.Element("fmiModelDescription", {"fmiVersion": fmi_version, "modelName": interface.model_name, token: interface.token})
    tool = {"generationTool": generation_tool(), "variableNamingConvention": interface.convention(names)}
    for attribute, value in {**tool, **(further or {}), **generated()}.items():
        root.set(attribute, value)
    if interface.fixed_steps is not None:
        root.set("description", interface.fixed_steps.description)
    return root


def checked_text(root: etree._Element, interface: Interface, fmi_version: FmiVersion) -> bytes:
    """The XML text, which is validated with the schema of its version."""
    check_schema(root, interface.model_name, fmi_version)
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True)


def add_enumerations(root: etree._Element, rows: Iterable[FmuVariable], fmi_version: FmiVersion) -> None:
    """The types of variables with choices. In FMI 2.0 the items are in an element of their own."""
    enumerations = [row for row in rows if row.choices]
    if not enumerations:  # the schema forbids an empty list
        return
    definitions = etree.SubElement(root, "TypeDefinitions")
    for row in enumerations:
        kind = etree.SubElement(definitions, "SimpleType" if fmi_version == "2.0" else "EnumerationType", name=type_name(row))
        items = etree.SubElement(kind, "Enumeration") if fmi_version == "2.0" else kind
        for value, name in enumerate(row.choices, start=int(row.minimum or 0)):
            etree.SubElement(items, "Item", name=name, value=str(value))


def add_row(variables: etree._Element, tag: str, name: str, reference: int, row: FmuVariable, description: str) -> etree._Element:
    """The element of a variable, with what it has in both versions."""
    variable = etree.SubElement(variables, tag, name=name, valueReference=str(reference), description=description)
    variable.set("causality", row.causality)
    variable.set("variability", row.variability)
    if row.initial is not None:
        variable.set("initial", row.initial)
    return variable


def set_type_and_bounds(element: etree._Element, row: FmuVariable) -> None:
    """Its declared type, its units, its bounds and its nominal value."""
    if row.choices:
        element.set("declaredType", type_name(row))
    if row.type == "real":
        element.set("unit", row.unit)
        if row.unit in DISPLAY_UNITS:
            element.set("displayUnit", DISPLAY_UNITS[row.unit][0])
    if row.type != "boolean":
        for attribute, value in (("min", row.declared_minimum), ("max", row.declared_maximum), ("nominal", row.nominal)):
            if value is not None:
                element.set(attribute, value_text(row, value))


def value_text(row: FmuVariable, value: float) -> str:
    """A value of a variable as its type spells it."""
    if row.type == "boolean":
        return truth(bool(value))
    return real_text(value) if row.type == "real" else f"{value:.0f}"


def truth(value: bool) -> str:
    return "true" if value else "false"


def add_units(root: etree._Element, rows: Iterable[FmuVariable]) -> None:
    definitions = etree.SubElement(root, "UnitDefinitions")
    for name in sorted({row.unit for row in rows if row.type == "real"}):
        unit = etree.SubElement(definitions, "Unit", name=name)
        exponents = si_exponents(name)
        if all(exponent == int(exponent) for exponent in exponents.values()):  # FMI has whole exponents alone
            etree.SubElement(unit, "BaseUnit", {base: str(exponent) for base, exponent in exponents.items()})
        if name in DISPLAY_UNITS:
            shown, factor = DISPLAY_UNITS[name]
            etree.SubElement(unit, "DisplayUnit", name=shown, factor=repr(factor))


def type_name(row: FmuVariable) -> str:
    """The name of an enumeration: 'Integrator' of numerics.integrator. It must not be that of a variable."""
    return row.name.rpartition(".")[2].capitalize()


def add_log_categories(root: etree._Element, named: Mapping[str, str]) -> None:
    if not named:  # the schema forbids an empty list
        return
    categories = etree.SubElement(root, "LogCategories")
    for name, description in named.items():
        etree.SubElement(categories, "Category", name=name, description=description)


@final
@dataclass(frozen=True)
class DefaultExperiment:
    """Times in s; step: of communication."""

    start: float
    stop: float
    tolerance: float
    step: float


def default_experiment(interface: Interface) -> DefaultExperiment:
    return DefaultExperiment(interface.start_time, interface.start_time + _DURATION, interface.tolerance, _communication_step(interface))


def add_default_experiment(root: etree._Element, interface: Interface) -> None:
    experiment = default_experiment(interface)
    etree.SubElement(
        root,
        "DefaultExperiment",
        startTime=real_text(experiment.start),
        stopTime=real_text(experiment.stop),
        tolerance=real_text(experiment.tolerance),
        stepSize=real_text(experiment.step),
    )


def _communication_step(interface: Interface) -> float:
    size = interface.options.step if interface.fixed_steps is None else interface.fixed_steps.steps.size
    return _whole_steps(size) if size else _STEP


def _whole_steps(size: float) -> float:
    """_STEP, or the next larger time that is a whole number of steps of this size even after it is halved twice, as FMU checkers do."""
    return ceil(_STEP / (4 * size) * (1 - 1e-9)) * 4 * size


def real_text(value: float) -> str:
    """The shortest text for the number that reads back exactly, as XML Schema spells it."""
    if abs(value) == inf:
        return "INF" if value > 0 else "-INF"
    return repr(float(value))


def check_schema(root: etree._Element, model_name: str, fmi_version: FmiVersion) -> None:
    """Raises FmuFileError if a model description does not conform to the schema of the version."""
    number = fmi_version[0]
    schema = fmpy_schema(f"schema/fmi{number}/fmi{number}ModelDescription.xsd")
    if not schema.validate(root):
        problems = "\n".join(entry.message for entry in schema.error_log)
        raise FmuFileError(f"model '{model_name}': its model description does not conform to the schema of FMI {fmi_version}:\n{problems}")
