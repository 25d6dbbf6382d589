"""An FMU's C and a driver, built and run under the address and undefined-behaviour sanitizers."""

import subprocess
import zipfile
from importlib.resources import files

import pytest

from tests.native.slave import HERE, WARNINGS, c_compiler

SANITIZERS = ["-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


def check_clean(fmu, driver, folder):
    """The driver, a file beside this one, must end well and say nothing."""
    zipfile.ZipFile(fmu).extractall(folder)
    sources = [str(path) for path in (folder / "sources").glob("*.c")]
    empty = folder / "empty.c"
    empty.write_text("int main(void) { return 0; }\n")
    if subprocess.run([c_compiler(), *SANITIZERS, empty, "-o", folder / "empty"], capture_output=True, check=False).returncode != 0:
        pytest.skip("the C compiler has come without its sanitizers")
    includes = [f"-I{folder / 'sources'}", f"-I{files('fmpy') / 'c-code'}"]
    output = ["-o", str(folder / "driver"), "-lm"]
    command = [c_compiler(), *WARNINGS, *SANITIZERS, *includes, *sources, str(HERE / driver), *output]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr

    result = subprocess.run([folder / "driver"], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout + result.stderr) == (0, "")
