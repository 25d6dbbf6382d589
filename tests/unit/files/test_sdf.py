"""SDF files become Systems."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.contact import Cone, HalfSpace
from mobod.spatial import rotation_about, rotation_x, rotation_y, rotation_z
from tests.unit.files.sdf_files import INERTIAL, joint, link, loaded, model, pose_of, sdf, written

EXACT = 1e-14  # round-off of a few products of rotations


def rotation_of(roll, pitch, yaw):
    return rotation_z(yaw) @ rotation_y(pitch) @ rotation_x(roll)


def close(X, R, p):
    assert_allclose(X.R, R, atol=EXACT)
    assert_allclose(X.p, p, atol=EXACT)


def kinds(system):
    return {body.name: type(body).__name__ for body in system.matter.bodies}


def test_a_link_that_no_joint_holds_moves_freely_from_its_pose(tmp_path):
    file = written(tmp_path, model("<pose>1 2 3 0.1 0.2 0.3</pose>" + link("a", "<pose>0.5 -0.25 0 0 0 0.7</pose>")))
    system, findings = loaded(file)
    assert kinds(system) == {"a": "Free"}
    assert not findings
    R = rotation_of(0.1, 0.2, 0.3)
    close(pose_of(system, "a"), R @ rotation_z(0.7), R @ [0.5, -0.25, 0] + [1, 2, 3])
    assert_allclose(system.matter.body("a").default_q[4:], R @ [0.5, -0.25, 0] + [1, 2, 3], atol=EXACT)  # q is the pose in Ground


@pytest.mark.parametrize(("floating_base", "kind"), [(None, "Free"), (True, "Free"), (False, "Weld")])
def test_floating_base_decides_over_links_that_no_joint_holds(tmp_path, floating_base, kind):
    content = link("a", "<pose>0.5 -0.25 0 0 0 0.7</pose>") + link("b") + joint("fix", "fixed", "world", "b", "")
    system, _ = loaded(written(tmp_path, model(content)), floating_base=floating_base)
    assert kinds(system) == {"a": kind, "fix": "Weld"}
    close(pose_of(system, "a"), rotation_z(0.7), [0.5, -0.25, 0])


def test_static_models_do_not_move(tmp_path):
    world = sdf(
        f"<world name='yard'><model name='house'><static>true</static><link name='walls'/></model>"
        f"<model name='ball'><pose>0 0 2 0 0 0</pose>{link('skin')}</model></world>"
    )
    system, findings = loaded(written(tmp_path, world))
    assert system.name == "yard"
    assert kinds(system) == {"house::walls": "Weld", "ball::skin": "Free"}
    assert not findings


def test_a_model_of_a_world_can_be_chosen(tmp_path):
    world = sdf(f"<world name='yard'><model name='one'>{link('a')}</model><model name='two'>{link('b')}</model></world>")
    system, _ = loaded(written(tmp_path, world), "two")
    assert (system.name, kinds(system)) == ("two", {"b": "Free"})


def test_gravity_is_that_of_the_world(tmp_path):
    world = sdf(f"<world name='moon'><gravity>0.1 0 -1.6</gravity><model name='m'>{link('a')}</model></world>")
    for options, expected in (({}, [0.1, 0, -1.6]), ({"gravity": 3.5}, [0, 0, -3.5])):
        system, _ = loaded(written(tmp_path, world), **options)
        state = system.realize_topology()
        system.realize(state, mb.Stage.ACCELERATION)
        gravity = system.value(state, "gravity.magnitude") * np.array(system.value(state, "gravity.down"))
        assert_allclose(gravity, expected, rtol=1e-15)


def test_gravity_is_9_8_without_a_world_and_none_acts_on_links_without_it(tmp_path):
    content = link("a") + link("b", "<gravity>false</gravity>")
    system, _ = loaded(written(tmp_path, model(content)))
    state = system.realize_topology()
    system.realize(state, mb.Stage.ACCELERATION)
    a, b = (system.matter.body(name).u_dot(state) for name in "ab")
    assert np.abs(a).max() > 1
    assert_allclose(b, 0, atol=1e-12)  # round-off of 9.8


def test_joints_with_two_axes_are_two_joints(tmp_path):
    axes = "<pose>0.1 0 0.2 0.3 0 0</pose><axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 0.6 0.8</xyz></axis2>"
    content = link("a", "<pose>0 0 1 0 0.2 0</pose>") + joint("cross", "universal", "world", "a", axes)
    system, _ = loaded(written(tmp_path, model(content)))
    assert kinds(system) == {"cross_1": "Pin", "cross_2": "Pin"}
    state = system.realize_topology()
    system.matter.body("cross_1").set_q(state, 0.4)
    system.matter.body("cross_2").set_q(state, -0.7)
    X_GJ = mb.Transform(rotation_y(0.2), [0, 0, 1]) @ mb.Transform(rotation_x(0.3), [0.1, 0, 0.2])
    turned = mb.Transform(rotation_x(0.4) @ rotation_about(np.array([0, 0.6, 0.8]), -0.7))
    expected = X_GJ @ turned @ mb.Transform(rotation_x(0.3), [0.1, 0, 0.2]).inverse()
    close(pose_of(system, "cross_2", state), expected.R, expected.p)


@pytest.mark.parametrize(
    ("pitch", "travel"),
    [("<screw_thread_pitch>0.03</screw_thread_pitch>", 0.03 / (2 * np.pi)), ("<thread_pitch>-25</thread_pitch>", 1 / 25)],
)
def test_both_pitches_of_a_screw(tmp_path, pitch, travel):
    axis = f"<axis><xyz>0 0.6 0.8</xyz></axis>{pitch}"
    system, _ = loaded(written(tmp_path, model(link("a") + joint("nut", "screw", "world", "a", axis))))
    state = system.realize_topology()
    system.matter.body("nut").set_q(state, 1.7)
    axis = np.array([0, 0.6, 0.8])
    close(pose_of(system, "nut", state), rotation_about(axis, 1.7), 1.7 * travel * axis)


@pytest.mark.parametrize(
    ("version", "xyz", "expected"),
    [
        ("1.4", "<xyz>1 0 0</xyz>", [1, 0, 0]),  # of the model
        ("1.6", "<xyz>1 0 0</xyz>", rotation_z(0.5) @ rotation_y(0.3) @ [1, 0, 0]),  # of the joint
        ("1.6", "<xyz>1 0 0</xyz><use_parent_model_frame>1</use_parent_model_frame>", [1, 0, 0]),
        ("1.11", "<xyz>2 0 0</xyz>", rotation_z(0.5) @ rotation_y(0.3) @ [1, 0, 0]),
        ("1.11", "<xyz expressed_in='__model__'>1 0 0</xyz>", [1, 0, 0]),
        ("1.11", "<xyz expressed_in='tilted'>0 0 1</xyz>", rotation_x(0.4) @ [0, 0, 1]),
    ],
)
def test_the_frame_of_an_axis_by_the_version(tmp_path, version, xyz, expected):
    frame = "<frame name='tilted'><pose>0 0 0 0.4 0 0</pose></frame>" if version == "1.11" else ""
    content = frame + link("a", "<pose>0.3 0 0 0 0 0.5</pose>")
    content += joint("pin", "revolute", "world", "a", f"<pose>0 0.1 0 0 0.3 0</pose><axis>{xyz}</axis>")
    system, _ = loaded(written(tmp_path, model(content, version=version)))
    state = system.realize_topology()
    system.matter.body("pin").set_u(state, 2.0)
    system.realize(state, mb.Stage.VELOCITY)
    assert_allclose(system.matter.body("pin").V_GB(state)[:3], 2 * np.array(expected), atol=EXACT)


def test_a_gearbox_couples_the_angles_from_its_reference_body(tmp_path):
    gear = "<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 -1</xyz></axis2><gearbox_ratio>2.5</gearbox_ratio>"
    gear += "<gearbox_reference_body>frame</gearbox_reference_body>"
    content = link("frame") + link("one") + link("two", "<pose>1 0 0 0 0 0</pose>")
    content += (
        joint("base", "fixed", "world", "frame", "") + joint("a", "revolute", "frame", "one") + joint("b", "revolute", "two", "frame")
    )
    system, _ = loaded(written(tmp_path, model(content + joint("gear", "gearbox", "one", "two", gear))))
    (coupler,) = system.matter.constraints
    state = system.realize_topology()
    system.matter.body("a").set_q(state, 0.3)
    system.realize(state, mb.Stage.POSITION)
    # theta_1 = 0.3 about z; theta_2 = -2.5 theta_1 about -z is 0.75 about z of 'two' from 'frame'; b turns 'frame' from 'two'
    assert_allclose(coupler.position_errors(state), [0.75], atol=EXACT)


def test_a_mimic_follows_its_leader_by_multiplier_reference_and_offset(tmp_path):
    mimic = (
        "<axis><xyz>0 0 1</xyz><mimic joint='a'><multiplier>-2</multiplier><offset>0.3</offset><reference>0.1</reference></mimic></axis>"
    )
    content = link("one") + link("two") + joint("a", "revolute", "world", "one") + joint("b", "revolute", "one", "two", mimic)
    system, _ = loaded(written(tmp_path, model(content)))
    assert_allclose(system.matter.body("b").default_q, [-2 * (0 - 0.1) + 0.3], rtol=1e-15)
    assert [each.name for each in system.matter.constraints] == ["b_mimic"]


def test_joints_are_passed_backward_where_the_world_is_their_child_side(tmp_path):
    content = (
        link("arm")
        + link("hand", "<pose>0 0 1 0.2 0 0</pose>")
        + joint("wrist", "revolute", "arm", "hand", "<axis><xyz>0 1 0</xyz></axis>")
    )
    content += joint("base", "fixed", "world", "hand", "")
    system, findings = loaded(written(tmp_path, model(content)))
    assert kinds(system) == {"wrist": "Pin", "base": "Weld"}
    assert not findings
    state = system.realize_topology()
    system.matter.body("wrist").set_q(state, 0.6)
    X_GH = mb.Transform(rotation_x(0.2), [0, 0, 1])
    expected = X_GH @ mb.Transform(rotation_y(0.6)).inverse() @ X_GH.inverse()  # hand in arm turns by q about y of hand
    close(pose_of(system, "wrist", state), expected.R, expected.p)


def test_a_link_with_two_parents_closes_a_loop(tmp_path):
    bars = "".join(link(name, f"<pose>{x} 0 {z} 0 0 0</pose>") for name, x, z in (("left", 0, 0), ("right", 1, 0), ("top", 0, 1)))
    pins = (("a", "world", "left"), ("b", "world", "right"), ("c", "left", "top"))
    turn = "<axis><xyz>0 1 0</xyz></axis>"
    content = bars + "".join(joint(*each[:1], "revolute", *each[1:], turn) for each in pins)
    content += joint("d", "revolute", "right", "top", f"<pose>1 0 0 0 0 0</pose>{turn}")
    system, _ = loaded(written(tmp_path, model(content)))
    assert "d_weld" in [each.name for each in system.matter.constraints]
    state = system.realize_topology()
    system.realize(state, mb.Stage.POSITION)
    assert_allclose(system.matter.constraint_position_errors(state), 0, atol=EXACT)


def test_nested_models_have_scopes_and_placement_frames(tmp_path):
    inner = f"<model name='tool' placement_frame='grip'><pose relative_to='flange'>0 0 0.1 0 0 0</pose>{link('body')}"
    inner += "<frame name='grip' attached_to='body'><pose>0.2 0 0 0 0.3 0</pose></frame></model>"
    content = link("arm") + "<frame name='flange' attached_to='arm'><pose>1 0 0 0 0 0.5</pose></frame>" + inner
    content += joint("hold", "fixed", "arm", "tool::grip", "") + joint("base", "revolute", "world", "arm")
    system, _ = loaded(written(tmp_path, model(content)))
    expected = mb.Transform(rotation_z(0.5), [1, 0, 0]) @ mb.Transform(p=[0, 0, 0.1]) @ mb.Transform(rotation_y(0.3), [0.2, 0, 0]).inverse()
    close(pose_of(system, "hold"), expected.R, expected.p)


def test_includes_are_models_with_names_and_poses_of_the_include(tmp_path):
    written(tmp_path, model(link("wheel") + "<pose>9 9 9 0 0 0</pose>", "cart"), "models/cart/model.sdf")
    (tmp_path / "models" / "cart" / "model.config").write_text("<model><sdf version='1.11'>model.sdf</sdf></model>")
    include = (
        "<include><uri>model://cart</uri><name>front</name><pose>1 0 0 0 0 0</pose></include><include><uri>models/cart</uri></include>"
    )
    file = written(tmp_path, sdf(f"<world name='w'>{include}</world>"))
    system, _ = loaded(file, paths=[tmp_path / "models"])
    assert kinds(system) == {"front::wheel": "Free", "cart::wheel": "Free"}
    close(pose_of(system, "front::wheel"), np.eye(3), [1, 0, 0])
    close(pose_of(system, "cart::wheel"), np.eye(3), [9, 9, 9])


def test_a_merged_include_has_no_scope_of_its_own(tmp_path):
    written(
        tmp_path,
        model(link("wheel") + "<frame name='hub'/>" + joint("axle", "revolute", "__model__", "tyre") + link("tyre"), "cart"),
        "cart.sdf",
    )
    content = link("body") + "<include merge='true'><uri>cart.sdf</uri><pose>0 2 0 0 0 0</pose></include>"
    content += joint("hold", "fixed", "body", "hub", "")
    system, _ = loaded(written(tmp_path, model(content)))
    assert kinds(system) == {"body": "Free", "hold": "Weld", "axle": "Pin"}
    close(pose_of(system, "axle"), np.eye(3), [0, 2, 0])


def test_limits_springs_dampers_and_friction_of_axes(tmp_path):
    axis = (
        "<axis><xyz>0 0 1</xyz><limit><lower>-0.5</lower><upper>1e16</upper><effort>12</effort><velocity>-1</velocity>"
        "<stiffness>800</stiffness><dissipation>0.25</dissipation></limit>"
        "<dynamics><damping>0.4</damping><friction>0.1</friction><spring_stiffness>6</spring_stiffness><spring_reference>0.2</spring_reference>"
        "</dynamics></axis>"
    )
    file = written(tmp_path, model(link("a") + joint("pin", "revolute", "world", "a", axis)))
    robot = mb.read_sdf(file)
    limits = robot.joints["pin"].limits
    assert (limits.lower, limits.upper, limits.effort, limits.velocity) == (-0.5, np.inf, 12.0, 0.0)
    system, _ = loaded(file, limits="stops")
    state = system.realize_topology()
    assert system.value(state, "pin_stop.stiffness") == 800
    assert system.value(state, "pin_stop.dissipation") == 0.25
    system.matter.body("pin").set_q(state, -0.3)
    system.matter.body("pin").set_u(state, 3.0)
    system.realize(state, mb.Stage.DYNAMICS)
    forces = {
        name: system.value(state, f"pin_{name}") for name in ("spring.stiffness", "spring.q_zero", "damper.damping", "friction.limit")
    }
    assert forces == {"spring.stiffness": 6, "spring.q_zero": 0.2, "damper.damping": 0.4, "friction.limit": 0.1}
    assert "pin_drive_limit.force" in {each.name for each in system.variables(state)}


def test_without_inertial_a_link_has_the_mass_that_sdf_gives_it(tmp_path):
    system, (finding,) = loaded(written(tmp_path, model(link("a", inertial=""))))
    assert finding.kind == "inertial-missing"
    assert_allclose(system.matter.body("a").body.mass_properties.inertia, np.eye(3))
    assert system.matter.body("a").body.mass_properties.mass == 1.0


@pytest.mark.parametrize(("mass", "factor"), [("", 1.0), ("<mass>30</mass>", None)])
def test_mass_properties_of_shapes(tmp_path, mass, factor):
    shapes = (
        "<collision name='c'><pose>0 0 0.1 0 0 0.3</pose><density>200</density><geometry><box><size>0.2 0.3 0.4</size></box></geometry>"
        "</collision><collision name='d'><pose>1 0 0 0.4 0 0</pose>"
        "<geometry><cylinder><radius>0.1</radius><length>0.5</length></cylinder></geometry></collision>"
    )
    file = written(tmp_path, model(link("a", shapes, inertial=f"<inertial auto='true'><density>500</density>{mass}</inertial>")))
    found = loaded(file)[0].matter.body("a").body.mass_properties
    box, tube = 200 * 0.2 * 0.3 * 0.4, 500 * np.pi * 0.1**2 * 0.5
    scale = 30 / (box + tube) if factor is None else factor
    assert_allclose(found.mass, scale * (box + tube), rtol=1e-14)
    assert_allclose(found.com, (box * np.array([0, 0, 0.1]) + tube * np.array([1, 0, 0])) / (box + tube), rtol=1e-14)
    of_box = mb.Inertia.box(mass=box, size=[0.2, 0.3, 0.4]).rotated(rotation_z(0.3)).shifted([0, 0, 0.1])
    of_tube = mb.Inertia.cylinder(mass=tube, radius=0.1, length=0.5, axis="z").rotated(rotation_x(0.4)).shifted([1, 0, 0])
    assert_allclose(found.inertia, scale * (of_box.matrix + of_tube.matrix), rtol=1e-13, atol=1e-13)


def test_imus_and_force_torque_sensors_are_measures(tmp_path):
    imu = "<sensor name='gyro' type='imu'><pose>0.1 0 0 0 0 0.5</pose></sensor><sensor name='eye' type='camera'/>"
    settings = "<force_torque><measure_direction>parent_to_child</measure_direction></force_torque>"
    wrench = f"<axis><xyz>0 1 0</xyz></axis><sensor name='cell' type='force_torque'>{settings}</sensor>"
    content = link("a", imu + "<pose>0 0 1 0 0 0</pose>") + joint("pin", "revolute", "world", "a", wrench)
    system, findings = loaded(written(tmp_path, model(content)))
    assert [each.kind for each in findings] == ["ignored"]
    state = system.realize_topology()
    system.matter.body("pin").set_u(state, 1.2)
    system.realize(state, mb.Stage.ACCELERATION)
    body = system.matter.body("pin")
    assert_allclose(system.value(state, "gyro.angular_velocity"), rotation_z(0.5).T @ [0, 1.2, 0], atol=EXACT)
    reaction = body.reaction_on_body_at_M(state)
    assert_allclose(np.linalg.norm(system.value(state, "cell.force")), np.linalg.norm(reaction[3:]), rtol=1e-12)  # round-off
    bare, _ = loaded(written(tmp_path, model(content)), sensors=False)
    assert not any(each.name.startswith("gyro") for each in bare.variables(bare.realize_topology()))


def test_shapes_touch_those_of_other_models_and_the_smaller_friction_counts(tmp_path):
    def ball(name, x, mu, extra=""):
        surface = f"<surface><friction><ode><mu>{mu}</mu></ode></friction>{extra}</surface>"
        shape = f"<collision name='c'><geometry><sphere><radius>0.1</radius></sphere></geometry>{surface}</collision>"
        return f"<model name='{name}'><pose>{x} 0 1 0 0 0</pose>{link('skin', shape)}{link('tail', shape)}</model>"

    shape = "<collision name='c'><geometry><plane><normal>0 0.6 0.8</normal></plane></geometry></collision>"
    plane = f"<model name='ground'><static>1</static><link name='l'>{shape}</link></model>"
    none = "<contact><collide_bitmask>0x02</collide_bitmask></contact>"
    world = sdf(f"<world name='w'>{plane}{ball('a', 0, 0.3)}{ball('b', 1, 0.7)}{ball('c', 2, 0.5, none)}</world>")
    system, _ = loaded(written(tmp_path, world), contact="rigid")
    contacts = {each.name: each for each in system.matter.constraints if isinstance(each, mb.RigidContact)}
    assert "ground::l_a::skin" in contacts
    assert isinstance(contacts["ground::l_a::skin"].shape1, HalfSpace)
    assert "floor_a::skin" not in contacts  # the file has a plane
    assert "a::skin_a::tail" not in contacts  # of one model
    assert contacts["a::skin_b::tail"].equations.friction[:2] == (0.3, 0.3)
    assert contacts["ground::l_b::skin"].equations.friction[:2] == (0.7, 0.7)


def test_a_cone_touches_and_is_drawn(tmp_path):
    geometry = "<geometry><cone><radius>0.1</radius><length>0.4</length></cone></geometry>"
    shape = f"<collision name='c'>{geometry}</collision><visual name='v'><pose>0 0 0.3 0 0 0</pose>{geometry}</visual>"
    system, _ = loaded(written(tmp_path, model(link("tip", shape))), contact="rigid")
    (contact,) = (each for each in system.matter.constraints if isinstance(each, mb.RigidContact))
    assert contact.shape2 == Cone(0.1, 0.2)
    (drawn,) = system.matter.body("tip").decorations
    assert_allclose(np.array(drawn.geometry.vertices)[:, 2] + drawn.X.p[2], [*[0.1] * 48, 0.1, 0.5], atol=EXACT)


def test_chosen_links_alone_touch_the_floor(tmp_path):
    shape = "<collision name='c'><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>"
    content = link("trunk", shape) + link("foot", shape) + joint("knee", "revolute", "trunk", "foot")
    system, _ = loaded(written(tmp_path, model(content)), contact="rigid", links=["foot"])
    assert [each.name for each in system.matter.constraints if isinstance(each, mb.RigidContact)] == ["floor_foot"]


def test_a_converted_file_moves_with_the_same_bits(tmp_path):
    content = link("a") + link("b", "<pose>0 0 1 0 0 0</pose>") + joint("base", "ball", "world", "a", "")
    content += joint("nut", "screw", "a", "b", "<axis><xyz>0 0.6 0.8</xyz></axis><screw_thread_pitch>0.2</screw_thread_pitch>")
    system, _ = loaded(written(tmp_path, model(content)))
    again = mb.load_model(mb.save_model(system, tmp_path / "thing.json"))
    states = [each.realize_topology() for each in (system, again)]
    for each, state in zip((system, again), states, strict=True):
        each.matter.body("nut").set_u(state, 0.7)
        each.realize(state, mb.Stage.ACCELERATION)
    assert states[0].u_dot.tobytes() == states[1].u_dot.tobytes()


def test_inertial_poses_turn_the_inertia(tmp_path):
    found = loaded(written(tmp_path, model(link("a", inertial=INERTIAL))))[0].matter.body("a").body.mass_properties
    matrix = np.array([[0.03, 0.002, -0.001], [0.002, 0.04, 0.003], [-0.001, 0.003, 0.05]])
    assert_allclose(found.inertia_about_com, rotation_of(0.3, 0.2, -0.1) @ matrix @ rotation_of(0.3, 0.2, -0.1).T, atol=1e-15)
