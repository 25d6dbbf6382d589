"""Scenes of every element of mobod: nothing fails, and each joint, limit and constraint has its shapes."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.scene import make_scene
from mobod.scene.drawing import draw
from mobod.scene.poses import poses
from mobod.scene.sensor_shapes import OF_SENSORS
from tests.laws.limited_mechanisms import limited_tree
from tests.laws.loops import random_loops
from tests.laws.mechanisms import BOTH_WAYS
from tests.unit.files.test_model_couplings import COUPLINGS, X_AC, X_BD

BOX = mb.MassProperties(1.0, [0.1, -0.4, 0.05], mb.Inertia.box(mass=1.0, size=[0.3, 0.2, 0.4]).shifted([0.1, -0.4, 0.05]))


# coupling that closes a loop -> the shapes of its joint, if it is not a ball alone
OF_LOOPS = {
    mb.CylindricalCoupling: {"Cylinder"},
    mb.FixedAxisCoupling: set(),
    mb.FreeCoupling: set(),
    mb.HingeCoupling: {"Cylinder"},
    mb.PlanarCoupling: {"Box", "Cylinder"},
    mb.PlanarTranslationCoupling: {"Box"},
    mb.PlaneConnectorCoupling: {"Box", "Sphere"},
    mb.SliderCoupling: {"Box"},
    mb.SlottedHingeCoupling: {"Box", "Cylinder"},
    mb.UniversalCoupling: {"Cylinder"},
}


def scene_of(system, state=None):
    return make_scene(system, state or system.realize_topology())


def one_joint(make, **options):
    """A System of Ground and a body on the mobilizer."""
    system = mb.MultibodySystem("one")
    return system, make(mb.MatterSubsystem(system).ground, BOX, name="body", **options)


def shapes_with(scene, role):
    """(name of the body, shape) of all shapes with a role."""
    return [(body.name, shape) for body in scene.bodies for shape in body.shapes if shape.role == role]


def kinds_of_axes(scene):
    return sorted(f"{body} {type(shape.geometry).__name__}" for body, shape in shapes_with(scene, "axis"))


@pytest.mark.parametrize("seed", [2])
def test_mechanisms_of_all_elements_have_scenes_and_drawings(seed):
    loops = random_loops(seed)
    for state in (loops.system.realize_topology(), loops.mechanism.random_state(np.random.default_rng(seed))):
        scene = scene_of(loops.system, state)
        assert json.loads(scene.to_json())["bodies"]
        assert draw(scene, 300, 200).parts
        assert all(shapes_with(scene, role) for role in ("axis", "mass", "constraint"))


@pytest.mark.fast("PlanarTranslationCoupling", "PlaneConnectorCoupling", "SolidCoupling")
@pytest.mark.parametrize("coupling", COUPLINGS, ids=lambda each: type(each).__name__)
def test_couplings_that_close_loops_have_shapes(coupling):
    system = mb.MultibodySystem("loop")
    matter = mb.MatterSubsystem(system)
    free = mb.Free(matter.ground, BOX, name="free")
    mb.CouplingJoint(coupling, free, matter.ground, X_AC=X_AC, X_BD=X_BD, name="joint")
    scene = scene_of(system)
    found = sorted({type(shape.geometry).__name__ for _, shape in shapes_with(scene, "constraint")})
    assert found == sorted(OF_LOOPS.get(type(coupling), {"Sphere"}))
    assert draw(scene, 300, 200).parts


# mobilizer -> its symbols, on Ground and on the body
SYMBOLS = {
    "Ball": ["body Sphere"],
    "BendStretch": ["body Box", "ground Cylinder"],
    "BendStretch reversed": ["body Cylinder", "ground Box"],
    "Bushing": [],
    "Cylinder": ["body Cylinder", "ground Cylinder"],
    "Ellipsoid": ["body Sphere"],
    "Free": [],
    "Gimbal": ["body Sphere"],
    "LineOrientation": ["body Sphere"],
    "Pin": ["body Cylinder"],
    "Planar": ["body Cylinder", "ground Box"],
    "Planar reversed": ["body Box", "ground Cylinder"],
    "Screw": ["body Cylinder", *["ground Cylinder"] * 7],
    "Slider": ["body Box", "ground Box"],
    "SphericalCoords": ["body Box", "ground Sphere"],
    "Translation": [],
    "Universal": ["body Cylinder", "ground Cylinder"],
    "Universal reversed": ["body Cylinder", "ground Cylinder"],
    "Weld": [],
}


@pytest.mark.parametrize("kind", SYMBOLS)
def test_the_symbol_of_a_joint_shows_what_it_can_do(kind):
    system, body = one_joint(BOTH_WAYS[kind])
    state = system.realize_topology()
    body.set_q(state, np.array(body.default_q) + 0.2)
    assert kinds_of_axes(scene_of(system, state)) == SYMBOLS[kind]


def test_a_users_joint_has_the_symbol_of_what_it_does():
    zero, q = mb.functions.Constant(0.0), mb.functions.Linear([0.5, 0.0])
    slide = {"functions": [zero, zero, zero, q, zero, zero], "coordinate_indices": [[], [], [], [0], [], []]}
    assert kinds_of_axes(scene_of(one_joint(mb.FunctionBased, **slide)[0])) == ["body Box", "ground Box"]
    turn = {"functions": [q, zero, zero, zero, zero, zero], "coordinate_indices": [[0], [], [], [], [], []]}
    assert kinds_of_axes(scene_of(one_joint(mb.FunctionBased, **turn)[0])) == ["body Cylinder"]


@pytest.mark.parametrize("is_reversed", [False, True])
def test_a_hinge_is_along_the_axis_of_its_pin(is_reversed):
    system, body = one_joint(mb.Pin, X_PF=X_BD, X_BM=X_AC, reversed=is_reversed)
    state = system.realize_topology()
    body.set_q(state, 0.6)
    scene = scene_of(system, state)
    [(_, hinge)] = shapes_with(scene, "axis")
    X = poses(scene.to_data())[1] @ hinge.X
    assert_allclose(X.p, X_BD.p, atol=1e-14)
    assert_allclose(np.abs(X.R[:, 1] @ X_BD.R[:, 2]), 1, rtol=1e-14)


@pytest.mark.parametrize("is_reversed", [False, True])
@pytest.mark.parametrize("is_elastic", [False, True])
def test_the_arc_of_a_limit_ends_where_the_body_stops(is_reversed, is_elastic):
    system, body = one_joint(mb.Pin, X_PF=X_BD, X_BM=X_AC, reversed=is_reversed)
    lower, upper = -0.4, 1.1
    if is_elastic:
        mb.MobilityLinearStop(mb.ForceSubsystem(system), body, stiffness=1.0, q_low=lower, q_high=upper)
    else:
        body.set_limits(lower, upper)
    state = system.realize_topology()
    body.set_q(state, 0.3)
    scene = scene_of(system, state)
    [(carrier, arc), (_, pointer)] = shapes_with(scene, "limit")
    assert carrier == "ground"
    center = scene.bodies[1].X_BM.inverse().apply([0.1, -0.4, 0.05])
    for q, angle in ((lower, arc.geometry.start), (upper, arc.geometry.end)):
        X_GB = poses(scene.to_data(), {"body.q": q})[1]
        direction = arc.X.R @ [np.cos(angle), np.sin(angle), 0]
        tip = X_GB.apply(pointer.X.apply(pointer.geometry.end)) - X_BD.p
        assert_allclose(tip / np.linalg.norm(tip), direction, atol=1e-13)
        to_mass = X_GB.apply([0.1, -0.4, 0.05]) - X_BD.p
        assert to_mass @ direction == pytest.approx(np.hypot(center[0], center[1]))  # the body lies along the pointer


def test_a_single_limit_has_a_short_arc_and_a_whole_turn_none():
    system, body = one_joint(mb.Pin)
    body.set_limits(upper=1.0)
    [(_, arc), _] = shapes_with(scene_of(system), "limit")
    assert (arc.geometry.start, arc.geometry.end) == pytest.approx((0.6, 1.0))
    system, body = one_joint(mb.Pin)
    body.set_limits(-3.2, 3.2)
    assert shapes_with(scene_of(system), "limit") == []


@pytest.mark.parametrize("is_reversed", [False, True])
def test_a_block_touches_the_stop_at_its_limit(is_reversed):
    system, body = one_joint(mb.Slider, X_PF=X_BD, X_BM=X_AC, reversed=is_reversed)
    body.set_limits(-0.3, 0.8)
    scene = scene_of(system)
    axes = dict(shapes_with(scene, "axis"))
    stops = [shape for _, shape in shapes_with(scene, "limit")]
    for q, stop in zip((-0.3, 0.8), stops, strict=True):
        block = poses(scene.to_data(), {"body.q": q})[1] @ axes["body"].X
        gap = np.linalg.norm(stop.X.p - block.p)
        assert gap == pytest.approx(axes["body"].geometry.half_lengths[1] + stop.geometry.half_lengths[1])
    rail = axes["ground"]
    assert rail.geometry.half_lengths[1] > 0.55
    assert_allclose(np.abs(rail.X.R[:, 1] @ X_BD.R[:, 0]), 1, rtol=1e-14)


def test_stops_are_where_the_body_is_at_its_limits_not_the_coordinate():
    zero, half = mb.functions.Constant(0.0), mb.functions.Linear([0.5, 0.0])
    slide = {"functions": [zero, zero, zero, half, zero, zero], "coordinate_indices": [[], [], [], [0], [], []]}
    system, body = one_joint(mb.FunctionBased, **slide)
    body.set_limits(-0.6, 1.6)
    scene = scene_of(system)
    block = dict(shapes_with(scene, "axis"))["body"].geometry
    (_, low), (_, high) = shapes_with(scene, "limit")
    gap = block.half_lengths[1] + low.geometry.half_lengths[1]
    assert_allclose([low.X.p[0], high.X.p[0]], [-0.3 - gap, 0.8 + gap])
    rail = dict(shapes_with(scene, "axis"))["ground"]
    assert 1.1 < 2 * rail.geometry.half_lengths[1] < 1.3


def test_stops_that_are_far_away_are_left_out():
    system, body = one_joint(mb.Slider)
    body.set_limits(-1000, 0.5)
    scene = scene_of(system)
    assert len(shapes_with(scene, "limit")) == 1
    assert dict(shapes_with(scene, "axis"))["ground"].geometry.half_lengths[1] < 1


@pytest.mark.fast(1)
@pytest.mark.parametrize("seed", range(4))
def test_limits_of_all_joints_have_shapes(seed):
    system, state = limited_tree(seed, with_rods=True)
    scene = scene_of(system, state)
    assert shapes_with(scene, "limit")
    assert draw(scene, 300, 200).parts


def two_blocks():
    system = mb.MultibodySystem("two")
    matter = mb.MatterSubsystem(system)
    one, other = (mb.Free(matter.ground, BOX, name=name) for name in ("one", "other"))
    other.set_default_q([1, 0, 0, 0, 0.7, 0.2, 0.1])
    return system, matter, one, other


def test_constraints_have_markers_at_their_places():
    system, matter, one, other = two_blocks()
    mb.PointOnLine(one, [0, 0, 2.0], [0.1, 0, 0], other, [0, -0.1, 0])
    mb.PointInPlane(matter.ground, [0, 3.0, 0], -0.5, other, [0.1, 0, 0])
    mb.PointInPlane(matter.ground, [0, 3.0, 0], -0.5, one, [0.1, 0, 0], disabled=True)
    scene = scene_of(system)
    (_, plane), (_, line), (carrier, point), (_, corner) = shapes_with(scene, "constraint")
    assert_allclose(plane.X.p, [0.8, -0.5, 0.1], atol=1e-15)  # below the point
    assert_allclose(plane.X.R[:, 2], [0, 1, 0], atol=1e-15)
    assert_allclose(line.X.p, [0.1, 0, 0.1], atol=1e-15)
    assert_allclose(line.X.R[:, 1], [0, 0, 1], atol=1e-15)
    assert carrier == "other"
    assert_allclose([point.X.p, corner.X.p], [[0, -0.1, 0], [0.1, 0, 0]])


def test_forces_and_constraints_between_two_points_are_connections_of_their_kind():
    system, _, one, other = two_blocks()
    forces = mb.ForceSubsystem(system)
    ends = [one, [0.1, 0, 0], other, [0, 0.2, 0]]
    mb.TwoPointLinearSpring(forces, *ends, stiffness=1.0, rest_length=0.1, name="spring")
    mb.TwoPointLinearDamper(forces, *ends, damping=1.0, name="damper")
    mb.TwoPointLinearDamper(forces, *ends, damping=1.0, name="none", disabled=True)
    mb.TwoPointConstantForce(forces, *ends, force=1.0, name="push")
    mb.Rod(*ends, length=1.0, name="rod")
    mb.BallConstraint(*ends, name="ball")
    mb.WeldConstraint(one, mb.Transform(p=[0.1, 0, 0]), other, mb.Transform(p=[0, 0.2, 0]), name="weld", disabled=True)
    scene = scene_of(system)
    kinds = {each.name: each.kind for each in scene.connections}
    assert kinds == {"rod": "rod", "ball": "line", "spring": "spring", "damper": "damper", "push": "line"}
    assert {(each.body1, each.point1, each.body2, each.point2) for each in scene.connections} == {(1, (0.1, 0, 0), 2, (0, 0.2, 0))}
    assert all(each.radius > 0 for each in scene.connections)
    parts = dict(draw(scene, 300, 200).parts)
    assert {name: len(parts[name]) for name in kinds} == {"rod": 1, "ball": 1, "spring": 1, "damper": 4, "push": 1}
    assert len(parts["spring"][0].points) > 20


def test_connections_of_points_that_coincide_are_drawn():
    system, _, one, other = two_blocks()
    other.set_default_q([1, 0, 0, 0, 0, 0, 0])
    mb.TwoPointLinearSpring(mb.ForceSubsystem(system), one, [0, 0, 0], other, [0, 0, 0], stiffness=1.0, rest_length=0.0, name="spring")
    parts = dict(draw(scene_of(system), 300, 200).parts)
    assert np.isfinite(parts["spring"][0].points).all()


def test_bodies_with_decorations_have_no_symbols_but_limits():
    system, body = one_joint(mb.Pin)
    body.set_limits(-0.4, 0.4)
    body.add_body_decoration(mb.Transform(), mb.decorations.Sphere(0.1))
    scene = scene_of(system)
    assert {shape.role for each in scene.bodies for shape in each.shapes} == {None, "limit"}
    assert {name for name, _ in draw(scene, 100, 100).parts} == {"body"}  # without the limits


@pytest.mark.slow
def test_a_system_of_many_bodies_has_links_alone():
    system = mb.MultibodySystem("chain")
    body = mb.MatterSubsystem(system).ground
    for _ in range(301):
        body = mb.Pin(body, BOX, mb.Transform(p=[0, -1, 0]))
        body.set_limits(-0.4, 0.4)
    assert {shape.role for each in scene_of(system).bodies for shape in each.shapes} == {None}


def touching(**decorated):
    """A System of two balls and a bead on a sloped floor, and a State in which they are above different points of it."""
    system = mb.MultibodySystem("touching")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    slope = mb.contact.HalfSpace.frame([0.6, 0, 0.8], [0, 0, 1.0])
    balls = [mb.Free(matter.ground, BOX, name=name) for name in ("one", "other", "bead")]
    for ball in balls:
        if ball.name in decorated:
            ball.add_body_decoration(mb.Transform(), mb.decorations.Sphere(0.3))
        center = mb.Transform(p=[0, 0.1, 0])
        mb.RigidContact(matter.ground, mb.contact.HalfSpace(), ball, mb.contact.Sphere(0.2), X_B1S1=slope, X_B2S2=center)
    soft = mb.ContactMaterial(1e5)
    mb.CompliantContact(
        forces, balls[0], mb.contact.Sphere(0.2), balls[1], mb.contact.Sphere(0.2), material1=soft, X_B1S1=center, X_B2S2=center
    )
    state = system.realize_topology()
    for ball, p in zip(balls, ([4, 1, 0], [-4, 3, 9], [0, 0, 5]), strict=True):
        ball.set_q(state, [1, 0, 0, 0, *p])
    return system, state


def test_shapes_of_contacts_are_drawn_once_and_not_on_decorated_bodies():
    scene = make_scene(*touching(bead=True))
    found = shapes_with(scene, "contact")
    assert [(body, shape.geometry.radius) for body, shape in found] == [("one", 0.2), ("other", 0.2)]
    assert_allclose([shape.X.p for _, shape in found], [[0, 0.1, 0]] * 2)
    assert shapes_with(scene, "mass") == []  # as one body has decorations
    bare = make_scene(*touching())
    assert len(shapes_with(bare, "contact")) == 3
    assert shapes_with(bare, "mass") == []
    assert draw(bare, 300, 200).parts


def test_a_floor_lies_in_the_plane_of_its_half_space_and_reaches_as_far_as_the_bodies():
    system, state = touching()
    far = np.zeros((2, 4, 3))
    far[1, 1:] = [[20, 0, 3], [0, -30, 0], [0, 0, 0]]
    for places in (None, far):
        ((body, floor),) = shapes_with(make_scene(system, state, places=places), "floor")
        assert body == "ground"
        half, normal = np.array(floor.geometry.half_lengths), np.array([0.6, 0, 0.8])
        assert_allclose(floor.X.R[:, 2], normal, atol=1e-15)
        assert normal @ (floor.X.p + half[2] * normal - [0, 0, 1.0]) == pytest.approx(0.0, abs=1e-12)
        above = np.array([[4, 1, 0], [-4, 3, 9], [0, 0, 5]]) if places is None else far[1, 1:]
        assert (np.abs((above - floor.X.p) @ floor.X.R[:, :2]) < half[:2]).all()


@pytest.mark.slow
def test_disabled_contacts_have_no_shapes():
    system, state = touching()
    forces = next(each for each in system.subsystems if isinstance(each, mb.ForceSubsystem))
    for contact in (*system.matter.constraints, *forces.elements):
        contact.disable(state)
    assert not [role for role in ("contact", "floor") if shapes_with(make_scene(system, state), role)]


def lines_of(drawing):
    """The colours of all lines of a drawing, such as the ray of a RangeFinder."""
    return {patch.stroke for _, patches in drawing.parts for patch in patches}


def arm_with_sensors(z_up):
    """A System of two bodies, with a sensor of each kind that has a place; gravity is along -z or -y."""
    system = mb.MultibodySystem("arm")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.UniformGravity(forces, matter, gravity=[0, 0, -9.81] if z_up else [0, -9.81, 0])
    upper = mb.Pin(matter.ground, BOX, name="upper")
    lower = mb.Slider(upper, BOX, X_PF=mb.Transform(p=[0, -0.8, 0]), name="lower")
    contacts = mb.ContactSet(matter, forces)
    wall = contacts.add(matter.ground, mb.contact.Sphere(0.25), mb.Transform(p=[0.5, -2.0, 0]))
    contacts.add(lower, mb.contact.Sphere(0.1))
    (touching,) = contacts.rigid(static_friction=0.0)
    mb.Imu(system, lower, mb.Transform(p=[0.1, 0.2, 0.3]), name="imu")
    mb.ForceTorque(system, lower, name="wrist")
    mb.JointSensor(system, upper, name="encoder")
    mb.JointSensor(system, lower, name="scale")
    mb.FrameSensor(system, lower, mb.Transform(p=[0.0, -0.4, 0.0]), name="tip")
    mb.RangeFinder(system, lower, [wall], station=[0.0, -0.4, 0.0], direction=[0.0, -2.0, 0.0], range=30.0, name="eye")
    mb.Touch(system, touching, lower, zone=mb.contact.Sphere(0.2), name="skin")
    return system


@pytest.mark.parametrize("z_up", [False, True])
def test_sensors_are_drawn_where_they_are(z_up):
    system = arm_with_sensors(z_up)
    scene = scene_of(system)
    found = shapes_with(scene, "sensor")
    assert sorted((body, type(shape.geometry).__name__) for body, shape in found) == sorted(
        [("lower", kind) for kind in ("Box", "Frame", "Cylinder", "Frame", "Cylinder", "Frame", "Cylinder", "Line", "Sphere")]
        + [("upper", "Cylinder")]
    )
    of_kind = {type(shape.geometry).__name__: shape for body, shape in found if body == "lower"}
    assert_allclose(of_kind["Box"].X.p, [0.1, 0.2, 0.3])
    ray = of_kind["Line"].geometry
    assert_allclose(ray.start, [0.0, -0.4, 0.0])
    along = np.array(ray.end) - ray.start
    assert_allclose(along / np.linalg.norm(along), [0.0, -1.0, 0.0], atol=1e-15)
    assert np.linalg.norm(along) < 5.0  # no longer than the mechanism, though it sees 30 m far
    (encoder,) = [shape for body, shape in found if body == "upper"]
    assert_allclose(encoder.X.R[:, 1], [0.0, 0.0, 1.0], atol=1e-15)  # a Cylinder's axis is y, the pin's z
    disks = [shape.X.R[:, 1] for body, shape in found if (body, type(shape.geometry).__name__) == ("lower", "Cylinder")]
    assert sum(np.allclose(np.abs(axis), [1.0, 0.0, 0.0]) for axis in disks) == 2  # the slider's x
    assert draw(scene, 300, 200).parts


def test_drawings_of_decorated_bodies_leave_out_sensors():
    system = arm_with_sensors(False)
    assert OF_SENSORS in lines_of(draw(scene_of(system), 300, 200))
    system.matter.bodies[0].add_body_decoration(mb.Transform(), mb.decorations.Sphere(0.3))
    assert shapes_with(scene_of(system), "sensor")  # a page shows them
    assert OF_SENSORS not in lines_of(draw(scene_of(system), 300, 200))
