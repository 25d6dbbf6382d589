"""The System loaded from a URDF file agrees with the file."""

from math import cos, sin
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import InputError, UnsupportedError
from mobod.files import ModelFileWarning
from mobod.matter.bodies import decorations
from mobod.spatial import rotation_about
from tests.unit.files.conftest import TWO_LINKS, joint

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


def bar(name):
    return TWO_LINKS[TWO_LINKS.index('<link name="bar">') :].replace('"bar"', f'"{name}"')


def posed(system, **coordinates):
    state = system.realize_topology()
    for name, q in coordinates.items():
        system.matter.body(name).set_q(state, q)
    system.realize(state, mb.Stage.POSITION)
    return state


def test_inertias_are_about_the_mass_center_in_their_own_axes(urdf):
    system = mb.load_urdf(urdf(joint()))
    given = np.array([[0.05, 0.004, -0.003], [0.004, 0.06, 0.002], [-0.003, 0.002, 0.04]])
    c, s = [cos(a) for a in (0.4, -0.5, 0.6)], [sin(a) for a in (0.4, -0.5, 0.6)]
    about_z = np.array([[c[2], -s[2], 0], [s[2], c[2], 0], [0, 0, 1]])
    about_y = np.array([[c[1], 0, s[1]], [0, 1, 0], [-s[1], 0, c[1]]])
    about_x = np.array([[1, 0, 0], [0, c[0], -s[0]], [0, s[0], c[0]]])
    R = about_z @ about_y @ about_x

    mass = system.matter.body("pin").body.mass_properties

    assert mass.mass == 2.5
    assert mass.com.tolist() == [0.1, 0.2, -0.3]
    assert_allclose(mass.inertia_about_com, R @ given @ R.T, atol=1e-16)  # a few units in the last place of 0.2


@pytest.mark.parametrize("axis", [[0, 0, 1], [0, -1, 0], [1, 0, 0], [-3, 2, 0.5]])
def test_a_revolute_joint_turns_the_child_about_its_axis(urdf, axis):
    text = " ".join(map(str, axis))
    system = mb.load_urdf(urdf(joint(content=f'<origin xyz="0.3 -0.1 0.2" rpy="0.2 0.3 -0.4"/><axis xyz="{text}"/>')))
    state = posed(system, pin=0.7)
    rest = system.matter.body("pin").X_GB(posed(system))
    assert_allclose(rest.p, [0.3, -0.1, 0.2], atol=1e-16)
    assert system.matter.body("pin").X_GB(state).isclose(rest @ mb.Transform(rotation_about(axis, 0.7)), atol=1e-15)


def test_a_prismatic_joint_moves_the_child_along_its_axis(urdf):
    system = mb.load_urdf(urdf(joint("prismatic", '<axis xyz="0 3 4"/><origin rpy="0 0 0.5"/>')))
    moved, rest = (system.matter.body("pin").X_GB(posed(system, pin=q)) for q in (0.8, 0.0))
    assert_allclose(rest.inverse().apply(moved.p), [0, 0.48, 0.64], atol=1e-15)
    assert_allclose(moved.R, rest.R, atol=1e-15)


def test_a_planar_joint_moves_perpendicular_to_its_axis(urdf):
    system = mb.load_urdf(urdf(joint("planar", '<axis xyz="0 1 0"/>')))
    moved = system.matter.body("pin").X_GB(posed(system, pin=[0.0, 0.3, -0.6]))
    assert moved.p[1] == 0
    assert_allclose(np.linalg.norm(moved.p), np.hypot(0.3, 0.6))
    turned = system.matter.body("pin").X_GB(posed(system, pin=[0.5, 0.0, 0.0]))
    assert_allclose(turned.R, [[cos(0.5), 0, sin(0.5)], [0, 1, 0], [-sin(0.5), 0, cos(0.5)]], atol=1e-15)


@pytest.mark.parametrize(("kind", "mobilizer"), [("floating", mb.Free), ("fixed", mb.Weld), ("continuous", mb.Pin)])
def test_each_joint_type_becomes_its_mobilizer(urdf, kind, mobilizer):
    system = mb.load_urdf(urdf(joint(kind)))
    assert type(system.matter.body("pin")) is mobilizer


def test_joint_damping_is_a_damper_and_each_joint_has_a_motor(urdf):
    system = mb.load_urdf(urdf(joint(content='<axis xyz="0 0 1"/><dynamics damping="0.8"/>')), gravity=0.0)
    pin = system.matter.body("pin")
    inertia = pin.body.mass_properties.inertia[2, 2]
    state = posed(system)
    pin.set_u(state, 1.5)
    system.set_value(state, "pin_motor.force", 3.0)
    system.realize(state, mb.Stage.ACCELERATION)
    assert_allclose(pin.u_dot(state), [(3.0 - 0.8 * 1.5) / inertia], rtol=1e-14)


def test_gravity_is_along_minus_z(urdf):
    system = mb.load_urdf(urdf(joint("prismatic", '<axis xyz="0 0 1"/>')), gravity=9.7)
    state = posed(system)
    system.realize(state, mb.Stage.ACCELERATION)
    assert_allclose(system.matter.body("pin").u_dot(state), [-9.7], rtol=1e-14)


def test_a_stop_deflects_by_a_hundredth_under_the_greatest_effort(urdf):
    system = mb.load_urdf(urdf(joint(content='<axis xyz="0 0 1"/>')), gravity=0.0, limits="stops")
    pin = system.matter.body("pin")
    state = posed(system, pin=2.01)
    system.set_value(state, "pin_motor.force", 30.0)
    system.realize(state, mb.Stage.ACCELERATION)
    assert_allclose(pin.u_dot(state), [0.0], atol=1e-10)  # 30 N m times the round-off of 2.01 - 2


def test_limits_can_be_ignored_or_have_a_given_stiffness(urdf):
    file = urdf(joint(content='<limit lower="-1" upper="2" effort="0" velocity="4"/>'))
    with pytest.raises(UnsupportedError, match=r"'pin' has limits from -1 to 2 rad.*stop_stiffness"):
        mb.load_urdf(file, limits="stops")
    with pytest.raises(InputError, match=r"stop_stiffness applies only to elastic stops, but limits is 'rigid'. Write limits='stops'"):
        mb.load_urdf(file, stop_stiffness=750.0)
    system = mb.load_urdf(file, limits="stops", stop_stiffness=750.0)
    state = system.realize_topology()
    values = {name: system.value(state, system.variable(state, f"pin_stop.{name}")) for name in ("stiffness", "q_low", "q_high")}
    assert values == {"stiffness": 750.0, "q_low": -1.0, "q_high": 2.0}
    free = mb.load_urdf(file, limits="ignore")
    assert not [each for each in free.variables(free.realize_topology()) if "stop" in each.name or "limit" in each.name]


def test_friction_of_a_joint_is_regularised(urdf):
    system = mb.load_urdf(urdf(joint(content='<dynamics friction="0.4" damping="0.1"/>')), strict=True)
    state = system.realize_topology()
    values = {name: float(system.value(state, f"pin_friction.{name}")) for name in ("limit", "static_limit", "viscous", "transition_speed")}
    assert values == {"limit": 0.4, "static_limit": 0.4, "viscous": 0.0, "transition_speed": 0.01}
    slower = mb.load_urdf(urdf(joint(content='<dynamics friction="0.4"/>')), friction_speed=1e-3)
    assert float(slower.value(slower.realize_topology(), "pin_friction.transition_speed")) == 1e-3
    for speed in (0.0, -1.0, np.inf):
        with pytest.raises(InputError, match=r"friction_speed is .* It must be greater than 0"):
            mb.load_urdf(urdf(joint(content='<dynamics friction="0.4"/>')), friction_speed=speed)


def test_friction_of_a_planar_joint_acts_on_each_of_its_coordinates(urdf):
    system = mb.load_urdf(urdf(joint("planar", content='<dynamics friction="0.4"/>')))
    names = {each.name for each in system.variables(system.realize_topology())}
    assert {f"pin_friction{i}.limit" for i in (1, 2, 3)} <= names


def test_friction_of_a_floating_joint_is_omitted_with_a_warning(urdf):
    with pytest.warns(ModelFileWarning, match="has dry friction of 0.4 .* not computed, since the joint is floating. It is left out"):
        mb.load_urdf(urdf(joint("floating", content='<dynamics friction="0.4"/>')))


def test_friction_is_omitted_with_a_warning_or_refused_on_request(urdf):
    file = urdf(joint(content='<dynamics friction="0.4"/>'))
    what = r"thing.urdf, line 11: joint 'pin' has dry friction of 0.4 \(N m\)"
    with pytest.warns(ModelFileWarning, match=what + r"\. It is left out"):
        mb.load_urdf(file, friction="warn")
    with pytest.raises(UnsupportedError, match=what + ".*friction='ignore'"):
        mb.load_urdf(file, friction="error")
    mb.load_urdf(file, friction="ignore", strict=True)


def test_a_mimic_follows_the_other_joint(urdf):
    links = '<link name="base"/>' + bar("one") + bar("two")
    leader = joint(name="leader", child="one", content='<axis xyz="0 0 1"/>')
    follower = joint(name="follower", child="two", content='<axis xyz="0 0 1"/><mimic joint="leader" multiplier="-2.5" offset="0.3"/>')
    system = mb.load_urdf(urdf(follower + leader, links), gravity=0.0)

    assembler = mb.Assembler(system, accuracy=1e-12)
    assembler.lock_q(system.matter.body("leader"))
    state = assembler.assemble(posed(system, leader=0.2))
    assert_allclose(system.matter.body("follower").q(state), [0.3 - 2.5 * 0.2], atol=1e-11)
    system.set_value(state, "leader_motor.force", 1.0)
    system.realize(state, mb.Stage.ACCELERATION)
    inertia = system.matter.body("leader").body.mass_properties.inertia[2, 2]
    assert_allclose(system.matter.body("leader").u_dot(state), [1.0 / (inertia * (1 + 2.5**2))], rtol=1e-12)
    assert "follower_motor.force" not in {each.name for each in system.variables(state)}


def test_the_root_is_welded_or_floats_or_is_ground(urdf):
    with_mass = bar("base") + bar("bar")
    fixed = mb.load_urdf(urdf(joint(), with_mass))
    assert [(body.name, type(body)) for body in fixed.matter.bodies] == [("base", mb.Weld), ("pin", mb.Pin)]
    floating = mb.load_urdf(urdf(joint(), with_mass), floating_base=True)
    assert [(body.name, type(body)) for body in floating.matter.bodies] == [("base", mb.Free), ("pin", mb.Pin)]
    massless = mb.load_urdf(urdf(joint()))
    assert [body.name for body in massless.matter.bodies] == ["pin"]


def test_a_joint_may_have_the_name_of_a_link(urdf):
    system = mb.load_urdf(urdf(joint(name="base"), bar("base") + bar("bar")))
    assert [body.name for body in system.matter.bodies] == ["#base", "base"]


def test_visual_shapes_become_decorations(urdf):
    links = """
    <material name="red"><color rgba="1 0.1 0.2 0.5"/></material>
    <link name="base">
      <visual><geometry><box size="0.2 0.4 0.6"/></geometry><material name="red"/></visual>
      <visual><origin xyz="1 2 3"/><geometry><cylinder radius="0.1" length="0.5"/></geometry></visual>
      <visual><geometry><sphere radius="0.3"/></geometry><material><color rgba="0 1 0 1"/></material></visual>
      <visual><geometry><mesh filename="package://thing/base.stl" scale="0.001 0.001 0.001"/></geometry></visual>
    </link>
    """
    system = mb.load_urdf(urdf("", links))

    box, cylinder, sphere, mesh = system.matter.body("base").decorations
    assert box.geometry == decorations.Box((0.1, 0.2, 0.3), color=(1, 0.1, 0.2), opacity=0.5)
    assert cylinder.geometry == decorations.Cylinder(0.1, 0.25)
    assert_allclose(cylinder.X.R[:, 1], [0, 0, 1])  # ours is about y, URDF's about z
    assert cylinder.X.p.tolist() == [1, 2, 3]
    assert sphere.geometry == decorations.Sphere(0.3, color=(0, 1, 0))
    assert mesh.geometry == decorations.MeshFile("package://thing/base.stl", (0.001, 0.001, 0.001))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("<transmission/><transmission/>", r"line 11: <transmission> is ignored|lines 11, 11: <transmission>"),
        ("<gazebo/>", "<gazebo> is ignored: it is for another simulator"),
        ('<collisoin name="x"/>', "<collisoin> in <robot> is unknown and ignored"),
        (joint("continuous", '<limits lower="0"/>'), r"<limits> in <joint> is unknown and ignored. Did you mean 'limit'\?"),
        (joint(content='<axis xzy="0 0 1" xyz="0 0 1"/>'), r"attribute 'xzy' of <axis> is unknown and ignored. Did you mean 'xyz'\?"),
        (joint("continuous", '<safety_controller k_velocity="3"/>'), "<safety_controller> is ignored"),
        (joint("floating", '<limit lower="0" upper="1"/>'), "<limit> of a floating joint is ignored"),
        ('<link name="extra"><collision/></link>' + joint("fixed", name="f", child="extra"), "<collision> is ignored: shapes do not touch"),
    ],
)
def test_ignored_elements_are_reported(urdf, content, message):
    file = urdf(content if "<joint" in content and 'child link="bar"' in content else content + joint("fixed", name="other"))
    with pytest.warns(ModelFileWarning, match=message):
        mb.load_urdf(file)


def test_a_file_of_loop_joints_closes_loops(urdf):
    """The child of the loop joint is split; the joint has coordinates, and a weld connects the halves."""
    links = '<link name="base"/>' + bar("left") + bar("top") + bar("right")
    axis = '<axis xyz="0 0 1"/>'
    tree = (
        joint("continuous", axis, name="a", child="left")
        + joint("continuous", axis + '<origin xyz="0 1 0"/>', name="b", parent="left", child="top")
        + joint("continuous", axis + '<origin xyz="2 0 0"/>', name="c", child="right")
    )
    loop = joint("continuous", axis + '<origin xyz="0 1 0"/>', name="d", parent="right", child="top")
    file = urdf(tree, links)
    side = urdf(loop, "", file="loops.urdf")

    with pytest.warns(ModelFileWarning, match="do not hold at the start"):  # the four-bar folds up
        system = mb.load_urdf(file, loop_joints=side)

    assert [body.name for body in system.matter.bodies] == ["a", "c", "b", "d"]
    assert [constraint.name for constraint in system.matter.constraints] == ["d_weld"]
    assert system.matter.body("d").body.mass_properties.mass == 1.25
    assert system.matter.body("b").body.mass_properties.mass == 1.25


@pytest.mark.fast(1)
@pytest.mark.parametrize(("file", "n_bodies", "nu"), [("arm.urdf", 9, 6), ("humanoid.urdf", 30, 34)])
def test_the_examples_are_read_without_a_warning(file, n_bodies, nu):
    system = mb.load_urdf(EXAMPLES / file)
    state = system.realize_topology()
    assert system.matter.n_bodies == n_bodies
    assert state.u.size == nu


def test_axes_of_the_frame_make_rotations_of_zeros_and_ones():
    system = mb.load_urdf(EXAMPLES / "humanoid.urdf")
    for body in system.matter.bodies:
        assert set(np.abs(body.X_BM.R).ravel()) == {0.0, 1.0}


@pytest.mark.parametrize("kind", ["fixed", "floating"])
def test_a_zero_axis_is_accepted_if_the_joint_has_no_axis(urdf, kind):
    """CAD exporters write such axes."""
    assert mb.load_urdf(urdf(joint(kind, '<axis xyz="0 0 0"/>'))).matter.body("pin").nu == (6 if kind == "floating" else 0)
