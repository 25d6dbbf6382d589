"""Random sequences of calls, in both versions of FMI: refusals are logged and change nothing, and restored states go on to the bit."""

import subprocess
from importlib.resources import files

import pytest

from mobod.native_sources import native_folders, runtime_sources
from mobod.runtime.compiler import build_library
from tests.native.random_models import fmus_for_calls
from tests.native.sanitized import SANITIZERS, need_sanitizers
from tests.native.slave import GUID, HERE, WARNINGS, c_compiler, model_sources

DRIVER = [HERE / f"{name}.c" for name in ("calls_driver", "random_calls", "random_states", "calls_of_fmi2", "calls_of_fmi3")]
# the model written by hand is part of its program, in both versions
PENDULUM = ["2", "", GUID.decode(), "3", "", GUID.decode()]


def pendulum_sources():
    return model_sources() | runtime_sources("compiled")


def build(program, *arguments):
    command = [c_compiler(), *WARNINGS, f"-I{files('fmpy') / 'c-code'}", *map(str, [*DRIVER, *arguments]), "-o", program, "-lm"]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr


def check_calls(program, n, seed, fmus):
    result = subprocess.run([program, str(n), str(seed), *fmus], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout + result.stderr) == (0, "")


def build_with_library(program, library):
    build(program, "-O1", *(f"-I{folder}" for folder in native_folders()), library, f"-Wl,-rpath,{library.parent}")


def build_with_sanitizers(folder, sources):
    """The program of the driver and these sources."""
    folder.mkdir()
    for name, text in sources.items():
        (folder / name).write_text(text)
    build(folder / "driver", "-g", "-O1", *SANITIZERS, f"-I{folder}", *folder.glob("*.c"))
    return folder / "driver"


@pytest.mark.slow
def test_hundreds_of_random_sequences_of_calls_keep_the_rules(tmp_path):
    fmus, library = fmus_for_calls(tmp_path)
    build_with_library(tmp_path / "driver", library)

    check_calls(tmp_path / "driver", 200, 1, fmus)


@pytest.mark.slow
def test_hundreds_of_random_sequences_of_calls_of_a_compiled_model_keep_the_rules(tmp_path):
    library = build_library("pendulum", pendulum_sources(), include_directories=[files("fmpy") / "c-code"])
    build_with_library(tmp_path / "driver", library)

    check_calls(tmp_path / "driver", 600, 1, PENDULUM)


@pytest.mark.slow
def test_twenty_thousand_random_sequences_of_calls_keep_the_rules_under_the_sanitizers(tmp_path):
    need_sanitizers(tmp_path)
    fmus, _ = fmus_for_calls(tmp_path)
    program = build_with_sanitizers(tmp_path / "interpreted", runtime_sources("interpreted"))

    check_calls(program, 20_000, 2, fmus)


@pytest.mark.slow
def test_ten_thousand_random_sequences_of_calls_of_a_compiled_model_keep_the_rules_under_the_sanitizers(tmp_path):
    need_sanitizers(tmp_path)
    program = build_with_sanitizers(tmp_path / "pendulum", pendulum_sources())

    check_calls(program, 10_000, 2, PENDULUM)
