"""An FMU's C and a driver, built and run under the address and undefined-behaviour sanitizers."""

import subprocess
import zipfile
from importlib.resources import files

import pytest

from mobod.native_sources import native_file, native_folders, runtime_sources
from tests.native.slave import HERE, WARNINGS, c_compiler

SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
RUNTIME = [name for name in runtime_sources("compiled") if name.endswith(".c")]


def _build(*arguments):
    """Builds without optimization, because a model is large and runs only for a moment."""
    command = [c_compiler(), *WARNINGS, *SANITIZERS, f"-I{files('fmpy') / 'c-code'}", *map(str, arguments)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr


def need_sanitizers(folder):
    """Skips a test if a program with the sanitizers cannot be built: their libraries are separate packages."""
    empty = folder / "empty.c"
    empty.write_text("int main(void) { return 0; }\n")
    if subprocess.run([c_compiler(), *SANITIZERS, empty, "-o", folder / "empty"], capture_output=True, check=False).returncode != 0:
        pytest.skip("the C compiler has come without its sanitizers")


def sanitized_runtime(folder):
    """The objects of the runtime, which are part of all FMUs."""
    need_sanitizers(folder)
    for name in RUNTIME:
        _build("-g", "-O1", "-c", *(f"-I{folder}" for folder in native_folders()), native_file(name), "-o", folder / f"{name}.o")
    return [folder / f"{name}.o" for name in RUNTIME]


def check_clean(fmu, driver, runtime, folder):
    """Checks that the driver, a file beside this one, ends with code 0 and without output; runtime: from `sanitized_runtime`."""
    zipfile.ZipFile(fmu).extractall(folder)
    _check_quiet(driver_of(folder, driver, runtime))


def driver_of(folder, driver, runtime):
    """The program of a driver with an FMU that was unpacked into the folder."""
    sources = [path for path in (folder / "sources").glob("*.c") if path.name not in RUNTIME]
    assert len(sources) >= 2
    return _program([f"-I{folder / 'sources'}", *sources, HERE / driver], runtime, folder)


def check_driver_is_clean(arguments, runtime, folder):
    """Checks that the program of these sources, compiled with these flags, ends with code 0 and without output."""
    _check_quiet(_program(arguments, runtime, folder))


def _program(arguments, runtime, folder):
    _build(*arguments, *runtime, "-o", folder / "driver", "-lm")
    return folder / "driver"


def _check_quiet(program):
    result = subprocess.run([program], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout + result.stderr) == (0, "")
