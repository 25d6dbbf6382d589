"""quadratic_program.c, complementarity.c and active_set.c, run with the sanitizers."""

import subprocess
from collections.abc import Iterator

import numpy as np
import pytest

from mobod.native_sources import elementary_sources, native_file, native_folders
from tests.native.sanitized import SANITIZERS, need_sanitizers
from tests.native.slave import HERE, WARNINGS, c_compiler
from tests.unit.numerics.programs import Program, general_program, random_program

SOLVED, _INVALID, CONTRADICT, UNSETTLED, NOT_CERTIFIED = range(5)


pytestmark = pytest.mark.slow  # to compile under the sanitizers takes long


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    folder = tmp_path_factory.mktemp("programs")
    need_sanitizers(folder)
    elementary = [name for name in elementary_sources() if name.endswith(".c")]
    names = ("quadratic_program.c", "complementarity.c", "factor.c", "factor_solve.c", *elementary)  # the driver includes active_set.c
    sources = [native_file(name) for name in names]
    command = [
        c_compiler(),
        *WARNINGS,
        "-O1",
        "-g",
        *SANITIZERS,
        *(f"-I{folder}" for folder in native_folders()),
        HERE / "programs_driver.c",
        *sources,
        "-o",
        folder / "driver",
        "-lm",
    ]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return folder / "driver"


def text(program: Program, b: np.ndarray) -> str:
    rows = np.vstack([program.G, program.N])
    arrays = (program.M, program.u_star, rows, b, program.lower, program.upper)
    numbers = [f"{number:.17g}" for array in arrays for number in np.ravel(array)]
    return " ".join([str(len(program.M)), str(len(rows)), str(len(program.G)), *numbers])


def run(driver, programs: list[str], *arguments: str) -> Iterator[list[float]]:
    result = subprocess.run([driver, *arguments], input="\n".join(programs), capture_output=True, text=True, check=False, timeout=120)
    assert (result.returncode, result.stderr) == (0, "")
    return ([float(word) for word in line.split()] for line in result.stdout.splitlines())


def test_programs_are_solved_within_their_arrays(driver):
    programs = [random_program(seed) for seed in range(500)]
    outcomes = run(driver, [text(program, np.concatenate([program.b_g, program.b_n])) for program in programs])

    for program, (outcome, _, *numbers) in zip(programs, outcomes, strict=True):
        assert outcome == SOLVED
        n, k = len(program.M), len(program.G)
        u, lam, theta = np.split(np.array(numbers), [n, n + k])
        assert program.residual(u, lam, theta) < 1e-9


def test_programs_without_solutions_stay_within_their_arrays_too(driver):
    programs = [random_program(seed) for seed in range(500)]
    outcomes = list(run(driver, [text(program, np.concatenate([program.b_g, program.b_n]) + 1.0) for program in programs]))

    assert sum(outcome == CONTRADICT and n_against > 0 for outcome, n_against, *_ in outcomes) > 50
    assert {outcome for outcome, *_ in outcomes} == {SOLVED, CONTRADICT}


@pytest.mark.parametrize(("fault", "expected"), [("z", NOT_CERTIFIED), ("y", NOT_CERTIFIED), ("unsettled", UNSETTLED)])
def test_a_wrong_solution_fails_the_check(driver, fault, expected):
    programs = [general_program(5, 8, seed) for seed in range(20)]
    outcomes = run(driver, [text(program, program.b_n) for program in programs], fault)

    assert {outcome for outcome, *_ in outcomes} == {expected}
