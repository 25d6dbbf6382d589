"""`mobod validate`."""

import json
from pathlib import Path

import pytest

from mobod.acceptance import AcceptanceReport, Check, Difference, Experiment
from mobod.acceptance.declared_checks import CHECKS
from mobod.acceptance.report import Result
from mobod.cli.acceptance_report import print_report

MADE = ("archive", "description", "run.co-simulation", "state.co-simulation")


@pytest.fixture(autouse=True)
def only_some_checks(monkeypatch):
    """All of them take some ten seconds."""
    monkeypatch.setattr("mobod.acceptance.validate.CHECKS", tuple(each for each in CHECKS if each.name in MADE))


@pytest.fixture
def crane(run):
    """The path of a sound FMU."""
    done = run("export", "models.py:crane", "-o", "crane.fmu", "--output", "load.q", "--output", "load.p_GB", "--set", "load.q=0.6", "-q")
    assert done.exit_code == 0, done.output
    return "crane.fmu"


@pytest.fixture
def broken(crane, tmp_path):
    """The same FMU, cut off."""
    (tmp_path / "broken.fmu").write_bytes((tmp_path / crane).read_bytes()[:1000])
    return "broken.fmu"


def test_an_fmu_made_by_mobod_passes_each_check(run, crane):
    done = run("validate", crane, "--until", "0.5", "--json")

    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told["valid"] is True
    assert [(check["name"], check["outcome"], check["findings"]) for check in told["checks"]] == [(name, "passed", []) for name in MADE]
    assert told["experiment"] == {"start": 0.0, "stop": 0.5, "step": 0.01, "tolerance": 1e-7}
    assert sorted(each["output"] for each in told["differences"]) == ["load.p_GB[1]", "load.p_GB[2]", "load.p_GB[3]", "load.q"]
    for each in told["differences"]:
        assert each["verdict"] == "agree"
        assert each["coarse"] <= each["allowed"]


@pytest.mark.slow
def test_the_tables_show_the_checks_and_the_differences(run, crane):
    done = run("validate", crane, "--until", "0.5", "--step", "0.05")

    assert done.exit_code == 0, done.output
    for shown in (
        "a restored state resumes with the same bits",
        "passed",
        "load.p_GB[2]",
        "rad",
        "agree",
        "h = 0.05 s",
        "no problem found",
    ):
        assert shown in done.stdout


@pytest.mark.slow
def test_a_problem_exits_1_and_is_reported(run, broken):
    done = run("validate", broken)

    assert done.exit_code == 1
    assert "broken.fmu: not an FMU, or a damaged one" in done.stdout
    assert "problems found" in done.stdout
    told = json.loads(run("validate", broken, "--json").stdout)
    assert (told["valid"], told["experiment"], told["differences"]) == (False, None, [])


@pytest.mark.slow
def test_with_quiet_only_the_exit_code_tells_the_result(run, crane, broken):
    for path, exit_code in ((crane, 0), (broken, 1)):
        done = run("validate", path, "--until", "0.1", "--quiet")
        assert (done.exit_code, done.output) == (exit_code, "")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.fmu"], "does not exist"),
        (["crane.fmu", "--until", "-1"], "Give a finite end after its start"),
        (["crane.fmu", "--step", "0"], "Give a finite positive number"),
        ([], "Missing argument"),
    ],
)
def test_wrong_usage_exits_2_with_one_message(run, crane, arguments, message):
    done = run("validate", *arguments)

    assert done.exit_code == 2
    assert message in done.stderr
    assert "Traceback" not in done.output


def test_only_the_worst_of_many_outputs_are_shown(capsys):
    differences = [Difference(f"y{k}", "m", 1e-9, 1e-9, 1e-3) for k in range(70)] + [Difference("worst", "m", 1.0, 1.0, 1e-3)]
    check = Check("run.co-simulation", "it runs", Result(differences=differences))
    print_report(AcceptanceReport(Path("x.fmu"), [check], experiment=Experiment(0.0, 0.1, 10, None)))
    shown = capsys.readouterr().out
    assert "worst" in shown
    assert "y48" in shown
    assert "y49" not in shown
    assert "and 21 more outputs, none with a worse verdict" in shown
