"""Names that cannot be shown as they are, and a working folder that does not exist, are refused where they enter."""

import json
import os
from xml.sax.saxutils import quoteattr

import numpy as np
import pytest
from click.testing import CliRunner

import mobod as mb
from mobod.cli import main
from mobod.cosim import Network, PythonComponent
from mobod.errors import InputError, MobodError, ModelFileError
from mobod.system import measures

POINT = mb.MassProperties.point(1.3, [0, -0.7, 0])
BAD = {
    "escape sequence of a terminal": "a\x1b[2J",
    "escape sequence in one character": "a\x9b2J",
    "end of a line": "a\n",
    "zero": "a\0",
    "text from right to left": "a\u202eb",
    "isolated direction": "a\u2066b\u2069",
    "mark of direction": "a\u200f",
    "nothing to see": "\u200b",
    "half of a character": "a\ud800",
    "separator of lines": "a\u2028b",
}
GOOD = ["Gelenk grün/1", "\u0646\u0645\u200c\u0628", "\u0915\u094d\u200d\u0937", "\U0001f980", "a b", "a\u00a0b"]


def parts():
    system = mb.MultibodySystem("s")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    return system, matter, forces, mb.Pin(matter.ground, POINT, name="pin")


def with_force(name):
    _, _, forces, pin = parts()
    mb.MobilityForce(forces, pin, name=name)


def with_constraint(name):
    _, matter, _, pin = parts()
    mb.Rod(pin, [0, 0, 0], matter.ground, [0, 1, 0], 1.0, name=name)


def with_joint(name):
    builder = mb.MultibodyBuilder()
    builder.add_body("body", POINT)
    builder.add_joint(name, mb.Pin, "ground", "body")


def with_own_state(name):
    class Own(mb.CustomSubsystem):
        def realize_model(self, state):
            state.allocate_z(self, 0.0, name)

        def realize_acceleration(self, state):
            pass

    system = parts()[0]
    Own(system, "own")
    system.realize_topology()


DOORS = {
    "a System": mb.System,
    "a MultibodySystem": mb.MultibodySystem,
    "a builder": mb.MultibodyBuilder,
    "a body": lambda name: mb.Pin(parts()[3], POINT, name=name),
    "a body of a builder": lambda name: mb.MultibodyBuilder().add_body(name, POINT),
    "a joint of a builder": with_joint,
    "a subsystem": lambda name: mb.ForceSubsystem(parts()[0], name),
    "a force": with_force,
    "a constraint": with_constraint,
    "a measure": lambda name: measures.Constant(parts()[0], 1.0, name=name),
    "a variable": with_own_state,
    "a component": lambda name: Network().add(parts()[0], name),
    "a variable of a component": lambda name: PythonComponent(lambda time, values: {}, inputs=[name], outputs=["y"]),
}


@pytest.mark.parametrize("door", DOORS)
def test_a_name_that_cannot_be_shown_is_refused_where_it_enters(door):
    for kind, name in BAD.items():
        with pytest.raises(InputError) as error:
            DOORS[door](name)
        assert "cannot be named" in str(error.value), kind
        assert ascii(name)[1:-1] in str(error.value), kind
        assert not set(str(error.value)) & set(name) - set("ab[2J"), kind  # the message can be shown


@pytest.mark.parametrize("name", GOOD)
def test_letters_of_all_scripts_are_names(name):
    for door in ("a MultibodySystem", "a body", "a body of a builder", "a component"):
        DOORS[door](name)


def test_a_name_for_an_fmu_is_checked_before_the_work(tmp_path):
    for name in BAD.values():
        with pytest.raises(InputError, match="a model cannot be named"):
            mb.export_fmu(parts()[0], tmp_path / "a.fmu", name=name)


def test_names_in_files_are_errors_of_the_file(tmp_path):
    model, robot = tmp_path / "model.json", tmp_path / "robot.urdf"
    model.write_text(json.dumps({"format": "mobod-model", "version": 1, "name": "a\u202eb"}))
    with pytest.raises(ModelFileError, match=r"model\.json: /name: a MultibodySystem cannot be named 'a\\u202eb'"):
        mb.load_model(model)
    for name, link, message in (
        ("a\u202eb", "l", r"robot\.urdf: a robot cannot"),
        ("r", "a\u202eb", r"robot\.urdf, line 1: a body cannot"),
    ):
        inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
        text = f'<robot name={quoteattr(name)}><link name="base"/><link name={quoteattr(link)}>{inertial}</link>'
        joint = f'<joint name="j" type="fixed"><parent link="base"/><child link={quoteattr(link)}/></joint></robot>'
        robot.write_text(text + joint, encoding="utf-8")
        with pytest.raises(ModelFileError, match=message):
            mb.load_urdf(robot)


@pytest.fixture
def deleted_folder(tmp_path, monkeypatch):
    """A working folder that was deleted. Gives the path of a model file in another folder."""
    model = mb.save_model(parts()[0], tmp_path / "model.json")
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    return model


@pytest.mark.skipif(os.name != "posix", reason="Windows does not delete the working folder of a process")
def test_a_deleted_working_folder_is_an_error_by_name(deleted_folder):
    table = mb.Table(np.arange(2.0), {"x": np.ones(2)})
    calls = (
        lambda: mb.save_model(parts()[0], "model.json"),
        lambda: table.to_csv("run.csv"),
        lambda: setattr(parts()[0], "mesh_folders", ["meshes"]),
    )
    for call in calls:
        with pytest.raises(MobodError, match=r"the working folder of this process cannot be found .* Change to another folder"):
            call()
    mb.save_model(mb.load_model(deleted_folder), deleted_folder)  # absolute paths need none
    for command in (["info", str(deleted_folder)], ["doctor"]):
        done = CliRunner().invoke(main, command)
        assert (done.exit_code, "the working folder of this process cannot be found" in done.output) == (1, True), done.output
