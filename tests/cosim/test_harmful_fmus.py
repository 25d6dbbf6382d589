"""Whatever an FMU does to its process, in any function: a clear error, exit code 1, the results so far, and nothing left behind."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mobod.simulate.table import Table

pytestmark = pytest.mark.slow

AT_START = ["Instantiate", "SetupExperiment", "EnterInitializationMode", "SetReal", "ExitInitializationMode", "GetReal"]
AT_END = ["Terminate", "FreeInstance"]
FUNCTIONS = [*AT_START, "DoStep", *AT_END]
RETURNED = {"fail": "returned error", "unknown": "returned status 77 (unknown to FMI)", "fatal": "returned fatal"}
PRINTED = {"print": "returned error", "flood": "returned error"}
ENDED = {
    "crash": "crashed. Its process was ended by SIGSEGV (Segmentation fault)",
    "abort": "crashed. Its process was ended by SIGABRT (Aborted)",
    "exit": "ended its process with exit code 0",
    "hang": "did not return within 1 s. Its process was ended",
}
HERE = [(harm, function) for harm in (*RETURNED, "print") for function in FUNCTIONS[:-1]] + [("flood", "DoStep")]  # a flood takes 10 s


def run(fmus, tmp_path: Path, name: str, *options: str) -> tuple[int, str, list[float]]:
    """The exit code, the errors and the times of the rows of a run of a healthy FMU and a harmful one."""
    temporary, csv = tmp_path / "temporary", tmp_path / "run.csv"
    temporary.mkdir()
    fmu = fmus["harmful"]
    command = [f"healthy={fmu}", f"{name}={fmu}", "--connect", f"healthy.y={name}.u", "--step", "0.1", "--until", "0.5", "-o", str(csv)]
    done = subprocess.run(
        [sys.executable, "-m", "mobod.cosim", *command, "--quiet", "--call-limit", "1" if name.startswith("hang") else "60", *options],
        env={**os.environ, "TMPDIR": str(temporary)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        timeout=120,
        check=False,
    )
    assert [path.name for path in temporary.iterdir()] == []
    assert not Path(f"{csv}.part").exists()
    return done.returncode, done.stderr, Table.from_csv(csv).time.round(9).tolist() if csv.exists() else []


def check(fmus, tmp_path: Path, harm: str, function: str, expected: str, *options: str) -> None:
    name = f"{harm}_in_fmi2{function}"
    code, errors, rows = run(fmus, tmp_path, name, *options)
    assert code == 1
    assert f"Error: FMU '{name}' ({fmus['harmful']}): fmi2{function}" in errors
    assert expected in errors
    assert f"now {name}" in errors or harm in PRINTED
    assert rows == ([] if function in AT_START else [0.0, 0.1, 0.2] if function == "DoStep" else [0.0, 0.1, 0.2, 0.3, 0.4, 0.5])


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("harm", [*ENDED, *RETURNED, *PRINTED])
def test_an_isolated_fmu(fmus, tmp_path, harm, function):
    if function == "FreeInstance" and harm not in ENDED:  # it returns nothing
        assert run(fmus, tmp_path, f"{harm}_in_fmi2{function}")[::2] == (0, [0.0, 0.1, 0.2, 0.3, 0.4, 0.5])
        return
    expected = "returned no instance" if function == "Instantiate" and harm not in ENDED else {**ENDED, **RETURNED, **PRINTED}[harm]
    check(fmus, tmp_path, harm, function, expected)


@pytest.mark.parametrize(("harm", "function"), HERE)
def test_an_fmu_in_the_process_of_the_master(fmus, tmp_path, harm, function):
    expected = "returned no instance" if function == "Instantiate" else {**RETURNED, **PRINTED}[harm]
    check(fmus, tmp_path, harm, function, expected, "--no-isolate")


@pytest.mark.parametrize("isolation", ["--isolate", "--no-isolate"])
@pytest.mark.parametrize(("name", "time", "rows"), [("nan_in_start", "0", []), ("nan_in_fmi2GetReal", "0.3", [0.0, 0.1, 0.2])])
def test_a_value_that_is_no_number(fmus, tmp_path, isolation, name, time, rows):
    code, errors, found = run(fmus, tmp_path, name, isolation)
    assert (code, found) == (1, rows)
    assert f"FMU '{name}' ({fmus['harmful']}): output 'y' at {time} s is nan" in errors
