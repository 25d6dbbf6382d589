"""FMUs to run together, most made by pythonfmu from the scripts in slaves/; functions that change their descriptions; two networks."""

import shutil
import zipfile
from collections.abc import Callable
from math import pi
from pathlib import Path

import fmpy
import pytest
from pythonfmu.builder import FmuBuilder

from mobod.cosim import Network
from mobod.fmu.platforms import fmi2_folders
from mobod.runtime.compiler import build_library
from tests.cosim.cut_pendulum import make_halves

SLAVES = Path(__file__).parent / "slaves"
SAVES_STATE = [(f'{flag}="false"', f'{flag}="true"') for flag in ("canGetAndSetFMUstate", "canSerializeFMUstate")]


@pytest.fixture(scope="session")
def fmus(tmp_path_factory) -> dict[str, Path]:
    """The path of each FMU by the name of its script, and of those in C."""
    folder = tmp_path_factory.mktemp("fmus")
    built = {}
    for script in sorted(SLAVES.glob("*.py")):
        # all Python FMUs run in one Python process, so their modules need unique names
        module = shutil.copy(script, folder / f"mobod_test_slave_{script.stem}.py")
        built[script.stem] = Path(FmuBuilder.build_FMU(module, dest=folder / f"{script.stem}.fmu"))
    built |= {name: _fmu_in_c(folder, name) for name in ("failing", "harmful", "harmful3")}
    return built


def _fmu_in_c(folder: Path, name: str) -> Path:
    source = Path(__file__).parent / f"{name}_fmu"
    headers = Path(fmpy.__file__).parent / "c-code"
    flags = ["-fvisibility=default"]
    shared = (source.parent / "without_content.h", source.parent / "harmful_fmu" / "harm.h")
    files = {file.name: file.read_text() for file in (*source.glob("*.c"), *shared)}
    library = build_library(name, files, include_directories=[headers], flags=flags)
    path = folder / f"{name}.fmu"
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(source / "modelDescription.xml", "modelDescription.xml")
        for platform in {*fmi2_folders(), fmpy.platform_tuple}:
            archive.write(library, f"binaries/{platform}/{library.name}")
    return path


@pytest.fixture
def described(tmp_path) -> Callable[..., Path]:
    """A copy of an FMU whose modelDescription.xml has each `old` text replaced by `new`."""

    def copy(fmu: Path, *replacements: tuple[str, str], name: str | None = None) -> Path:
        changed = tmp_path / (name or fmu.name)
        with zipfile.ZipFile(fmu) as source, zipfile.ZipFile(changed, "w") as target:
            for entry in source.infolist():
                content = source.read(entry)
                if entry.filename == "modelDescription.xml":
                    text = content.decode()
                    for old, new in replacements:
                        assert old in text, f"{old!r} is not in the description of {fmu.name}"
                        text = text.replace(old, new)
                    content = text.encode()
                target.writestr(entry, content)
        return changed

    return copy


@pytest.fixture
def saving(fmus, described) -> Callable[[str], Path]:
    """The FMU of this script, with the flag that it can save its state; pythonfmu saves the variables."""
    return lambda script: described(fmus[script], *SAVES_STATE, name=f"saving_{script}.fmu")


@pytest.fixture
def two_masses(fmus) -> Network:
    """The coupled oscillator of the preCICE tutorials, with displacements exchanged; each half is solved exactly."""
    network = Network()
    parameters = {"mass": 1.0, "stiffness": 4 * pi**2, "coupling": 16 * pi**2}
    network.add(fmus["spring_mass"], "left", start={**parameters, "x": 1.0}, isolate=False)
    network.add(fmus["spring_mass"], "right", start={**parameters, "x": 0.0}, isolate=False)
    network.connect("left.x", "right.other")
    network.connect("right.x", "left.other")
    return network


@pytest.fixture(scope="session")
def halves(tmp_path_factory):
    """The halves of a cut double pendulum, by kind and name."""
    return make_halves(tmp_path_factory.mktemp("halves"))
