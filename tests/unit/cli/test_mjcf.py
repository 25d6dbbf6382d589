"""An MJCF file as MODEL."""

import json

import fmpy
import numpy as np
import pytest
from fmpy.validation import validate_fmu

import mobod as mb
from mobod.cli.models.robot_files import MJCF
from mobod.files.mjcf.mjcf import MjcfArguments
from mobod.files.robot.options import RobotArguments
from tests.acceptance.planted_fmu import run_check_here

HOPPER = """<mujoco model="hopper"><compiler angle="radian"/><default><geom contype="0" conaffinity="0"/></default>
<worldbody><body name="foot"><joint name="rise" type="slide" axis="0 0 1" armature="0.2"/><geom size="0.05" mass="1"/>
<body name="leg"><joint name="knee" axis="0 1 0" damping="0.1"/><geom type="capsule" size="0.02" fromto="0 0 0 0.3 0 0" mass="0.5"/>
<site name="top" pos="0.3 0 0"/></body></body></worldbody>
<actuator><position name="push" joint="rise" kp="200" kv="20" ctrlrange="-0.1 0.3"/>
<motor name="bend" joint="knee" ctrlrange="-2 2"/></actuator>
<sensor><framepos name="top" objtype="site" objname="top"/><rangefinder name="sight" site="top"/></sensor>
<keyframe><key name="low" qpos="0.05 0.4" ctrl="0.1 0"/></keyframe></mujoco>"""


@pytest.fixture
def hopper(tmp_path, run):
    (tmp_path / "hopper.xml").write_text(HOPPER)
    return "hopper.xml"


def test_every_argument_of_load_mjcf_can_be_set():
    assert set(MJCF.settings) == {*MjcfArguments.__annotations__, *RobotArguments.__annotations__}


def test_export_of_an_mjcf_file_needs_no_more_than_its_name(hopper, run):
    result = run("export", hopper, "--mjcf", "keyframe=low", "--code", "interpreted")
    assert result.exit_code == 0, result.output
    assert validate_fmu("hopper.fmu") == []
    variables = {each.name: each for each in fmpy.read_model_description("hopper.fmu").modelVariables}
    inputs = {name: (float(each.min), float(each.max), float(each.start)) for name, each in variables.items() if each.causality == "input"}
    assert inputs == {"push.command": (-0.1, 0.3, 0.1), "bend.command": (-2.0, 2.0, 0.0)}
    outputs = [name for name, each in variables.items() if each.causality == "output"]
    assert set(outputs) == {"rise.q", "knee.q", "rise.u", "knee.u", "top.value[1]", "top.value[2]", "top.value[3]", "sight.value"}
    motion = fmpy.simulate_fmu("hopper.fmu", stop_time=1.0, output=["rise.q", "top.value[3]", "sight.value"])
    assert set(motion["sight.value"]) == {-1.0}  # above it is nothing
    assert motion["rise.q"][0] == 0.05
    assert motion["rise.q"][-1] == pytest.approx(0.1 - 1.5 * 9.81 / 200, abs=0.02)  # the servo sags; the leg swings by its weight
    assert np.isfinite(motion["top.value[3]"]).all()


def test_findings_of_an_mjcf_file_are_data_with_json(hopper, run):
    result = run("info", hopper, "--mjcf", "contact=rigid", "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["warnings"] == []


def test_options_of_other_kinds_are_refused(hopper, run):
    result = run("info", hopper, "--urdf", "gravity=3")
    assert result.exit_code == 2
    assert "--urdf applies only to URDF files" in result.output
    wrong = run("info", hopper, "--mjcf", "keyfram=low")
    assert "keyframe" in wrong.output


LOOP = """<mujoco model="loop"><compiler angle="radian"/><default><geom contype="0" conaffinity="0"/></default><worldbody>
<body name="one"><joint name="left" axis="0 1 0"/><geom type="capsule" size="0.02" fromto="0 0 0 0.3 0 0" mass="0.5"/>
<body name="two" pos="0.3 0 0"><joint name="top" axis="0 1 0"/>
<geom type="capsule" size="0.02" fromto="0 0 0 0.4 0 0" mass="0.7"/></body></body>
<body name="three" pos="0.5 0 0"><joint name="right" axis="0 1 0"/>
<geom type="capsule" size="0.02" fromto="0 0 0 0.3 0 0" mass="0.5"/></body>
</worldbody><equality><connect body1="two" body2="three" anchor="0.4 0 0"/></equality>
<keyframe><key name="up" qpos="-1.2 1.1 -1.4"/></keyframe></mujoco>"""


def test_start_values_of_an_exported_file_satisfy_its_constraints(tmp_path, run):
    """The keyframe has errors of some cm. Derivatives by start values are those of differences in validate, to 1e-4."""
    (tmp_path / "loop.xml").write_text(LOOP)
    result = run("export", "loop.xml", "--mjcf", "keyframe=up", "--code", "interpreted")
    assert result.exit_code == 0, result.output
    assert "closed loops or equalities do not hold at the start of the file" in result.output
    variables = {each.name: each for each in fmpy.read_model_description("loop.fmu").modelVariables}
    given = np.array([float(variables[f"{name}.q_start"].start) for name in ("left", "top", "right")])
    left, top, right = given
    tip = 0.3 * np.array([np.cos(left), np.sin(left)]) + 0.4 * np.array([np.cos(left + top), np.sin(left + top)])
    anchor = np.array([0.5, 0]) + 0.2 * np.array([np.cos(right), np.sin(right)])
    assert np.abs(tip - anchor).max() < 1e-10
    assert np.abs(given - [-1.2, 1.1, -1.4]).max() > 1e-3
    assert list(run_check_here(tmp_path / "loop.fmu", "derivatives.co-simulation").findings) == []


def test_a_start_out_of_range_names_the_keyframes_of_the_file(tmp_path):
    (tmp_path / "it.xml").write_text(HOPPER.replace('name="knee" axis', 'name="knee" limited="true" range="0.2 1" axis'))
    with pytest.warns(
        mb.ModelFileWarning, match=r"joint 'knee': 0 rad of qpos0 .*The file has keyframes, which may be inside: keyframe=0\."
    ):
        mb.load_mjcf(tmp_path / "it.xml")
