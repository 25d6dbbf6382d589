"""Whatever an FMU does to its process, in any function: a clear error, exit code 1, the results so far, and nothing left behind."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mobod.simulate.table import Table

pytestmark = pytest.mark.slow

FMU = {"2": "harmful", "3": "harmful3"}  # by the version of FMI
FUNCTIONS = {
    "2": ["Instantiate", "SetupExperiment", "EnterInitializationMode", "SetReal", "ExitInitializationMode", "GetReal", "DoStep"],
    "3": ["InstantiateCoSimulation", "EnterInitializationMode", "SetFloat64", "ExitInitializationMode", "GetFloat64", "DoStep"],
}
AT_END = ["Terminate", "FreeInstance"]
RETURNED = {"fail": "returned error", "unknown": "returned status 77 (unknown to FMI)", "fatal": "returned fatal"}
PRINTED = {"print": "returned error", "flood": "returned error"}
ENDED = {
    "crash": "crashed. Its process was ended by SIGSEGV (Segmentation fault)",
    "abort": "crashed. Its process was ended by SIGABRT (Aborted)",
    "exit": "ended its process with exit code 0",
    "hang": "did not return within 1 s. Its process was ended",
}
SEALED = {"shrink": "returned error"}  # of the memory that it shares with the master, which goes on
LOGGED = {"null": "with no environment", "foreign": "with an address"}  # in its log; the FMU goes on
EVERYWHERE = [(version, function) for version, names in FUNCTIONS.items() for function in (*names, *AT_END)]
HERE = [  # a flood takes 10 s
    (version, harm, function) for version, function in EVERYWHERE for harm in (*RETURNED, "print") if function != "FreeInstance"
] + [("2", "flood", "DoStep"), ("3", "flood", "DoStep")]
WHOLE = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]


def run(fmus, tmp_path: Path, version: str, name: str, *options: str) -> tuple[int, str, list[float]]:
    """The exit code, the errors and the times of the rows of a run of a healthy FMU and a harmful one."""
    temporary, csv = tmp_path / "temporary", tmp_path / "run.csv"
    temporary.mkdir()
    healthy, fmu = fmus["harmful"], fmus[FMU[version]]
    command = [f"healthy={healthy}", f"{name}={fmu}", "--connect", f"healthy.y={name}.u", "--step", "0.1", "--until", "0.5", "-o", str(csv)]
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


def check(fmus, tmp_path: Path, version: str, harm: str, function: str, expected: str, *options: str) -> None:
    name = f"{harm}_in_fmi{version}{function}"
    code, errors, rows = run(fmus, tmp_path, version, name, *options)
    assert code == 1
    assert f"Error: FMU '{name}' ({fmus[FMU[version]]}): fmi{version}{function}" in errors
    assert expected in errors
    assert f"now {name}" in errors or harm in PRINTED
    assert rows == (WHOLE if function in AT_END else [0.0, 0.1, 0.2] if function == "DoStep" else [])


@pytest.mark.parametrize(("version", "function"), EVERYWHERE)
@pytest.mark.parametrize("harm", [*ENDED, *RETURNED, *PRINTED, *SEALED])
def test_an_isolated_fmu(fmus, tmp_path, harm, version, function):
    if function == "FreeInstance" and harm not in ENDED:  # it returns nothing
        assert run(fmus, tmp_path, version, f"{harm}_in_fmi{version}{function}")[::2] == (0, WHOLE)
        return
    expected = {**ENDED, **RETURNED, **PRINTED, **SEALED}[harm]
    if "Instantiate" in function and harm not in ENDED:
        expected = "returned no instance"
    check(fmus, tmp_path, version, harm, function, expected)


@pytest.mark.parametrize(("version", "harm", "function"), HERE)
def test_an_fmu_in_the_process_of_the_master(fmus, tmp_path, version, harm, function):
    expected = "returned no instance" if "Instantiate" in function else {**RETURNED, **PRINTED}[harm]
    check(fmus, tmp_path, version, harm, function, expected, "--no-isolate")


@pytest.mark.parametrize(("version", "function"), EVERYWHERE)
@pytest.mark.parametrize("harm", LOGGED)
def test_pointers_in_callbacks_are_not_used(fmus, tmp_path, harm, version, function):
    log = tmp_path / "run.log"
    code, errors, rows = run(fmus, tmp_path, version, f"{harm}_in_fmi{version}{function}", "--log", str(log))
    assert (code, errors, rows) == (0, "", WHOLE)
    assert LOGGED[harm] in log.read_text()


@pytest.mark.parametrize("isolation", ["--isolate", "--no-isolate"])
@pytest.mark.parametrize("version", FUNCTIONS)
@pytest.mark.parametrize(("getter", "time", "rows"), [("start", "0", []), (None, "0.3", [0.0, 0.1, 0.2])])
def test_a_value_that_is_no_number(fmus, tmp_path, isolation, version, getter, time, rows):
    name = f"nan_in_{getter or {'2': 'fmi2GetReal', '3': 'fmi3GetFloat64'}[version]}"
    code, errors, found = run(fmus, tmp_path, version, name, isolation)
    assert (code, found) == (1, rows)
    assert f"FMU '{name}' ({fmus[FMU[version]]}): output 'y' at {time} s is nan" in errors
