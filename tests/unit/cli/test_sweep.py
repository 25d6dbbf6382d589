"""`mobod sweep`."""

import json

import pytest
from click.testing import CliRunner

from mobod.cli import main

MODEL = """
import mobod as mb

def pendulum():
    system = mb.MultibodySystem("pendulum")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    mb.Pin(matter.ground, mb.MassProperties.point(mass=1.0, p=[0, -1, 0]), name="pin").set_default_q(0.1)
    return system
"""


@pytest.fixture
def sweep(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.py").write_text(MODEL)

    def run(*arguments):
        return CliRunner().invoke(main, ["sweep", "model.py:pendulum", "--processes", "1", *arguments])

    return run


def test_a_sweep_writes_its_table(sweep, tmp_path):
    result = sweep(
        "--set", "gravity.magnitude=5:10:2", "--set", "pin.q=normal(0,0.1)", "--runs", "3", "--until", "0.5", "--out", "table.csv"
    )
    assert result.exit_code == 0, result.output
    assert "6 runs, 0 failed" in result.output
    lines = (tmp_path / "table.csv").read_text().splitlines()
    assert lines[0] == "run,gravity.magnitude,pin.q,pin.q at the end,pin.u,error"
    assert len(lines) == 7
    assert [float(line.split(",")[1]) for line in lines[1:]] == [5.0] * 3 + [10.0] * 3


def test_failed_runs_are_listed_and_give_exit_code_1(sweep):
    result = sweep("--set", "gravity.magnitude=-1,9", "--until", "0.1", "--figure", "max(pin.q)", "--out", "table.csv", "--json")
    assert result.exit_code == 1
    shown = json.loads(result.output)
    assert shown["columns"] == ["gravity.magnitude", "max(pin.q)"]
    assert [each["run"] for each in shown["failed"]] == [1]
    assert "least value" in shown["failed"][0]["error"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--until", "1", "--out", "t.csv"], 2, "nothing varies"),
        (["--set", "gravity.magnitude", "--until", "1", "--out", "t.csv"], 2, "'='"),
        (["--set", "pin.q=1", "--set", "pin.q=2", "--until", "1", "--out", "t.csv"], 2, "set before"),
        (["--set", "gravity.magnitud=1", "--until", "1", "--out", "t.csv"], None, "gravity.magnitude"),
        (["--set", "pin.q=1", "--out", "t.csv"], None, "until"),
        (["--set", "pin.q=1", "--until", "1", "--out", "t.xls"], None, "csv"),
    ],
)
def test_wrong_arguments_are_refused(sweep, arguments, code, message):
    result = sweep(*arguments)
    assert result.exit_code == (2 if code is None else code)
    assert message in result.output
