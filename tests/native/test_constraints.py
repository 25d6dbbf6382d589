"""The C runtime with constraints under the sanitizers."""

import subprocess
import zipfile
from importlib.resources import files

import pytest

import mobod as mb
from tests.analytic.linkage import linkage
from tests.native.slave import HERE, WARNINGS, c_compiler


def test_constraints_are_clean_under_the_address_and_undefined_behaviour_sanitizers(tmp_path):
    made = linkage()
    outputs = ["ball1.multiplier", "ball2.position_error", "rod.velocity_error", "crank2.reaction", "energy"]
    fmu = mb.export_fmu(made.system, tmp_path / "linkage.fmu", outputs=outputs, state=made.state)
    zipfile.ZipFile(fmu).extractall(tmp_path)
    sources = [str(path) for path in (tmp_path / "sources").glob("*.c")]

    sanitizers = ["-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    empty = tmp_path / "empty.c"
    empty.write_text("int main(void) { return 0; }\n")
    if subprocess.run([c_compiler(), *sanitizers, empty, "-o", tmp_path / "empty"], capture_output=True, check=False).returncode != 0:
        pytest.skip("the C compiler has come without its sanitizers")
    includes = [f"-I{tmp_path / 'sources'}", f"-I{files('fmpy') / 'c-code'}"]
    command = [
        c_compiler(),
        *WARNINGS,
        *sanitizers,
        *includes,
        *sources,
        str(HERE / "constrained_driver.c"),
        "-o",
        str(tmp_path / "driver"),
        "-lm",
    ]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr

    result = subprocess.run([tmp_path / "driver"], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout + result.stderr) == (0, "")
