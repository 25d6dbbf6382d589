"""The shared library: its exported symbols, and the results of other masters."""

import re
import shutil
import subprocess
import sys
from importlib.resources import files

import pytest
from fmpy.fmi2 import FMU2Slave
from numpy.testing import assert_allclose

from mobod.native_sources import runtime_sources, web_sources
from tests.native.equations import solution
from tests.native.slave import GUID, STATES, VARIABLES, WARNINGS, Slave, c_compiler, compile_model, model_sources

reads_symbols = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("nm") is None, reason="reads the symbols of an ELF library with nm"
)


def functions_of_the_standard(version: str = "2.0") -> set[str]:
    """The functions that fmi2Functions.h or fmi3Functions.h declares."""
    declarations = (files("fmpy") / "c-code" / f"fmi{version[0]}Functions.h").read_text()
    return set(re.findall(r"^ *FMI[23]_Export +\w+ +(\w+);", declarations, re.MULTILINE))


def symbols(library, which) -> set[str]:
    listing = subprocess.run(["nm", "-D", which, library], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].split("@")[0] for line in listing.splitlines()}


def test_no_file_has_a_warning(tmp_path):
    command = [c_compiler(), *WARNINGS, "-fsyntax-only", f"-I{files('fmpy') / 'c-code'}"]
    checked = set[str]()
    for sources in (model_sources(), runtime_sources("interpreted"), runtime_sources("library"), web_sources()):
        for name, text in sources.items():
            (tmp_path / name).write_text(text)
        units = {name for name in sources if name.endswith(".c")} - checked - {"c_memory.c"}  # which asks WebAssembly for memory
        done = subprocess.run([*command, *sorted(units)], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        checked |= units


@pytest.mark.slow  # compiles the whole runtime again
def test_optimised_code_has_no_warning():
    compile_model(WARNINGS)


@reads_symbols
def test_only_the_fmi_functions_are_exported(library):
    assert symbols(library, "--defined-only") == functions_of_the_standard()


FORBIDDEN = """printf fprintf puts fputs putchar fwrite write exit _exit abort raise signal sigaction chdir setlocale setenv
    fopen open fesetenv fesetround feenableexcept rand srand time pthread_create"""


@reads_symbols
def test_no_function_that_prints_exits_or_changes_the_process_is_used(library):
    assert not symbols(library, "--undefined-only") & {name for plain in FORBIDDEN.split() for name in (plain, f"__{plain}_chk")}


LIBM = """acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma fmax fmin fmod
    frexp hypot ilogb ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter pow remainder remquo
    rint round scalbln scalbn sin sincos sinh sqrt tan tanh tgamma trunc"""


@reads_symbols
def test_no_function_of_the_mathematical_library_is_used(library):
    assert not symbols(library, "--undefined-only") & set(LIBM.split())


def test_an_instance_writes_nothing_to_the_console(library, capfd):
    slave = Slave(library, logging_on=True).start().run([0, 0.1])
    slave.call("DoStep", 0, 0, 0)
    slave.free()
    captured = capfd.readouterr()
    assert captured.out + captured.err == ""


def test_fmpy_runs_the_library(library, tmp_path):
    slave = FMU2Slave(guid=GUID.decode(), modelIdentifier="pendulum", unzipDirectory=str(tmp_path), libraryPath=str(library))
    slave.instantiate()
    slave.setupExperiment(tolerance=1e-9, startTime=0.0)
    slave.enterInitializationMode()
    slave.exitInitializationMode()
    for i in range(7):
        slave.doStep(currentCommunicationPoint=i * 0.1, communicationStepSize=0.1)
    states = slave.getReal([VARIABLES[name] for name in STATES])
    slave.terminate()
    slave.freeInstance()

    # fmpy's points are i * 0.1: the end is 0.7 to the last digit but one
    assert_allclose(states, solution(0.7), atol=2e-8)
