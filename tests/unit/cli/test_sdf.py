"""SDF files as MODEL, and `mobod convert`."""

import json

import fmpy
import pytest
from fmpy.validation import validate_fmu
from numpy.testing import assert_allclose

import mobod as mb
from mobod.cli.models.robot_files import SDF
from mobod.files.robot.options import RobotArguments
from tests.unit.files.sdf_files import joint, link, sdf

WORLD = sdf(
    f"<world name='yard'><model name='gate'>{link('wing')}{joint('hinge', 'revolute', 'world', 'wing')}</model>"
    f"<model name='ball'>{link('skin')}</model></world>"
)


@pytest.fixture
def yard(run, tmp_path):
    (tmp_path / "yard.sdf").write_text(WORLD)
    (tmp_path / "yard.xml").write_text(WORLD)
    return run


def test_every_argument_of_load_sdf_can_be_set():
    assert set(SDF.settings) == {"model", "paths", "strict", *RobotArguments.__annotations__}


@pytest.mark.parametrize("file", ["yard.sdf", "yard.xml"])
def test_an_sdf_file_is_a_model(yard, file):
    done = yard("info", file, "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert [(each["name"], each["mobilizer"]) for each in found["bodies"]] == [("ball::skin", "Free"), ("gate::hinge", "Pin")]
    assert found["trust"].startswith("data: no code")


def test_settings_choose_the_model_and_how_it_is_built(yard):
    done = yard("info", "yard.sdf", "--sdf", "model=ball", "--sdf", "floating_base=false", "--json")
    assert [(each["name"], each["mobilizer"]) for each in json.loads(done.stdout)["bodies"]] == [("skin", "Weld")]
    wrong = yard("info", "yard.sdf", "--sdf", "modell=ball")
    assert wrong.exit_code == 2
    assert "no setting of --sdf is named 'modell'. Did you mean 'model'?" in wrong.stderr
    assert "--urdf applies only to URDF files" in yard("info", "yard.sdf", "--urdf", "motors=false").stderr


def test_a_converted_file_is_the_same_system(yard, tmp_path):
    done = yard("convert", "yard.sdf", "-o", "yard.json")
    assert done.exit_code == 0, done.output
    assert done.stdout == "wrote yard.json\n"
    again = mb.load_model(tmp_path / "yard.json")
    assert [each.name for each in again.matter.bodies] == [each.name for each in mb.load_sdf(tmp_path / "yard.sdf").matter.bodies]


def test_meshes_are_named_from_the_folder_of_the_converted_file(run, tmp_path):
    visual = "<visual name='v'><geometry><mesh><uri>{}</uri></mesh></geometry></visual>"
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "in" / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    text = sdf(f"<model name='m'>{link('a', visual.format('a.obj') + visual.format('b.obj'))}</model>")
    (tmp_path / "in" / "m.sdf").write_text(text)
    done = run("convert", "in/m.sdf", "-o", "out/m.json", "--json")
    assert json.loads(done.stdout) == {"model": "out/m.json", "meshes_not_found": ["b.obj"], "warnings": []}
    (body,) = mb.load_model(tmp_path / "out" / "m.json").matter.bodies
    assert [each.geometry.path for each in body.decorations] == ["../in/a.obj", "b.obj"]


@pytest.mark.slow
def test_one_command_makes_an_fmu_of_an_sdf_file(yard, tmp_path):
    done = yard("export", "yard.sdf", "-o", "yard.fmu", "--sdf", "model=gate", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["inputs"] == ["hinge_motor.force"]
    assert validate_fmu(str(tmp_path / "yard.fmu")) == []
    run = fmpy.simulate_fmu(str(tmp_path / "yard.fmu"), stop_time=0.5, start_values={"hinge_motor.force": 0.2}, output=["hinge.u"])
    system = mb.load_sdf(tmp_path / "yard.sdf", "gate")
    state = system.realize_topology()
    system.set_value(state, "hinge_motor.force", 0.2)
    final = mb.Simulation(system, accuracy=1e-9).run(state, until=0.5).final_state
    assert_allclose(run["hinge.u"][-1], final.u[0], rtol=1e-4)  # the FMU's own accuracy is 1e-6
