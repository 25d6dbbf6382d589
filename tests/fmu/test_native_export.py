"""A native FMU, from the C of the model to a simulation by another master."""

import ctypes
import re
import shutil
import zipfile
from math import cos, exp, sin, sqrt

import numpy as np
import pytest
from fmpy import extract, read_model_description, simulate_fmu
from fmpy.build import build_platform_binary
from fmpy.fmi2 import FMU2Slave
from fmpy.validation import validate_fmu
from lxml import html
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import CompileError, InputError
from mobod.fmu.interface import make_interface
from mobod.fmu.native_export import write_native_fmu

OUTPUTS = ["block.q", "block.p_GB", "energy"]


def write(oscillator, path):
    write_native_fmu(oscillator, make_interface(oscillator, "oscillator", inputs=["motor.force"], outputs=OUTPUTS), path)
    return path


@pytest.fixture
def fmu(oscillator, tmp_path):
    return write(oscillator, tmp_path / "oscillator.fmu")


def damped_oscillation(time, m=1.7, k=21.5, c=0.9, F=2.6, q=0.3, u=-0.7):
    """q(t) of m q'' + c q' + k q = F, underdamped."""
    decay, rest = c / (2 * m), F / k
    frequency = sqrt(k / m - decay**2)
    a, b = q - rest, (u + decay * (q - rest)) / frequency
    return [rest + exp(-decay * t) * (a * cos(frequency * t) + b * sin(frequency * t)) for t in time]


def simulate(fmu, **options):
    results = simulate_fmu(str(fmu), stop_time=2.0, output_interval=0.1, relative_tolerance=1e-9, **options)
    return results["time"], results["block.q"]


def test_a_validator_finds_no_problem(fmu):
    assert validate_fmu(str(fmu)) == []


def test_fmpy_reproduces_the_closed_form(fmu):
    time, q = simulate(fmu)
    assert_allclose(q, damped_oscillation(time), atol=1e-8)  # ten times the tolerance: errors of some hundred steps add up


def test_initial_conditions_parameters_and_inputs_set_by_the_master_take_effect(fmu):
    values = {
        "block.q_start": -0.2,
        "block.u_start": 1.3,
        "block.mass": 0.8,
        "spring.stiffness": 9.5,
        "damper.damping": 0.4,
        "motor.force": -1.1,
    }
    time, q = simulate(fmu, start_values=values)
    assert_allclose(q, damped_oscillation(time, m=0.8, k=9.5, c=0.4, F=-1.1, q=-0.2, u=1.3), atol=1e-8)


def test_a_boolean_parameter_takes_effect(fmu):
    time, q = simulate(fmu, start_values={"spring.disabled": True, "motor.force": 0.0})
    c_m = 0.9 / 1.7
    assert_allclose(q, 0.3 - 0.7 * (1 - np.exp(-c_m * time)) / c_m, atol=1e-8)


@pytest.fixture
def slave(fmu, tmp_path):
    """An instance in initialization mode."""
    description = read_model_description(str(fmu))
    folder = extract(str(fmu), unzipdir=str(tmp_path / "unzipped"))
    instance = FMU2Slave(guid=description.guid, unzipDirectory=folder, modelIdentifier="oscillator", instanceName="one")
    instance.instantiate()
    instance.setupExperiment(startTime=0.0, tolerance=1e-9)
    instance.enterInitializationMode()
    yield instance
    instance.freeInstance()


def test_each_instance_starts_from_the_values_in_the_description(oscillator, fmu, slave):
    interface = make_interface(oscillator, "oscillator", inputs=["motor.force"], outputs=OUTPUTS)
    for row, read in zip(interface.rows, read_model_description(str(fmu)).modelVariables, strict=True):
        get = {"Boolean": slave.getBoolean, "Real": slave.getReal}.get(read.type, slave.getInteger)
        (value,) = get([read.valueReference])
        if row.start is not None:
            assert value == (read.start == "true" if read.type == "Boolean" else float(read.start)) == row.start
        elif row.is_state:
            assert value == oscillator.start[row.at]


@pytest.mark.slow
def test_the_declared_capabilities_work(fmu, slave):
    promised = read_model_description(str(fmu)).coSimulation
    assert promised.canHandleVariableCommunicationStepSize
    assert promised.canGetAndSetFMUstate
    assert promised.canSerializeFMUstate
    q = next(v.valueReference for v in read_model_description(str(fmu)).modelVariables if v.name == "block.q")

    def walk(time, steps):
        passed = []
        for step in steps:
            slave.doStep(time, step)
            time += step
            passed += slave.getReal([q])
        return passed

    slave.exitInitializationMode()
    before = walk(0.0, [0.125, 0.5, 0.03125])  # exact in binary: the sum of the steps is the time
    saved = slave.getFMUstate()
    stored = slave.serializeFMUstate(saved)
    after = walk(0.65625, [0.25, 0.0625])
    assert_allclose(before + after, damped_oscillation([0.125, 0.625, 0.65625, 0.90625, 0.96875]), atol=1e-8)

    slave.setFMUstate(saved)
    assert walk(0.65625, [0.25, 0.0625]) == after
    restored = slave.deSerializeFMUstate(stored)
    slave.setFMUstate(restored)
    assert walk(0.65625, [0.25, 0.0625]) == after
    slave.freeFMUstate(saved)
    slave.freeFMUstate(restored)


@pytest.mark.slow
def test_the_same_model_gives_the_same_bytes(oscillator, fmu, tmp_path, monkeypatch):
    monkeypatch.setenv("MOBOD_CACHE", str(tmp_path / "another" / "cache"))  # compiled again, in another folder
    assert write(oscillator, tmp_path / "again.fmu").read_bytes() == fmu.read_bytes()


def test_the_archive_contains_all_files_required_by_fmi_but_no_fmi_headers(fmu):
    names = set(zipfile.ZipFile(fmu).namelist())
    assert {
        "modelDescription.xml",
        "documentation/index.html",
        "documentation/licenses/license.txt",
        "sources/model.c",
        "sources/model.h",
        "sources/variables.c",
    } <= names
    assert [name for name in names if name.rpartition("/")[2].startswith(("fmi2Func", "fmi2Types", "fmi3Func"))] == []
    assert [name for name in names if name.startswith("binaries/")] != []
    listed = read_model_description(str(fmu)).buildConfigurations[0].sourceFileSets[0].sourceFiles
    assert {f"sources/{name}" for name in listed} == {name for name in names if name.endswith(".c")}


@pytest.mark.slow
def test_the_sources_compile_with_cmake_to_a_working_library(fmu, tmp_path):
    assert shutil.which("cmake"), "FMPy brings cmake along"
    folder = tmp_path / "unzipped"
    extract(str(fmu), unzipdir=str(folder))
    shutil.rmtree(folder / "binaries")
    (tmp_path / "build").mkdir()
    build_platform_binary(folder, build_dir=tmp_path / "build")
    time, q = simulate(folder)
    assert_allclose(q, damped_oscillation(time), atol=1e-8)


def test_the_library_exports_only_the_functions_of_fmi(fmu, tmp_path):
    extract(str(fmu), unzipdir=str(tmp_path))
    library = next((tmp_path / "binaries").rglob("oscillator.*"))
    loaded = ctypes.CDLL(str(library))
    assert loaded.fmi2DoStep
    for hidden in ("mobod_model", "mobod_interface", "do_step"):
        assert not hasattr(loaded, hidden)


def test_the_documentation_lists_all_settable_and_readable_variables(fmu):
    page = html.fromstring(zipfile.ZipFile(fmu).read("documentation/index.html"))
    assert page.findtext(".//h1") == "oscillator"
    tables = {}
    for heading in page.findall(".//h2"):
        tables[heading.text.split(",")[0]] = [[cell.text or "" for cell in row] for row in heading.getnext().iterfind(".//tr")][1:]
    assert tables["Inputs"] == [["motor.force", "2.6", "N", "", "", "what motor.force is"]]
    assert [row[0] for row in tables["Outputs"]] == ["energy", "block.p_GB[1]", "block.p_GB[2]", "block.p_GB[3]", "block.q"]
    before_start = tables["Initial conditions and settings"]
    assert [row[0] for row in before_start] == ["block.q_start", "block.u_start", "numerics.integrator"]
    assert before_start[-1][2].startswith("1: auto, 2: RK23, ")
    assert ["spring.stiffness", "21.5", "N/m", "0.0", "1000000.0", "what spring.stiffness is"] in tables["Parameters"]
    assert ["spring.disabled", "false", "true or false", "", "", "what spring.disabled is"] in tables["Parameters"]


def test_the_licence_is_included(fmu):
    text = zipfile.ZipFile(fmu).read("documentation/licenses/license.txt").decode()
    assert "generated from a model" in text
    assert "Apache License" in text


@pytest.mark.parametrize("name", ["block", "block.zip", "block.fmu.old"])
def test_a_name_without_the_ending_of_an_fmu_is_an_error(name, tmp_path):
    system = mb.MultibodySystem("block")
    mb.Slider(mb.MatterSubsystem(system).ground, mb.MassProperties.point(1.7, [0, 0, 0]), name="block")
    with pytest.raises(InputError, match=rf"the name of an FMU ends with \.fmu\. Write '.*{re.escape(name)}\.fmu'"):
        mb.export_fmu(system, tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", ["native", "python"])
def test_a_missing_folder_is_an_error(kind, tmp_path):
    system = mb.MultibodySystem("block")
    mb.Slider(mb.MatterSubsystem(system).ground, mb.MassProperties.point(1.7, [0, 0, 0]), name="block")
    with pytest.raises(InputError, match=r"does not exist\. Create it first"):
        mb.export_fmu(system, tmp_path / "nowhere" / "x.fmu", kind=kind)


@pytest.mark.slow
def test_a_compile_error_leaves_no_fmu(oscillator, tmp_path):
    oscillator.model_c += "\n#error made wrong on purpose\n"
    with pytest.raises(CompileError, match=r"'model\.c' did not compile(.|\n)*made wrong on purpose"):
        write(oscillator, tmp_path / "x.fmu")
    assert list(tmp_path.iterdir()) == []
