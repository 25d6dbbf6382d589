"""`mobod bench`."""

import json

import pytest

import mobod as mb


def runs(done):
    assert done.exit_code == 0, done.output
    return {each["name"]: each for each in json.loads(done.output)["runs"]}


@pytest.mark.slow
def test_a_system_runs_compiled_and_interpreted_with_the_same_steps(run):
    found = runs(run("bench", "models.py:crane", "--until", "2", "--set", "load.q=0.4", "--repeat", "2", "--json"))

    assert list(found) == ["compiled", "interpreted"]
    simulated = json.loads(run("simulate", "models.py:crane", "--until", "2", "--set", "load.q=0.4", "--json").output)
    for each in found.values():
        assert (each["steps"], each["evaluations"]) == (simulated["steps"], simulated["evaluations"])
        assert each["us_per_step"] == pytest.approx(1e6 * each["seconds"] / each["steps"])
        assert each["us_per_evaluation"] == pytest.approx(1e6 * each["seconds"] / each["evaluations"])
        assert each["times_real_time"] == pytest.approx(2 / each["seconds"])


def test_a_table_for_people(run):
    done = run("bench", "models.py:crane", "--until", "0.5", "--repeat", "1")

    assert done.exit_code == 0, done.output
    assert done.output.startswith("crane, 0.5 s\n")
    for word in ("us a step", "evaluations", "us an evaluation", "times real time", "compiled", "interpreted"):
        assert word in done.output
    assert run("bench", "models.py:crane", "--repeat", "1", "-q").output == ""


@pytest.mark.slow
def test_of_an_fmu_its_own_steps_are_measured(run, tmp_path):
    system = mb.MultibodySystem("swing")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.7)
    mb.Pin(matter.ground, mb.MassProperties.point(1.3, [0, -0.8, 0]), name="rod").set_default_q(0.5)
    mb.export_fmu(system, tmp_path / "swing.fmu", outputs=["rod.q"], code="interpreted")
    swing = runs(run("bench", "swing.fmu", "--until", "1", "--step", "0.01", "--repeat", "2", "--json"))["co-simulation"]

    assert (swing["steps"], swing["evaluations"], swing["span"]) == (100, None, 1.0)
    assert 0 < swing["own_us_per_step"] < swing["us_per_step"]
    exchange = runs(run("bench", "swing.fmu", "--until", "1", "--interface", "model-exchange", "--repeat", "1", "--json"))["model-exchange"]
    assert exchange["own_us_per_step"] is None
    assert exchange["evaluations"] >= exchange["steps"] > 0


def test_without_a_compiler_only_the_interpreted_run_is_measured(run, monkeypatch):
    run("bench", "models.py:crane", "--repeat", "1")  # the runtime is there
    monkeypatch.setenv("CC", "no-such-compiler")
    done = run("bench", "models.py:crane", "--repeat", "1", "--json", "--until", "0.3")

    shown = json.loads(done.output)
    assert [each["name"] for each in shown["runs"]] == ["interpreted"]
    assert "CC is set to 'no-such-compiler'" in shown["notes"][0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["models.py:crane", "--interface", "co-simulation"], "--interface applies only to FMUs"),
        (["models.py:crane", "--limit", "files=3"], "--limit applies only to FMUs"),
        (["models.py:crane", "--until", "0"], "--until 0: the run has no length"),
        (["models.py:crane", "--repeat", "0"], "--repeat"),
    ],
)
def test_wrong_usage(run, arguments, message):
    done = run("bench", *arguments)
    assert done.exit_code == 2
    assert message in done.stderr
