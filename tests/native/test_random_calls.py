"""Random sequences of calls, in both versions of FMI: refusals are logged and change nothing, and restored states go on to the bit."""

import subprocess
from importlib.resources import files

import pytest

from mobod.native_sources import native_sources, runtime_sources
from tests.native.random_models import fmus_for_calls
from tests.native.sanitized import SANITIZERS, need_sanitizers
from tests.native.slave import HERE, WARNINGS, c_compiler

DRIVER = [HERE / f"{name}.c" for name in ("calls_driver", "random_calls", "random_states", "calls_of_fmi2", "calls_of_fmi3")]


def build(program, *arguments):
    command = [c_compiler(), *WARNINGS, f"-I{files('fmpy') / 'c-code'}", *map(str, [*DRIVER, *arguments]), "-o", program, "-lm"]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr


def check_calls(program, n, seed, fmus):
    result = subprocess.run([program, str(n), str(seed), *fmus], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout + result.stderr) == (0, "")


def test_hundreds_of_random_sequences_of_calls_keep_the_rules(tmp_path):
    fmus, library = fmus_for_calls(tmp_path)
    build(tmp_path / "driver", "-O1", f"-I{native_sources()}", library, f"-Wl,-rpath,{library.parent}")

    check_calls(tmp_path / "driver", 600, 1, fmus)


@pytest.mark.slow
def test_twenty_thousand_random_sequences_of_calls_keep_the_rules_under_the_sanitizers(tmp_path):
    need_sanitizers(tmp_path)
    fmus, _ = fmus_for_calls(tmp_path)
    runtime = tmp_path / "runtime"
    runtime.mkdir()
    for name, text in runtime_sources("interpreted").items():
        (runtime / name).write_text(text)
    build(tmp_path / "driver", "-g", "-O1", *SANITIZERS, f"-I{runtime}", *runtime.glob("*.c"))

    check_calls(tmp_path / "driver", 20_000, 2, fmus)
