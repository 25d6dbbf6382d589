"""<collision> of URDF files as contacts: load_urdf(path, contact=...)."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.contact import Box, Capsule, ConvexMesh, Cylinder, Sphere
from mobod.errors import InputError, ModelFileError
from mobod.files import Finding, ModelFileWarning
from tests.unit.files.conftest import joint

INERTIAL = '<inertial><mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>'
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"


def link(name: str, *geometries: str, origin: str = "") -> str:
    shapes = "".join(f"<collision>{origin}<geometry>{each}</geometry></collision>" for each in geometries)
    return f'<link name="{name}">{INERTIAL}{shapes}</link>'


def loaded(path, **options) -> tuple[mb.MultibodySystem, tuple[Finding, ...]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ModelFileWarning)
        system = mb.load_urdf(path, floating_base=True, **options)
    return system, caught[0].message.findings if caught else ()


def contacts_of(system: mb.MultibodySystem) -> dict[str, mb.RigidContact]:
    return {each.name: each for each in system.matter.constraints if isinstance(each, mb.RigidContact)}


def test_shapes_touch_the_plane_with_the_poses_and_sizes_of_the_file(urdf):
    shapes = (
        '<box size="0.2 0.4 0.6"/>',
        '<sphere radius="0.3"/>',
        '<cylinder radius="0.1" length="0.5"/>',
        '<capsule radius="0.1" length="0.5"/>',
    )
    file = urdf("", link("base", *shapes, origin='<origin xyz="1 2 3" rpy="1.5707963267948966 0 0"/>'))
    system, findings = loaded(file, contact="rigid")
    contacts = contacts_of(system)
    assert list(contacts) == ["floor_base", "floor_base_2", "floor_base_3", "floor_base_4"]
    wanted = [Box((0.1, 0.2, 0.3)), Sphere(0.3), Cylinder(0.1, 0.25), Capsule(0.1, 0.25)]
    for contact, shape in zip(contacts.values(), wanted, strict=True):
        assert (contact.body1.name, contact.body2.name, contact.shape2) == ("ground", "base", shape)
        assert_allclose(contact.X_B2S2.p, [1, 2, 3])
        assert_allclose(contact.X_B2S2.R[:, 2], [0, -1, 0], atol=1e-12)
        assert contact.equations.friction == (1.0, 1.0, 0.0)
    assert not findings


def test_without_contact_shapes_are_ignored_with_their_lines(urdf):
    system, findings = loaded(urdf("", link("base", "<sphere/>")))
    assert not contacts_of(system)
    (found,) = findings
    assert found.kind == "ignored"
    assert "contact='rigid' or 'compliant'" in found.message


def test_options_of_rigid_contact(urdf):
    file = urdf("", link("base", '<cylinder radius="0.1" length="0.5"/>'))
    frame = mb.contact.HalfSpace.frame([1, 0, 1], [0, 0, 0.5])
    friction = {"static_friction": 0.7, "dynamic_friction": 0.6, "stribeck_speed": 0.1}
    options = mb.UrdfContact(ground=frame, **friction, restitution=0.3, cylinder_points=4)
    (contact,) = contacts_of(loaded(file, contact=options)[0]).values()
    assert contact.equations.friction == pytest.approx((0.7, 0.6, 0.0, 0.1))
    assert contact.equations.restitution == 0.3
    assert contact.n_features == 8
    assert_allclose(contact.X_B1S1.R, frame.R, atol=1e-12)
    assert_allclose(contact.X_B1S1.p, frame.p)
    assert not contacts_of(loaded(file, contact=mb.UrdfContact(ground=False))[0])


def test_a_compliant_robot_rests_on_its_springs(urdf):
    file = urdf("", link("base", '<sphere radius="0.1"/>'))
    material = mb.ContactMaterial(2e4, 2.0, 0.5)
    system, _ = loaded(file, contact=mb.UrdfContact(kind="compliant", material=material))
    state = system.realize_topology()
    system.matter.body("base").set_q(state, [1, 0, 0, 0, 0, 0, 0.0990])
    system.realize(state, mb.Stage.DYNAMICS)
    (contact,) = (each for each in system.subsystems[-1].elements if isinstance(each, mb.CompliantContact))
    assert contact.name == "floor_base"
    assert_allclose(contact.normal_force(state), [1e4 * 0.001])  # two springs of 2e4 N/m in series


@pytest.mark.parametrize("kind", ["rigid", "compliant"])
def test_a_robot_has_moments_of_friction_if_asked_for(urdf, kind):
    file = urdf("", link("base", '<sphere radius="0.1"/>'))
    options = mb.UrdfContact(kind=kind, torsional_friction=0.03, rolling_friction=0.002)
    system, _ = loaded(file, contact=options)
    elements = [*system.matter.constraints, *(each for part in system.subsystems for each in getattr(part, "elements", ()))]
    (contact,) = (each for each in elements if each.name == "floor_base")
    state = system.realize_topology()
    assert [contact.parameter(state, name) for name in ("torsional_friction", "rolling_friction")] == [0.03, 0.002]
    with pytest.raises(InputError, match=r"UrdfContact: rolling_friction cannot be -0\.1 m"):
        mb.UrdfContact(kind=kind, rolling_friction=-0.1)


@pytest.mark.parametrize("self_collision", [False, True])
def test_links_touch_each_other_if_asked_for(urdf, self_collision):
    links = link("base", '<sphere radius="0.1"/>') + link("bar", '<sphere radius="0.1"/>') + link("tip", '<sphere radius="0.1"/>')
    links += link("hand", '<box size="1 1 1"/>', "<ellipse/>")
    joints = joint("continuous") + joint("continuous", name="b", parent="bar", child="tip")
    joints += joint("fixed", name="c", parent="tip", child="hand")
    system, findings = loaded(urdf(joints, links), contact=mb.UrdfContact(self_collision=self_collision))
    of_links = [name for name in contacts_of(system) if not name.startswith("floor")]
    assert of_links == (["base_tip", "base_hand"] if self_collision else [])
    (found,) = findings
    assert (found.kind, found.link) == ("collision", "hand")
    assert "<ellipse> is unknown" in found.message


def test_pairs_without_a_distance_are_findings(urdf):
    links = "".join(link(name, '<box size="1 1 1"/>') for name in ("base", "bar", "tip"))
    joints = joint("continuous") + joint("continuous", name="b", parent="bar", child="tip")
    _, (found,) = loaded(urdf(joints, links), contact=mb.UrdfContact(self_collision=True))
    assert found.message == "'base' and 'tip' do not touch each other: mobod has no distance between a Box and a Box."


def test_a_mesh_stands_for_its_hull(urdf, tmp_path):
    (tmp_path / "foot.obj").write_text(TETRAHEDRON)
    mesh = '<mesh filename="foot.obj" scale="0.1 0.1 0.2"/>'
    (contact,) = contacts_of(loaded(urdf("", link("base", mesh)), contact="rigid")[0]).values()
    assert isinstance(contact.shape2, ConvexMesh)
    assert_allclose(np.sort(np.sum(contact.shape2.vertices, axis=1)), [0, 0.1, 0.1, 0.2], atol=1e-7)
    with pytest.raises(ModelFileError, match=r"thing.urdf, line 2: the mesh 'hand.obj' cannot touch anything: .*is not in"):
        loaded(urdf("", link("base", mesh.replace("foot", "hand"))), contact="rigid")


def test_a_hull_with_too_many_vertices_is_reduced_with_its_deviation(urdf, tmp_path):
    angles = 2 * np.pi * np.arange(20) / 20
    rings = [(r * np.cos(a), r * np.sin(a), z) for z, r in ((-0.5, 1.0), (0.5, 0.8)) for a in angles]
    lines = [f"v {x} {y} {z}" for x, y, z in rings] + [f"f 1 {i} {i + 1}" for i in range(2, 40)]
    (tmp_path / "foot.obj").write_text("\n".join(lines))
    file = urdf("", link("base", '<mesh filename="foot.obj"/>'))
    system, (found,) = loaded(file, contact="rigid")
    (contact,) = contacts_of(system).values()
    assert len(contact.shape2.vertices) == 32
    assert (found.kind, found.link) == ("mesh", "base")
    assert "has 40 vertices, and the limit is 32: each costs a row. 32 of them are used; the others are up to" in found.message
    assert not loaded(file, contact=mb.UrdfContact(mesh_vertices=40))[1]
    system, findings = loaded(file, contact=mb.UrdfContact(in_fixed_steps=True))
    (contact,) = contacts_of(system).values()
    assert (len(contact.shape2.vertices), contact.n_features, list(findings)) == (40, 8, [])
    with pytest.raises(ModelFileError, match=r"thing.urdf, line 2: .* has 40 vertices, and the limit is 32"):
        mb.load_urdf(file, contact="rigid", strict=True)
    with pytest.raises(InputError, match=r"mesh_vertices is 3. A hull has at least 4 vertices"):
        mb.UrdfContact(mesh_vertices=3)


def test_convex_links_touch_compliantly_on_wish(urdf):
    file = urdf(
        joint("continuous") + joint("continuous", name="b", parent="bar", child="tip"),
        "".join(link(name, '<box size="0.1 0.1 0.1"/>') for name in ("base", "bar", "tip")),
    )
    names = {}
    for in_fixed_steps in (False, True):
        options = mb.UrdfContact(kind="compliant", self_collision=True, in_fixed_steps=in_fixed_steps)
        system, findings = loaded(file, contact=options)
        names[in_fixed_steps] = {each.name for part in system.subsystems for each in getattr(part, "elements", ())}, len(findings)
    assert "base_tip" in names[True][0] - names[False][0]
    assert (names[False][1], names[True][1]) == (1, 0)


def test_the_links_that_touch_can_be_chosen(urdf):
    links = "".join(link(name, '<sphere radius="0.1"/>') for name in ("base", "bar", "tip"))
    joints = joint("continuous") + joint("continuous", name="b", parent="bar", child="tip")
    system, _ = loaded(urdf(joints, links), contact="rigid", links=["tip"])
    assert list(contacts_of(system)) == ["floor_tip"]


@pytest.mark.parametrize(
    ("geometry", "message"),
    [
        ('<sphere radius="-1"/>', "radius cannot be -1.0 m"),
        ('<sphere radius="big"/>', "'big', which is no number"),
        ('<capsule radius="1"/>', "has no attribute 'length'"),
        ("", "<geometry> has 0 shapes"),
        ("<blob/>", "the shape <blob> is unknown"),
    ],
)
def test_shapes_that_cannot_be_used_are_left_out_or_refused(urdf, geometry, message):
    file = urdf("", link("base", geometry, '<sphere radius="1"/>'))
    system, (found,) = loaded(file, contact="rigid")
    assert list(contacts_of(system)) == ["floor_base"]
    assert found.kind == "collision"
    assert message in found.message
    assert found.message.endswith("The shape touches nothing.")
    with pytest.raises(ModelFileError, match=rf"thing.urdf, line 2: .*{message}"):
        loaded(file, contact="rigid", strict=True)
    loaded(file, strict=True)  # without contact nothing reads them


@pytest.mark.parametrize(
    ("contact", "message"),
    [
        ("soft", "contact is 'soft'. Valid values: 'rigid', 'compliant'"),
        (True, "contact is True"),
    ],
)
def test_bad_values_of_contact_are_named(urdf, contact, message):
    with pytest.raises(InputError, match=message):
        mb.load_urdf(urdf("", link("base")), contact=contact)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "soft"}, "kind is 'soft'"),
        ({"ground": 3}, "ground is 3"),
        ({"static_friction": -1}, "static_friction"),
        ({"static_friction": 0.1, "dynamic_friction": 0.2}, "is below dynamic_friction"),
        ({"material": 0.3}, "material is a ContactMaterial, not float"),
        ({"material": mb.ContactMaterial(1e5), "static_friction": 0.3}, "Give no others"),
        ({"kind": "compliant", "restitution": 0.3}, "a compliant contact has no restitution"),
        ({"kind": "compliant", "stribeck_speed": 0.3}, "a compliant contact has no stribeck_speed"),
        ({"stribeck_speed": -0.3}, "stribeck_speed cannot be -0.3"),
        ({"cylinder_points": 2}, "points is 2"),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(InputError, match=message):
        mb.UrdfContact(**options)
