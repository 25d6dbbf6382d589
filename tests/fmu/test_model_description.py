"""modelDescription.xml agrees with the table of variables."""

import re
from dataclasses import replace
from zipfile import ZipFile

import pytest
from fmpy import read_model_description
from fmpy.validation import validate_fmu

from mobod.errors import FmuFileError, InputError
from mobod.fmu.description.model_description import LOG_CATEGORIES, model_description
from mobod.fmu.interface import make_interface
from mobod.native_sources import native_file


def described(tmp_path, interface):
    """The model description as FMPy reads it, after FMPy's checks."""
    file = tmp_path / "modelDescription.xml"
    file.write_bytes(model_description(interface, ["a.c", "b.c"]))
    with ZipFile(tmp_path / "x.fmu", "w") as archive:
        archive.write(file, file.name)
    assert validate_fmu(str(tmp_path / "x.fmu")) == []
    return read_model_description(str(file))


@pytest.fixture
def oscillator_interface(oscillator):
    return make_interface(oscillator, "oscillator", inputs=["motor.force"], outputs=["energy", "block.q", "block.p_GB"])


@pytest.fixture
def free_interface(free_body):
    return make_interface(free_body, "free body", inputs=["wind.force"], outputs=["upper arm.R_GB", "wind.power", "der(upper arm.u)"])


@pytest.fixture
def switched_interface(oscillator):
    """Parameters as inputs, one of them Boolean, and a Boolean output."""
    oscillator.variables = [replace(v, type="boolean", units=("1",)) if v.name == "energy" else v for v in oscillator.variables]
    return make_interface(oscillator, "switched", inputs=["spring.disabled", "damper.damping"], outputs=["energy", "der(block.q)"])


ALL = pytest.mark.parametrize("which", ["oscillator_interface", "free_interface", "switched_interface"])


@pytest.mark.fast(1)
@ALL
def test_the_description_contains_every_variable(tmp_path, request, which):
    interface = request.getfixturevalue(which)
    description = described(tmp_path, interface)
    assert len(description.modelVariables) == len(interface.rows)
    for reference, (row, read) in enumerate(zip(interface.rows, description.modelVariables, strict=True)):
        assert read.valueReference == reference
        assert (read.name, read.description, read.causality, read.variability) == (
            row.name,
            row.description,
            row.causality,
            row.variability,
        )
        assert read.type == ("Enumeration" if row.choices else row.type.capitalize())
        if row.type == "boolean":
            assert read.start == {None: None, 0.0: "false", 1.0: "true"}[row.start]
        else:
            assert read.unit == (row.unit if row.type == "real" else None)
            assert [x and float(x) for x in (read.start, read.min, read.max)] == [row.start, row.minimum, row.maximum]
        assert (read.derivative and read.derivative.name) == (row.derivative_of and interface.rows[row.derivative_of].name)


@pytest.mark.fast(1)
@ALL
def test_the_model_structure_lists_all_unknowns_with_all_dependencies(tmp_path, request, which):
    interface = request.getfixturevalue(which)
    description = described(tmp_path, interface)
    for unknowns, references, attribute in (
        (description.outputs, interface.outputs(), "depends_on"),
        (description.derivatives, interface.derivatives(), "depends_on"),
        (description.initialUnknowns, interface.initial_unknowns(), "starts_from"),
    ):
        assert [unknown.variable.valueReference for unknown in unknowns] == references
        for unknown, reference in zip(unknowns, references, strict=True):
            knowns = [known.valueReference for known in unknown.dependencies]
            assert knowns == list(getattr(interface.rows[reference], attribute))


def test_a_variable_without_dependencies_has_an_empty_list(tmp_path, oscillator_interface):
    description = described(tmp_path, oscillator_interface)
    (constant,) = [unknown for unknown in description.outputs if unknown.variable.name == "block.p_GB[2]"]
    assert constant.dependencies == []


def test_fmi_2_gives_no_initial_for_inputs_and_the_independent_variable(oscillator_interface):
    text = model_description(oscillator_interface, ["a.c"]).decode()
    for name in ("motor.force", "time"):
        (element,) = re.findall(rf'<ScalarVariable name="{re.escape(name)}"[^>]*>', text)
        assert "initial=" not in element


@pytest.mark.slow
def test_units_are_defined_by_si_exponents_and_angles_shown_in_degrees(tmp_path, free_interface):
    units = {unit.name: unit for unit in described(tmp_path, free_interface).unitDefinitions}
    watt = units["W"].baseUnit
    assert (watt.kg, watt.m, watt.s, watt.rad) == (1, 2, -3, 0)
    rate = units["rad/s"]
    assert (rate.baseUnit.rad, rate.baseUnit.s) == (1, -1)
    assert [(shown.name, shown.factor) for shown in rate.displayUnits] == [("deg/s", 57.29577951308232)]


def test_the_bytes_are_the_same_each_time_and_dated_on_request(oscillator_interface, monkeypatch):
    first = model_description(oscillator_interface, ["a.c"])
    assert model_description(oscillator_interface, ["a.c"]) == first
    assert b"generationDateAndTime" not in first
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert b'generationDateAndTime="2023-11-14T22:13:20Z"' in model_description(oscillator_interface, ["a.c"])
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with pytest.raises(InputError, match="SOURCE_DATE_EPOCH is 'yesterday'"):
        model_description(oscillator_interface, ["a.c"])


def test_the_library_is_named_by_an_identifier_and_the_model_by_its_name(tmp_path, free_interface):
    description = described(tmp_path, free_interface)
    assert description.modelName == "free body"
    assert description.coSimulation.modelIdentifier == "free_body"
    assert description.guid == free_interface.token
    assert description.buildConfigurations[0].sourceFileSets[0].sourceFiles == ["a.c", "b.c"]
    assert float(description.defaultExperiment.startTime) == 2.5


def test_log_categories_match_those_of_the_runtime(tmp_path, oscillator_interface):
    logging_c = native_file("logging.c").read_text()
    table = logging_c[logging_c.index("categories[] = {") : logging_c.index("};")]
    assert sorted(LOG_CATEGORIES) == sorted(re.findall(r'\{"(\w+)"', table))
    assert [category.name for category in described(tmp_path, oscillator_interface).logCategories] == list(LOG_CATEGORIES)


def test_a_model_without_outputs_can_be_described(tmp_path, oscillator):
    assert described(tmp_path, make_interface(oscillator, "oscillator")).outputs == []


def test_a_description_that_violates_the_schema_is_an_error(oscillator_interface):
    with pytest.raises(FmuFileError, match="schema of FMI 2"):
        model_description(oscillator_interface, [])  # a list of source files that is empty
