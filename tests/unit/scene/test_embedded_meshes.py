"""Files of meshes as shapes of scenes."""

import copy
import json

import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.files.findings import ModelFileWarning
from mobod.scene import make_scene
from mobod.scene.drawing import draw
from tests.unit.files.test_mesh_file import FACES, POINTS, binary_stl

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
ROBOT = f"""<robot name="arm"><material name="red"><color rgba="1 0 0 0.5"/></material>
<link name="base">{INERTIAL}<visual><geometry><mesh filename="package://arm/meshes/base.stl" scale="0.1 0.1 0.1"/></geometry>
<material name="red"/></visual></link>
<link name="tip">{INERTIAL}<visual><origin xyz="0 0 1"/><geometry><mesh filename="meshes/tip.stl"/></geometry></visual></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="tip"/><axis xyz="0 0 1"/></joint></robot>"""


@pytest.fixture
def robot(tmp_path):
    folder = tmp_path / "arm"
    (folder / "urdf").mkdir(parents=True)
    (folder / "meshes").mkdir()
    for name in ("base", "tip"):
        (folder / "meshes" / f"{name}.stl").write_bytes(binary_stl(POINTS[FACES]))
    (folder / "urdf" / "arm.urdf").write_text(ROBOT)
    return folder / "urdf" / "arm.urdf"


def scene_of(path, **options):
    system = mb.load_urdf(path)
    return make_scene(system, system.realize_topology(), **options)


def test_a_scene_contains_the_meshes_if_they_are_wanted(robot):
    scene = scene_of(robot, meshes=True)
    base, tip = (body.shapes for body in scene.bodies[1:])
    assert [len(base), len(tip)] == [1, 1]  # no stand-ins
    assert (base[0].geometry.color, base[0].geometry.opacity, tip[0].geometry.color) == ((1, 0, 0), 0.5, (0.6, 0.6, 0.6))
    assert_allclose(max(base[0].geometry.vertices, key=lambda each: each[2]), [0, 0, 0.3], rtol=1e-6)
    assert_allclose(tip[0].X.p, [0, 0, 1])
    data = json.loads(scene.to_json())["bodies"][1]["shapes"][0]
    assert (data["type"], len(data["vertices"]), len(data["faces"])) == ("Mesh", 4, 4)
    assert draw(scene, 100, 100).parts


def test_a_scene_names_the_files_otherwise(robot):
    scene = scene_of(robot)
    kinds = [type(shape.geometry).__name__ for body in scene.bodies for shape in body.shapes if not shape.is_stand_in]
    assert kinds == ["MeshFile", "MeshFile"]


def test_one_warning_names_all_files_that_cannot_be_read(robot):
    (robot.parent.parent / "meshes" / "tip.stl").unlink()
    with pytest.warns(ModelFileWarning, match=r"1 file of meshes cannot be drawn:\n.*'meshes/tip.stl' is not in the folders") as caught:
        scene = scene_of(robot, meshes=True)
    assert caught[0].filename == __file__
    base, tip = (body.shapes for body in scene.bodies[1:])
    assert type(base[0].geometry).__name__ == "Mesh"
    assert [shape.is_stand_in for shape in tip] == [False, True]


def test_a_mesh_that_several_bodies_have_is_read_once(robot, monkeypatch):
    system = mb.load_urdf(robot)
    file = system.matter.body("hinge").decorations[0].geometry
    for _ in range(2):
        system.matter.body("hinge").add_body_decoration(mb.Transform(), file)
    read = []
    monkeypatch.setattr("mobod.scene.embedded_meshes.read_mesh", lambda mesh, folders: read.append(mesh) or ())
    make_scene(system, system.realize_topology(), meshes=True)
    assert len(read) == len(set(read)) == 2


def test_copies_for_others_do_not_contain_the_users_folders(robot):
    system = mb.load_urdf(robot)
    assert system.mesh_folders == (str(robot.parent),)
    assert copy.deepcopy(system).mesh_folders == ()
