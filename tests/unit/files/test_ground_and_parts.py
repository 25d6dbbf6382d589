"""Height fields and meshes of files as terrain, concave meshes as convex parts, and SRDF files."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from PIL import Image

import mobod as mb
from mobod.contact import ConvexMesh, HeightField, Sphere, TerrainMesh, TriangleMesh, convex_parts
from mobod.contact.shapes.contact_shape import Look
from mobod.errors import InputError, ModelFileError
from mobod.files import ModelFileWarning
from mobod.forces.subsystem import forces_of
from mobod.matter.bodies.decorations import Mesh

OUTLINE = [(0, 0), (0.3, 0), (0.3, 0.1), (0.1, 0.1), (0.1, 0.4), (0, 0.4)]  # an L
CAP = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
VERTICES = np.array([(x, y, z) for z in (0.0, 0.1) for x, y in OUTLINE])
FACES = [face for i in range(6) for j in [(i + 1) % 6] for face in ((i, j, 6 + j), (i, 6 + j, 6 + i))]
FACES += [(a, c, b) for a, b, c in CAP] + [(a + 6, b + 6, c + 6) for a, b, c in CAP]
OBJ = "".join(f"v {x} {y} {z}\n" for x, y, z in VERTICES) + "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in FACES)
INERTIAL = '<inertial><mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>'
MESH = '<collision><geometry><mesh filename="part.obj"/></geometry></collision>'


@pytest.fixture
def cached(tmp_path, monkeypatch):
    monkeypatch.setenv("MOBOD_CACHE", str(tmp_path / "cache"))


def quietly(load, *args, **options):
    """(system, findings)"""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ModelFileWarning)
        system = load(*args, **options)
    return system, [each for warning in caught for each in getattr(warning.message, "findings", ())]


def shapes_of(system):
    contacts = [each for each in system.matter.constraints if isinstance(each, mb.RigidContact)]
    return {each.name: (each.shape1, each.shape2) for each in contacts}


# ---- convex parts ----


def test_a_concave_mesh_is_divided_once_into_convex_parts_that_fill_it(cached, monkeypatch):
    mesh = TriangleMesh(VERTICES, FACES)
    parts = convex_parts(mesh, most=4)

    assert len(parts) == 2
    volumes = [mb.MassProperties.from_shapes([(mb.Transform(), part)], density=1.0).mass for part in parts]
    assert_allclose(sum(volumes), 0.1 * (0.3 * 0.1 + 0.1 * 0.3), rtol=5e-3)  # hull: 0.0075
    monkeypatch.setattr("mobod.contact.decomposition._divided", None)  # what is in the cache is not divided again
    assert convex_parts(Mesh(mesh.vertices, mesh.faces), most=4) == parts


@pytest.mark.parametrize("options", [{"concavity": 0.0}, {"concavity": 1.5}, {"most": 0}, {"most": 2.5}])
def test_wrong_numbers_of_parts_are_refused(options):
    with pytest.raises(InputError, match=f"convex_parts: {next(iter(options))}"):
        convex_parts(TriangleMesh(VERTICES, FACES), **options)


def test_a_robot_touches_by_the_parts_of_its_meshes(tmp_path, cached):
    (tmp_path / "part.obj").write_text(OBJ)
    (tmp_path / "robot.urdf").write_text(f'<robot name="r"><link name="base">{INERTIAL}{MESH}</link></robot>')
    contact = mb.UrdfContact(mesh_parts=4, in_fixed_steps=True)
    system, _ = quietly(mb.load_urdf, tmp_path / "robot.urdf", floating_base=True, contact=contact)
    found = shapes_of(system)
    assert list(found) == ["floor_base", "floor_base_2"]
    assert all(isinstance(shape, ConvexMesh) for _, shape in found.values())


# ---- terrain ----

FIELD = """<mujoco>
  <asset><hfield name="hills" nrow="3" ncol="4" size="1.5 0.5 0.2 0.1" elevation="0 0.1 0.2 0.3  0 0.5 1 0.5  0.1 0.1 0.1 0.1"/></asset>
  <worldbody>
    <geom type="hfield" hfield="hills" pos="0 0 0.5"/>
    <body name="ball" pos="0 0 2"><freejoint/><geom type="sphere" size="0.1" mass="1"/></body>
  </worldbody>
</mujoco>"""


def test_height_fields_of_mujoco_have_their_heights(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    (tmp_path / "hills.xml").write_text(FIELD)
    options = mb.UrdfContact(in_fixed_steps=True)  # without a plane at z = 0: the file has ground
    system, _ = quietly(mb.load_mjcf, tmp_path / "hills.xml", contact=options)
    ((field, ball),) = shapes_of(system).values()
    assert isinstance(field, HeightField)
    assert ball == Sphere(0.1)
    model = mujoco.MjModel.from_xml_string(FIELD)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    for x, y, z in field.vertices[[0, 3, 5, 7]]:
        start = np.array([0.999 * x, 0.999 * y, 5.0])
        given = model, data, 0, start, np.array([0.0, 0.0, -1.0])
        try:
            distance = mujoco.mj_rayHfield(*given)
        except TypeError:  # from 3.5 on it gives a normal, too
            distance = mujoco.mj_rayHfield(*given, None)
        assert_allclose(5.0 - distance, 0.5 + z, atol=2e-3)
    smooth = mb.UrdfContact(terrain="smooth", ground=False)
    system, _ = quietly(mb.load_mjcf, tmp_path / "hills.xml", contact=smooth)
    assert [each.smooth for each, _ in shapes_of(system).values()] == [True]


def test_meshes_that_are_fixed_to_ground_can_stay_as_they_are(tmp_path):
    (tmp_path / "part.obj").write_text(OBJ)
    ball = '<collision><geometry><sphere radius="0.02"/></geometry></collision>'
    links = f'<link name="world"/><link name="yard">{MESH}</link><link name="ball">{INERTIAL}{ball}</link>'
    joints = "".join(
        f'<joint name="{child}_joint" type="{kind}"><parent link="world"/><child link="{child}"/></joint>'
        for child, kind in (("yard", "fixed"), ("ball", "floating"))
    )
    (tmp_path / "robot.urdf").write_text(f'<robot name="r">{links}{joints}</robot>')
    options = {"terrain": "triangles", "in_fixed_steps": True, "ground": False, "self_collision": True}
    system, _ = quietly(mb.load_urdf, tmp_path / "robot.urdf", contact=mb.UrdfContact(**options))
    (((yard, _)),) = shapes_of(system).values()
    assert isinstance(yard, TerrainMesh)
    assert len(yard.faces) == len(FACES)


def world_of_image(folder, content):
    """A world with the height field of an image and a ball, and its findings."""
    field = f'<collision name="c"><geometry><heightmap>{content}</heightmap></geometry></collision>'
    ball = '<collision name="c"><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>'
    models = f'<model name="m"><static>true</static><link name="yard">{field}</link></model>'
    models += f'<model name="ball"><link name="ball">{INERTIAL_OF_SDF}{ball}</link></model>'
    (folder / "world.sdf").write_text(f'<sdf version="1.7"><world name="w">{models}</world></sdf>')
    return quietly(mb.load_sdf, folder / "world.sdf", contact=mb.UrdfContact(in_fixed_steps=True))


INERTIAL_OF_SDF = "<inertial><mass>1</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial>"
LEVELS = np.array([[0, 50, 100, 200], [10, 20, 30, 40], [0, 0, 5, 0]])  # rows from above, as in an image


@pytest.mark.parametrize(
    ("mode", "factor", "name"), [("L", 1, "hills.png"), ("I;16", 200, "hills.png"), ("RGB", 1, "hills.png"), ("I;16", 300, "hills.tif")]
)
def test_heights_are_those_of_the_pixels_of_an_image(mode, factor, name, tmp_path):
    levels = LEVELS * factor
    if mode == "RGB":
        image = Image.fromarray(np.stack([levels] * 3, axis=-1).astype(np.uint8))
    else:
        image = Image.fromarray(levels.astype(np.uint8 if mode == "L" else np.uint16))
    image.save(tmp_path / name)
    system, _ = world_of_image(tmp_path, f"<uri>{name}</uri><size>9 4 2</size><pos>1 2 3</pos>")
    ((field, _),) = (each for each in shapes_of(system).values() if isinstance(each[0], HeightField))
    assert field.spacing == (3.0, 2.0)
    assert_allclose(field.heights, 2 * LEVELS[::-1].T / 200)  # the upper row is at y > 0
    (contact,) = system.matter.constraints
    assert_allclose(contact.X_B1S1.p, [1, 2, 3])
    system, _ = world_of_image(tmp_path, f"<uri>{name}</uri><size>9 4 2</size><sampling>2</sampling>")
    ((finer, _),) = (each for each in shapes_of(system).values() if isinstance(each[0], HeightField))
    assert_allclose(np.array(finer.heights)[::2, ::2], field.heights)
    assert_allclose(np.array(finer.heights)[1, 1], np.mean(np.array(field.heights)[:2, :2]))


@pytest.mark.parametrize(
    ("make", "content", "message"),
    [
        (None, "<uri>none.png</uri>", "image 'none.png' is not in"),
        (lambda path: path.write_bytes(b"no image"), "<uri>hills.png</uri>", "'hills.png' cannot be read"),
        (lambda path: Image.new("L", (1, 5)).save(path), "<uri>hills.png</uri>", "has 1 x 5 pixels"),
        (lambda path: Image.new("L", (5, 5)).save(path), "<uri>hills.png</uri><size>1 1 -1</size>", "Each is greater than 0"),
        (lambda path: Image.new("L", (5, 5)).save(path), "<uri>hills.png</uri><sampling>1.5</sampling>", "It is a whole number from 1"),
        (lambda path: Image.new("F", (5, 5)).save(path.with_suffix(".tif")), "<uri>hills.tif</uri>", "pixels of the kind 'F'"),
    ],
)
def test_images_that_are_no_heights_are_refused_by_name(make, content, message, tmp_path):
    if make is not None:
        make(tmp_path / "hills.png")
    with pytest.raises(ModelFileError, match=message):
        world_of_image(tmp_path, content)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"terrain": "triangles"}, "terrain='triangles' needs in_fixed_steps=True"),
        ({"terrain": "rough"}, "terrain is 'rough'"),
        ({"mesh_parts": 0}, "mesh_parts is 0"),
        ({"srdf": 3}, "srdf is 3"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        mb.UrdfContact(**options)


# ---- SRDF ----

SHAPE = '<collision><geometry><sphere radius="0.02"/></geometry></collision>'
TURNS = '<axis xyz="0 1 0"/><origin xyz="0 0 0.1"/>'
ARM = "".join(f'<link name="{name}">{INERTIAL}{SHAPE}</link>' for name in "abcd") + "".join(
    f'<joint name="{one}{two}" type="continuous"><parent link="{one}"/><child link="{two}"/>{TURNS}</joint>'
    for one, two in ("ab", "bc", "cd")
)


def srdf(tmp_path, *pairs):
    path = tmp_path / "arm.srdf"
    lines = "".join(f'<disable_collisions link1="{one}" link2="{other}" reason="Never"/>' for one, other in pairs)
    path.write_text(f'<robot name="arm"><group name="arm"><chain base_link="a" tip_link="d"/></group>{lines}</robot>')
    return path


def test_links_that_an_srdf_file_keeps_apart_do_not_touch(tmp_path):
    (tmp_path / "arm.urdf").write_text(f'<robot name="arm">{ARM}</robot>')
    pairs = [("a", "c"), ("b", "d"), ("d", "hand")]
    options = mb.UrdfContact(ground=False, srdf=srdf(tmp_path, *pairs))
    system, findings = quietly(mb.load_urdf, tmp_path / "arm.urdf", floating_base=True, contact=options)
    assert list(shapes_of(system)) == ["a_d"]
    assert [each.message for each in findings if each.kind == "srdf"] == [
        "the SRDF file keeps links apart that the robot does not have: 'hand'. They are ignored."
    ]
    with pytest.raises(ModelFileError, match="none of its 1 <disable_collisions> is of two links of this robot, which has no 'e'"):
        quietly(mb.load_urdf, tmp_path / "arm.urdf", contact=mb.UrdfContact(srdf=srdf(tmp_path, ("e", "f"))))


def test_a_contact_set_reads_an_srdf_file(tmp_path):
    matter = mb.MatterSubsystem(mb.MultibodySystem())
    contacts = mb.ContactSet(matter)
    for name in ("a", "b", "c"):
        contacts.add(mb.Free(matter.ground, mb.MassProperties(1, [0, 0, 0], np.eye(3)), name=name), Sphere(0.1), friction=0.5)
    contacts.exclude_srdf(srdf(tmp_path, ("a", "c"), ("c", "hand")))
    assert [(one.name, other.name) for one, other in contacts.pairs()] == [("a", "b"), ("b", "c")]
    with pytest.raises(ModelFileError, match="none of its 1 <disable_collisions> is of two bodies"):
        contacts.exclude_srdf(srdf(tmp_path, ("e", "f")))
    (tmp_path / "other.xml").write_text("<sdf/>")
    with pytest.raises(ModelFileError, match="no <robot>, but <sdf>"):
        contacts.exclude_srdf(tmp_path / "other.xml")


# ---- a gripper ----

FINGER = [(0.0, -0.03, -0.05), (0.0, 0.03, -0.05), (0.0, -0.02, 0.05), (0.0, 0.02, 0.05), (0.02, -0.03, -0.05), (0.02, 0.03, -0.05)]
FINGER += [(0.015, -0.02, 0.05), (0.015, 0.02, 0.05)]  # its face at x = 0 holds


def test_a_gripper_holds_a_box_by_the_hulls_of_its_fingers(tmp_path):
    hull = ConvexMesh.hull_of(FINGER)
    drawn = hull.decorations(Look(1.0, (1.0, 1.0, 1.0), 1.0))[0][1]
    text = "".join(f"v {x} {y} {z}\n" for x, y, z in drawn.vertices) + "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in drawn.faces)
    (tmp_path / "part.obj").write_text(text)
    box = '<collision><geometry><box size="0.06 0.04 0.04"/></geometry></collision>'
    links = f'<link name="palm"/><link name="left">{INERTIAL}{MESH}</link><link name="right">{INERTIAL}{MESH}</link>'
    of_box = '<inertial><mass value="0.5"/><inertia ixx="1e-3" ixy="0" ixz="0" iyy="1e-3" iyz="0" izz="1e-3"/></inertial>'
    links += f'<link name="box">{of_box}{box}</link>'
    slide = '<axis xyz="-1 0 0"/><limit lower="-0.1" upper="0.1" effort="100" velocity="1"/>'
    joints = "".join(
        f'<joint name="{name}_slide" type="prismatic"><parent link="palm"/><child link="{name}"/>{origin}{slide}</joint>'
        for name, origin in (
            ("right", '<origin xyz="0.0301 0 0"/>'),
            ("left", f'<origin xyz="-0.0301 0 0" rpy="0 0 {np.pi}"/>'),
        )
    )
    joints += '<joint name="box_free" type="floating"><parent link="palm"/><child link="box"/></joint>'
    (tmp_path / "gripper.urdf").write_text(f'<robot name="gripper">{links}{joints}</robot>')
    contact = mb.UrdfContact(in_fixed_steps=True, ground=False, self_collision=True, static_friction=0.6)
    system, _ = quietly(mb.load_urdf, tmp_path / "gripper.urdf", contact=contact)
    bodies = {each.name: each for each in system.matter.bodies}
    state = system.realize_topology()
    for name in ("left", "right"):
        motor = next(each for each in forces_of(system) if each.name == f"{name}_slide_motor")
        motor.set_force(state, 20.0)

    final = mb.Simulation(system, integrator="velocity_level", step=0.002, backend="interpreted").run(state, 2.0).final_state

    system.realize(final, mb.Stage.ACCELERATION)
    contacts = {each.name: each for each in system.matter.constraints if isinstance(each, mb.RigidContact)}
    held = [contacts[name] for name in ("left_box", "right_box")]
    assert np.abs(bodies["box_free"].u(final)).max() < 1e-9
    assert abs(bodies["box_free"].q(final)[6]) < 1e-4  # it falls until the fingers have come 0.1 mm
    assert_allclose([each.normal_force(final).sum() for each in held], 20.0, rtol=1e-9)
    assert_allclose(sum(each.friction_force(final).sum(axis=0) for each in held), [0, 0, 0.5 * 9.80665], rtol=0, atol=1e-9)
