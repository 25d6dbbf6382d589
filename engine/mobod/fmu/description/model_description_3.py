"""Writes modelDescription.xml and buildDescription.xml of FMI 3.0. Vectors and matrices are arrays."""

from collections.abc import Iterable, Sequence

from lxml import etree

from mobod.fmu.arrays import arrays, name_of
from mobod.fmu.description.parts import (
    LOG_CATEGORIES,
    add_default_experiment,
    add_enumerations,
    add_log_categories,
    add_row,
    add_units,
    checked_text,
    described_root,
    real_text,
    set_type_and_bounds,
    truth,
    value_text,
)
from mobod.fmu.interface import Interface
from mobod.fmu.names import model_identifier
from mobod.fmu.structure import KnownList
from mobod.fmu.variables import FmuVariable

_ELEMENTS = {"real": "Float64", "integer": "Int32", "boolean": "Boolean"}

_SMOOTHNESS = 1
"""Inputs whose rates are continuous within a communication step need no more integration steps than constant ones."""


def model_description_3(interface: Interface) -> bytes:
    """The XML text, which was validated with the schema of FMI 3.0. Its date is that of model_description.

    Source: FMI specification 3.0.2, sections 2.4, 3.4 and 4.4.
    """
    names = [name_of(interface, reference, size) for reference, size in arrays(interface)]
    root = described_root(interface, "3.0", names, "instantiationToken")
    _add_interface_types(root, interface)
    add_units(root, interface.rows)
    add_enumerations(root, interface.rows, "3.0")
    add_log_categories(root, LOG_CATEGORIES)
    add_default_experiment(root, interface)
    variables = etree.SubElement(root, "ModelVariables")
    for (reference, size), name in zip(arrays(interface), names, strict=True):
        _add_variable(variables, interface, reference, size, name)
    _add_model_structure(root, interface)
    return checked_text(root, interface, "3.0")


def build_description(identifier: str, source_files: Iterable[str]) -> bytes:
    """sources/buildDescription.xml: how to compile the FMU. An FMU of FMI 2.0 has the same file, by the schema of FMI 3.0.

    It names no compiler options: the sources need none (any_compiler.h). Source: FMI specifications 3.0.2, section 2.4.10, and 2.0.4,
    section 2.3.
    """
    root = etree.Element("fmiBuildDescription", fmiVersion="3.0")
    files = etree.SubElement(etree.SubElement(root, "BuildConfiguration", modelIdentifier=identifier), "SourceFileSet", language="C99")
    for name in source_files:
        etree.SubElement(files, "SourceFile", name=name)
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True)


def _add_interface_types(root: etree._Element, interface: Interface) -> None:
    common = {
        "modelIdentifier": model_identifier(interface.model_name),
        "canGetAndSetFMUState": "true",
        "canSerializeFMUState": "true",
        "providesDirectionalDerivatives": truth(interface.has_derivatives),
        "providesAdjointDerivatives": truth(interface.has_derivatives),
    }
    if interface.has_model_exchange:
        etree.SubElement(root, "ModelExchange", common, needsCompletedIntegratorStep="true")
    has_events = truth(interface.fixed_steps is None)
    co_simulation = etree.SubElement(
        root,
        "CoSimulation",
        common,
        canHandleVariableCommunicationStepSize="true",
        maxOutputDerivativeOrder="1",
        providesIntermediateUpdate=has_events,
        canReturnEarlyAfterIntermediateUpdate=has_events,
        mightReturnEarlyFromDoStep=has_events,
        hasEventMode=has_events,
    )
    if interface.fixed_steps is None:
        co_simulation.set("recommendedIntermediateInputSmoothness", str(_SMOOTHNESS))
    else:
        co_simulation.set("fixedInternalStepSize", real_text(interface.fixed_steps.steps.size))


def _add_variable(variables: etree._Element, interface: Interface, reference: int, size: int, name: str) -> None:
    row = interface.rows[reference]
    tag = "Enumeration" if row.choices else _ELEMENTS[row.type]
    variable = add_row(variables, tag, name, reference, row, _description(row, size))
    if row.type == "real" and row.causality in ("input", "output") and row.variability == "continuous" and interface.fixed_steps is None:
        variable.set("intermediateUpdate", "true")
    jumps = any(each.at in interface.jumping for each in interface.rows[reference : reference + size])
    set_type_and_bounds(variable, row)
    if row.derivative_of is not None:
        variable.set("derivative", str(row.derivative_of))
    if row.is_state and jumps:
        variable.set("reinit", "true")
    starts = [each.start for each in interface.rows[reference : reference + size]]
    if row.start is not None:
        variable.set("start", " ".join(value_text(row, start) for start in starts if start is not None))
    for extent in row.array.shape if size > 1 and row.array is not None else ():
        etree.SubElement(variable, "Dimension", start=str(extent))


def _description(row: FmuVariable, size: int) -> str:
    """That of the first entry speaks of this entry: 'initial value of free.q[1]'."""
    if size == 1 or row.array is None or row.start is None or row.variability != "fixed":
        return row.description
    return f"initial value of {row.array.name.removesuffix('_start')}"


def _add_model_structure(root: etree._Element, interface: Interface) -> None:
    structure = etree.SubElement(root, "ModelStructure")
    rows = interface.rows
    variables = list(arrays(interface))
    first_of = {reference + i: reference for reference, size in variables for i in range(size)}

    def add(element: str, reference: int, size: int, *, at_start: bool = False) -> None:
        lists = [row.starts_from if at_start else row.depends_on for row in rows[reference : reference + size]]
        unknown = etree.SubElement(structure, element, valueReference=str(reference))
        known_rows = _joined(lists)
        if known_rows is not None:
            unknown.set("dependencies", " ".join(map(str, sorted({first_of[known] for known in known_rows}))))

    for element, chosen in (
        ("Output", [(i, size) for i, size in variables if rows[i].causality == "output"]),
        ("ContinuousStateDerivative", [(i, size) for i, size in variables if rows[i].derivative_of is not None]),
    ):
        for reference, size in chosen:
            add(element, reference, size)
    for reference, size in variables:
        if rows[reference].initial == "calculated" and not rows[reference].is_indicator:
            add("InitialUnknown", reference, size, at_start=True)
    for reference, _ in variables:
        if rows[reference].is_indicator:  # without a list of dependencies: it may depend on everything
            etree.SubElement(structure, "EventIndicator", valueReference=str(reference))


def _joined(lists: Sequence[KnownList]) -> set[int] | None:
    """The union of the lists; None if one is left out, which stands for all knowns."""
    if any(each is None for each in lists):
        return None
    return {known for each in lists for known in each or ()}
