"""A URDF file as MODEL."""

import json
import sys
from dataclasses import fields
from inspect import signature
from pathlib import Path
from types import SimpleNamespace

import fmpy
import pytest
from fmpy.validation import validate_fmu

import mobod as mb
from mobod.cli.models.robot_files import URDF
from mobod.files import load_urdf
from mobod.files.robot.options import RobotArguments, RobotOptions

ARM = Path(__file__).resolve().parents[3] / "examples" / "arm.urdf"
JOINTS = ["waist", "shoulder_lift", "elbow", "forearm_roll", "wrist_bend", "flange_roll"]

SWING = """<robot name="swing">
  <link name="world"/>
  <link name="seat"><inertial><origin xyz="0 0 -2"/><mass value="30"/>
    <inertia ixx="2" ixy="0" ixz="0" iyy="2" iyz="0" izz="1"/></inertial></link>
  <joint name="rope" type="continuous"><parent link="world"/><child link="seat"/><axis xyz="0 1 0"/>
    <dynamics friction="0.5"/></joint>
  <transmission/>
</robot>"""


def test_options_of_load_urdf_match_those_of_a_robot():
    assert set(RobotArguments.__annotations__) == {each.name for each in fields(RobotOptions)}


def test_every_argument_of_load_urdf_can_be_set():
    arguments = {*signature(load_urdf).parameters, *RobotArguments.__annotations__}
    assert set(URDF.settings) == arguments - {"path", "options"}


@pytest.fixture
def swing(run, tmp_path):
    (tmp_path / "swing.urdf").write_text(SWING)
    return run


@pytest.mark.slow
def test_one_command_makes_an_fmu_with_motors_as_inputs_and_coordinates_as_outputs(run, tmp_path):
    done = run("export", ARM, "--json")

    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told["fmu"] == "arm.fmu"
    assert told["inputs"] == [f"{name}_motor.force" for name in JOINTS]
    assert sorted(told["outputs"]) == sorted(f"{name}.{quantity}" for name in JOINTS for quantity in "qu")
    assert validate_fmu(str(tmp_path / "arm.fmu")) == []


@pytest.mark.slow
def test_the_fmu_of_a_urdf_file_matches_the_system(run, tmp_path):
    start = {"shoulder_lift.q": 0.4, "elbow.q": 0.7, "wrist_bend.u": 0.3}
    settings = [part for name, value in start.items() for part in ("--set", f"{name}={value}")]
    assert run("export", ARM, "-o", "here.fmu", *settings, "--quiet").exit_code == 0
    system = mb.load_urdf(ARM)
    state = system.realize_topology()
    for name, value in start.items():
        system.set_value(state, name, [value])
    final = mb.Simulation(system, accuracy=1e-9).run(state, until=0.5).final_state

    result = fmpy.simulate_fmu(str(tmp_path / "here.fmu"), stop_time=0.5, output_interval=0.05)
    for name in JOINTS:
        assert result[f"{name}.q"][-1] == pytest.approx(system.matter.body(name).q(final)[0], abs=1e-4)  # accuracy 1e-6 of the FMU's steps


@pytest.mark.slow
def test_info_and_simulate_accept_urdf_files(run):
    told = json.loads(run("info", ARM, "--json").stdout)
    assert told["name"] == "arm"
    assert [body["name"] for body in told["bodies"]] == ["base", *JOINTS, "tool_mount"]
    done = run("simulate", ARM, "--until", "0.1", "--json")
    assert done.exit_code == 0, done.output
    assert "elbow.q" in json.loads(done.stdout)["final"]


def test_settings_control_how_a_urdf_file_is_read(swing):
    done = swing("info", "swing.urdf", "--urdf", "friction=ignore", "--urdf", "gravity=1.6", "--urdf", "motors=false", "--json")
    assert done.exit_code == 0
    told = json.loads(done.stdout)
    assert told["inputs"] == []
    assert [each["start"] for each in told["parameters"] if each["name"] == "gravity.magnitude"] == [1.6]


TRANSMISSION = "<transmission> is ignored: it describes actuators, and joints have motors that apply force or torque."
FRICTION = "joint 'rope' has dry friction of 0.5 (N m). It is left out."


@pytest.mark.parametrize("command", [("info",), ("simulate", "--until", "0.01"), ("export", "--kind", "python")])
def test_changes_of_the_file_are_one_summary_and_a_list_in_json(swing, command):
    command = (*command, "--urdf", "friction=warn")
    done = swing(command[0], "swing.urdf", *command[1:])
    assert done.exit_code == 0, done.output
    assert done.stderr.startswith(
        f"warning: swing.urdf: 2 things were changed or ignored:\n  line 7: {TRANSMISSION}\n  line 5: {FRICTION}\n"
    )
    done = swing(command[0], "swing.urdf", *command[1:], "--json")
    assert done.exit_code == 0, done.output
    assert "warning" not in done.stderr
    assert json.loads(done.stdout)["warnings"] == [
        {"link": None, "joint": None, "kind": "ignored", "line": 7, "message": TRANSMISSION},
        {"link": None, "joint": "rope", "kind": "friction", "line": 5, "message": FRICTION},
    ]
    refused = swing(command[0], "swing.urdf", *command[1:-1], "friction=error")
    assert refused.exit_code == 1
    assert "joint 'rope' has dry friction of 0.5" in refused.stderr


def test_a_file_with_macros_is_a_urdf_file(swing, tmp_path):
    (tmp_path / "swing.urdf.xacro").write_text(SWING.replace("<transmission/>", '<x:leg xmlns:x="http://www.ros.org/wiki/xacro"/>'))
    done = swing("info", "swing.urdf.xacro", "--strict")
    assert done.exit_code == 1
    assert "<xacro:leg> must first be expanded by xacro" in done.stderr


@pytest.mark.parametrize(
    "command", ["info", "simulate", "view", "export", "sweep --set gravity.magnitude=1,2 -o t.csv --until 0.1", "bench"]
)
def test_code_in_macros_of_a_urdf_file_runs_only_if_allowed(swing, tmp_path, monkeypatch, command):
    class ExecutedError(Exception):
        pass

    def process_file(path):
        raise ExecutedError("the code of the file ran")

    monkeypatch.setitem(sys.modules, "xacro", SimpleNamespace(process_file=process_file))
    code = '<x:property xmlns:x="http://www.ros.org/wiki/xacro" name="m" value="${print(1)}"/>'
    (tmp_path / "swing.urdf").write_text(SWING.replace("<transmission/>", code))
    name, *options = command.split()

    done = swing(name, "swing.urdf", *options)
    assert done.exit_code == 1
    assert "<xacro:property> must first be expanded by xacro, which runs Python code of the file" in done.stderr
    for option in (["--allow-macros"], ["--urdf", "allow_macros=true"]):
        assert "ExecutedError: the code of the file ran" in swing(name, "swing.urdf", *options, *option).stderr


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("frictoin=ignore", "no setting of --urdf is named 'frictoin'. Did you mean 'friction'?"),
        ("friction=none", "friction is 'none'. Valid values: 'regularised', 'rigid', 'error', 'warn', 'ignore'"),
        ("motors=2", "--urdf motors=2: '2' is not true or false"),
        ("gravity=low", "--urdf gravity=low: 'low' is not a number"),
        ("gravity", "--urdf gravity: it contains no '='"),
    ],
)
def test_an_invalid_setting_exits_2(swing, setting, message):
    done = swing("info", "swing.urdf", "--urdf", setting)
    assert done.exit_code == 2
    assert message in done.stderr


def test_urdf_settings_of_another_model_exit_2(run):
    for option in (["--urdf", "motors=false"], ["--strict"], ["--allow-macros"]):
        done = run("info", "models.py:crane", *option)
        assert done.exit_code == 2
        assert f"{option[0]} applies only to URDF files" in done.stderr
