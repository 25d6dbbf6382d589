"""A model file as MODEL."""

import json

import pytest

import mobod as mb
from tests.unit.files.users_elements import Bump


def pendulum(path, function):
    system = mb.MultibodySystem("pendulum")
    pin = mb.Pin(mb.MatterSubsystem(system).ground, mb.MassProperties.point(1.3, [0, -0.7, 0]), name="pin")
    forces = mb.ForceSubsystem(system)
    mb.Gravity(forces, system.matter, down=[0, -1, 0], magnitude=9.7, name="gravity")
    mb.MobilityForce(forces, pin, name="motor")
    slider = mb.Slider(pin, mb.MassProperties.point(0.2, [0, 0, 0]), name="slider")
    mb.FunctionMotion(slider, function)
    return mb.save_model(system, path)


@pytest.mark.slow
def test_info_simulate_and_export_accept_model_files(run, tmp_path):
    pendulum(tmp_path / "pendulum.json", mb.functions.Sinusoid(0.1, 2.0))

    assert json.loads(run("info", "pendulum.json", "--json").stdout)["name"] == "pendulum"
    assert "pin.q" in json.loads(run("simulate", "pendulum.json", "--until", "0.2", "--json").stdout)["final"]
    done = run("export", "pendulum.json", "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert (told["fmu"], told["inputs"]) == ("pendulum.fmu", ["motor.force"])
    assert sorted(told["outputs"]) == ["pin.q", "pin.u", "slider.q", "slider.u"]


def test_code_named_in_a_model_file_runs_only_if_allowed(run, tmp_path):
    pendulum(tmp_path / "pendulum.json", Bump(0.2))

    refused = run("info", "pendulum.json")
    assert refused.exit_code == 1
    assert "pendulum.json: /bodies/1/motion/functions/0/type: it needs the Python code" in refused.stderr
    assert run("info", "pendulum.json", "--allow-imports").exit_code == 0
