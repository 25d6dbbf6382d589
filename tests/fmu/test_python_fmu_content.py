"""The content of a Python FMU: the same bytes on every machine, and a description of its requirements."""

import importlib
import re
import shutil
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import numpy as np
import pytest

import mobod as mb
from tests.fmu.archive_content import content, description
from tests.fmu.users_elements import Wind, pendulum_in_wind
from tests.laws.mechanisms import random_mechanism

ROOT = Path(__file__).parents[2]


def test_the_description_of_a_python_fmu_is_right(wind):
    (interface,) = description(wind).findall("CoSimulation")
    flags = {
        "needsExecutionTool": "true",
        "canGetAndSetFMUstate": "true",
        "canSerializeFMUstate": "true",
        "canHandleVariableCommunicationStepSize": "true",
        "canBeInstantiatedOnlyOncePerProcess": "false",
        "providesDirectionalDerivative": "false",
    }
    assert {name: interface.get(name) for name in flags} == flags
    assert not len(interface)  # no sources
    assert "generationDateAndTime" not in description(wind).attrib


def test_a_python_fmu_contains_libraries_licences_and_its_requirements(wind):
    files = content(wind)
    identifier = description(wind).find("CoSimulation").get("modelIdentifier")
    assert files[f"binaries/linux64/{identifier}.so"].startswith(b"\x7fELF")
    assert files["binaries/linux64/pythonfmu-export.so"].startswith(b"\x7fELF")
    assert b"MIT License" in files["documentation/licenses/license.txt"]
    needs = files["documentation/externalDependencies.txt"].decode()
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert f"Python {python} (the model has code of its own" in needs
    assert re.search(r"mobod \d+\.\d+\.\d+, exactly", needs)
    assert f"numpy {np.__version__}" in needs
    assert "pytest" not in needs
    module, token = files["resources/slavemodule.txt"].decode().splitlines()
    assert token == description(wind).get("guid")
    assert re.fullmatch(r"mobod_fmu_[0-9a-f_]{36}", module)
    assert f"resources/{module}.py" in files


@pytest.mark.slow
def test_a_package_installed_since_the_last_export_is_listed(tmp_path, monkeypatch):
    """The module's name differs from the package's name."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setattr("mobod.fmu.python.system_pickle.packages_distributions", packages_distributions)

    def needs():
        system, _ = pendulum_in_wind()
        forces = next(each for each in system.subsystems if isinstance(each, mb.ForceSubsystem))
        body = next(each.body for each in forces.elements if isinstance(each, Wind))
        importlib.import_module("breezes_of_mine").Breeze(forces, body, gain=0.1, name="breeze")
        fmu = mb.export_fmu(system, tmp_path / "breeze.fmu", kind="python", outputs=["lower.q"])
        return content(fmu)["documentation/externalDependencies.txt"].decode()

    (folder / "breezes_of_mine.py").write_text("from tests.fmu.users_elements import Wind\n\nclass Breeze(Wind):\n    pass\n")
    assert "weather-tools" not in needs()
    information = folder / "weather_tools-1.2.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: weather-tools\nVersion: 1.2\n")
    (information / "top_level.txt").write_text("breezes_of_mine\n")
    assert "weather-tools 1.2" in needs()


@pytest.mark.slow
def test_a_model_without_own_code_requires_no_python_version(tmp_path):
    mechanism = random_mechanism(7, n_bodies=2)
    system, state = mechanism.system, mechanism.random_state(np.random.default_rng(5))
    files = content(mb.export_fmu(system, tmp_path / "tree.fmu", kind="python", outputs=[], state=state))
    assert b"1. Python 3.11 or later" in files["documentation/externalDependencies.txt"]


EXPORT = """
import sys
import mobod as mb
from tests.fmu.users_elements import pendulum_in_wind
system, state = pendulum_in_wind()
outputs = ["upper.q", "lower.q", "lower.p_GB", "energy"]
mb.export_fmu(system, sys.argv[1], kind="python", inputs=["motor.force"], outputs=outputs, state=state)
"""


@pytest.mark.slow
def test_the_same_model_gives_the_same_bytes_in_every_process_and_folder(wind, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(ROOT / "tests", other / "tests", ignore=shutil.ignore_patterns("data", "__pycache__"))
    program = f"import sys; sys.path.insert(0, {str(other)!r})\n{EXPORT}"
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "it.fmu")], cwd=tmp_path, check=True)
    theirs, ours = content(tmp_path / "it.fmu"), content(wind)
    assert theirs == ours
    assert (tmp_path / "it.fmu").read_bytes() == wind.read_bytes()


@pytest.mark.slow
def test_different_code_makes_a_different_model(wind, tmp_path):
    class Gust(Wind):
        def calc_force(self, state, body_forces, mobility_forces):
            mobility_forces[1] += 0.125

    system, state = pendulum_in_wind()
    (forces,) = (subsystem for subsystem in system.subsystems if isinstance(subsystem, mb.ForceSubsystem))
    forces.elements[1].__class__ = Gust
    other = mb.export_fmu(system, tmp_path / "gust.fmu", kind="python", inputs=["motor.force"], outputs=["lower.q"], state=state)
    assert description(other).get("guid") != description(wind).get("guid")


def test_a_python_fmu_contains_no_trace_of_its_place_of_export(wind, tmp_path):
    for name, data in content(wind).items():
        if not name.startswith("binaries/"):
            assert str(ROOT).encode() not in data, name
            assert str(wind.parent).encode() not in data, name
