"""A System built from lists of bodies and joints equals one built by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.couplings import CouplingMobilizer
from mobod.errors import InputError, SingularMechanismError, UnknownNameError, UnsupportedError
from mobod.spatial import from_quaternion, rotation_z

SAME = 1e-12  # of numbers of the order of 1 to 100 that differ by the order of additions alone


def general_body(rng, mass=None):
    mass = rng.uniform(0.5, 2) if mass is None else mass
    com = rng.normal(scale=0.2, size=3)
    return mb.MassProperties(mass, com, mb.Inertia.box(mass=mass, size=rng.uniform(0.2, 0.6, size=3)).shifted(com))


def general_frame(rng):
    return mb.Transform(from_quaternion(rng.normal(size=4)), rng.normal(scale=0.3, size=3))


def with_gravity(system):
    forces = mb.ForceSubsystem(system)
    mb.Gravity(forces, system.matter, down=[0.1, -1, 0.3], magnitude=9.7)
    return system


def same_dynamics(one, other, names, seed=3):
    """Compares accelerations, poses and energies by mobilizer, independent of their order in each System."""
    states = []
    values = np.random.default_rng(seed)
    start = {name: (values.normal(size=one.matter.body(name).nq), values.normal(size=one.matter.body(name).nu)) for name in names}
    for system in (one, other):
        state = system.realize_topology()
        for name, (q, u) in start.items():
            body = system.matter.body(name)
            if body.nq:
                body.set_q(state, q / np.linalg.norm(q) if body.equations.quaternion_at == 0 and body.nq == 4 else q)
                body.set_u(state, u)
        system.realize(state, mb.Stage.ACCELERATION)
        states.append(state)
    for name in names:
        a, b = one.matter.body(name), other.matter.body(name)
        assert_allclose(a.u_dot(states[0]), b.u_dot(states[1]), rtol=SAME, atol=SAME)
        assert_allclose(a.A_GB(states[0]), b.A_GB(states[1]), rtol=SAME, atol=10 * SAME)
    assert_allclose(one.energy(states[0]), other.energy(states[1]), rtol=SAME)


def test_a_tree_in_any_order_has_the_dynamics_of_the_hand_built_one():
    rng = np.random.default_rng(1)
    bodies = {name: general_body(rng) for name in "abcd"}
    frames = {name: (general_frame(rng), general_frame(rng)) for name in "abcd"}

    builder = mb.MultibodyBuilder("tree")
    for name in "dbca":
        builder.add_body(name, bodies[name])
    builder.add_joint("jd", mb.Screw, "b", "d", *frames["d"], pitch=0.3)
    builder.add_joint("jc", mb.Universal, "b", "c", *frames["c"])
    builder.add_joint("ja", mb.Pin, "ground", "a", *frames["a"])
    builder.add_joint("jb", mb.Slider, "a", "b", *frames["b"])

    system = mb.MultibodySystem("hand")
    matter = mb.MatterSubsystem(system)
    a = mb.Pin(matter.ground, bodies["a"], *frames["a"], name="ja")
    b = mb.Slider(a, bodies["b"], *frames["b"], name="jb")
    mb.Universal(b, bodies["c"], *frames["c"], name="jc")
    mb.Screw(b, bodies["d"], *frames["d"], pitch=0.3, name="jd")

    same_dynamics(with_gravity(builder.build()), with_gravity(system), ["ja", "jb", "jc", "jd"])


@pytest.mark.parametrize("mobilizer", [mb.Pin, mb.Slider, mb.Universal, mb.Bushing, mb.Gimbal])
def test_a_reversed_joint_keeps_its_coordinates(mobilizer):
    rng = np.random.default_rng(2)
    bodies = {name: general_body(rng) for name in "ab"}
    X_PF, X_BM = general_frame(rng), general_frame(rng)

    builder = mb.MultibodyBuilder()
    builder.add_body("a", bodies["a"])
    builder.add_body("b", bodies["b"])
    builder.add_joint("base", mb.Pin, "ground", "a")
    builder.add_joint("joint", mobilizer, "b", "a", X_PF, X_BM)  # b is the parent, and the outboard body
    built = with_gravity(builder.build())

    system = mb.MultibodySystem()
    a = mb.Pin(mb.MatterSubsystem(system).ground, bodies["a"], name="base")
    # by hand the body with M is inboard
    hand = mobilizer(a, bodies["b"], X_BM, X_PF, name="joint", reversed=True)
    same_dynamics(built, with_gravity(system), ["base", "joint"])

    state = built.realize_topology()
    q = rng.normal(size=hand.nq)
    joint = built.matter.body("joint")
    joint.set_q(state, q)
    built.realize(state, mb.Stage.POSITION)
    X_GF, X_GM = joint.X_GB(state) @ X_PF, built.matter.body("base").X_GB(state) @ X_BM
    forward = mobilizer(mb.MatterSubsystem(mb.MultibodySystem()).ground, bodies["a"])
    assert (X_GF.inverse() @ X_GM).isclose(forward.equations.X_FM(q), atol=SAME)  # the coordinates measure M on the child in F


def four_bar(last, *, must_be_loop_joint=True):
    """Three bars in a plane; the joint 'last' closes the loop at the rocker's end."""
    rng = np.random.default_rng(4)
    builder = mb.MultibodyBuilder("four_bar")
    lengths = {"crank": 0.4, "coupler": 1.1, "rocker": 0.9}
    masses = {name: general_body(rng) for name in lengths}
    for name, mass in masses.items():
        builder.add_body(name, mass)
    builder.add_joint("motor", mb.Pin, "ground", "crank")
    builder.add_joint("elbow", mb.Pin, "crank", "coupler", mb.Transform(p=[0.4, 0, 0]))
    builder.add_joint("bearing", mb.Pin, "ground", "rocker", mb.Transform(p=[1.2, 0, 0]), default_q=1.9)
    builder.add_joint(
        "last", last, "coupler", "rocker", mb.Transform(p=[1.1, 0, 0]), mb.Transform(p=[0.9, 0, 0]), must_be_loop_joint=must_be_loop_joint
    )
    return builder, masses


def hand_made_four_bar(masses):
    """The same mechanism built by hand: chains of two bodies and of one, without the loop constraint."""
    system = mb.MultibodySystem("hand")
    ground = mb.MatterSubsystem(system).ground
    crank = mb.Pin(ground, masses["crank"], name="motor")
    coupler = mb.Pin(crank, masses["coupler"], mb.Transform(p=[0.4, 0, 0]), name="elbow")
    rocker = mb.Pin(ground, masses["rocker"], mb.Transform(p=[1.2, 0, 0]), name="bearing")
    rocker.set_default_q(1.9)
    return system, coupler, rocker


def closed_at(system, crank):
    """The State at rest with the loop closed, from the angle of the crank by the intersection of two circles."""
    state = system.realize_topology()
    elbow = 0.4 * np.array([np.cos(crank), np.sin(crank)])
    gap = np.array([1.2, 0]) - elbow
    distance = np.linalg.norm(gap)
    coupler = np.arctan2(gap[1], gap[0]) + np.arccos((1.1**2 + distance**2 - 0.9**2) / (2 * 1.1 * distance))
    end = elbow + 1.1 * np.array([np.cos(coupler), np.sin(coupler)])
    rocker = np.arctan2(end[1], end[0] - 1.2)
    angles = {"motor": crank, "elbow": coupler - crank, "bearing": rocker, "last": rocker - coupler}
    for body in system.matter.bodies:
        body.set_q(state, angles[body.name])
    return state


def test_a_ball_that_closes_a_loop_is_a_ball_constraint():
    builder, masses = four_bar(mb.Ball)
    built = builder.build()
    assert [type(each).__name__ for each in built.matter.constraints] == ["BallConstraint"]
    assert [each.name for each in built.matter.constraints] == ["last"]

    system, coupler, rocker = hand_made_four_bar(masses)
    mb.BallConstraint(coupler, [1.1, 0, 0], rocker, [0.9, 0, 0], name="last")

    same_dynamics(with_gravity(built), with_gravity(system), ["motor", "elbow", "bearing"])


def test_a_weld_that_closes_a_loop_is_a_weld_constraint():
    rng = np.random.default_rng(5)
    masses, X_PF, X_BM = [general_body(rng) for _ in range(2)], general_frame(rng), general_frame(rng)
    builder = mb.MultibodyBuilder()
    builder.add_body("a", masses[0])
    builder.add_body("b", masses[1])
    builder.add_joint("one", mb.Bushing, "ground", "a")
    builder.add_joint("two", mb.Bushing, "ground", "b")
    builder.add_joint("weld", mb.Weld, "a", "b", X_PF, X_BM)

    system = mb.MultibodySystem()
    ground = mb.MatterSubsystem(system).ground
    a, b = mb.Bushing(ground, masses[0], name="one"), mb.Bushing(ground, masses[1], name="two")
    mb.WeldConstraint(a, X_PF, b, X_BM, name="weld")

    same_dynamics(with_gravity(builder.build()), with_gravity(system), ["one", "two"])


def test_a_split_loop_matches_hand_welded_halves_and_a_loop_closed_by_a_constraint():
    builder, masses = four_bar(mb.Pin)
    built = builder.build()
    master, slave = builder.fragments(built, "rocker")
    for half in (master, slave):
        assert half.body.mass_properties.mass == masses["rocker"].mass / 2
        assert_allclose(half.body.mass_properties.inertia, masses["rocker"].inertia / 2)
        assert_allclose(half.body.mass_properties.com, masses["rocker"].com)
    assert (master.name, slave.name) == ("bearing", "last")
    assert [each.name for each in built.matter.constraints] == ["last_weld"]

    system, coupler, rocker = hand_made_four_bar({**masses, "rocker": half_of(masses["rocker"])})
    other = mb.Pin(coupler, half_of(masses["rocker"]), mb.Transform(p=[1.1, 0, 0]), mb.Transform(p=[0.9, 0, 0]), name="last")
    mb.WeldConstraint(rocker, mb.Transform(), other, mb.Transform(), name="last_weld")
    same_dynamics(with_gravity(built), with_gravity(system), ["motor", "elbow", "bearing", "last"])

    whole, coupler, rocker = hand_made_four_bar(masses)
    mb.BallConstraint(coupler, [1.1, 0, 0], rocker, [0.9, 0, 0], name="loop")
    with_gravity(whole)
    states = [closed_at(each, crank=0.7) for each in (built, whole)]
    for system, state in zip((built, whole), states, strict=True):
        system.realize(state, mb.Stage.ACCELERATION)
        assert np.abs(system.matter.constraint_position_errors(state)).max() < 1e-15
    for name in ("motor", "elbow", "bearing"):
        one, other = built.matter.body(name).u_dot(states[0]), whole.matter.body(name).u_dot(states[1])
        assert np.abs(other).min() > 0.01
        assert_allclose(one, other, rtol=SAME, atol=SAME)
    assert_allclose(built.energy(states[0]), whole.energy(states[1]), rtol=SAME)

    finals = [
        mb.Simulation(each, accuracy=1e-12).run(state, until=0.2).final_state for each, state in zip((built, whole), states, strict=True)
    ]
    for name in ("motor", "elbow", "bearing"):
        one, other = built.matter.body(name), whole.matter.body(name)
        assert_allclose(one.q(finals[0]), other.q(finals[1]), rtol=0, atol=1e-10)  # a hundred times the accuracy
        assert_allclose(one.u(finals[0]), other.u(finals[1]), rtol=0, atol=1e-10)


def half_of(whole):
    return mb.MassProperties(whole.mass / 2, whole.com, whole.inertia / 2)


def test_a_loop_joint_to_ground_splits_the_other_body_and_keeps_its_direction():
    rng = np.random.default_rng(6)
    X_PF, X_BM = general_frame(rng), general_frame(rng)
    builder = mb.MultibodyBuilder()
    builder.add_body("a", general_body(rng))
    builder.add_joint("one", mb.Bushing, "ground", "a")
    builder.add_joint("back", mb.Pin, "a", "ground", X_PF, X_BM)  # Ground is the child
    system = builder.build()

    master, slave = builder.fragments(system, "a")
    state = system.realize_topology()
    slave.set_q(state, 0.4)
    system.realize(state, mb.Stage.POSITION)
    # M lies on Ground, F on the body
    assert ((slave.X_GB(state) @ X_PF).inverse() @ X_BM).isclose(mb.Transform(rotation_z(0.4)), atol=SAME)
    assert_allclose(system.matter.mass(state), builder.bodies["a"].mass_properties.mass)
    assert master.name == "one"


def test_a_free_joint_that_closes_a_loop_is_dropped():
    builder = mb.MultibodyBuilder()
    rng = np.random.default_rng(7)
    builder.add_body("a", general_body(rng))
    builder.add_joint("pin", mb.Pin, "ground", "a")
    builder.add_joint("loose", mb.Free, "ground", "a")
    system = builder.build()
    assert [body.name for body in system.matter.bodies] == ["pin"]
    assert system.matter.constraints == []


def test_bodies_without_a_joint_to_ground_are_free_and_keep_their_names():
    rng = np.random.default_rng(8)
    builder = mb.MultibodyBuilder()
    builder.add_body("thigh", general_body(rng))
    builder.add_body("trunk", general_body(rng))
    builder.add_body("ball", general_body(rng))
    builder.add_joint("hip", mb.Ball, "trunk", "thigh")
    builder.add_joint("ball", mb.Pin, "trunk", "ball")  # a joint has the name of a body: no base body here
    system = builder.build()

    assert {body.name: type(body).__name__ for body in system.matter.bodies} == {"trunk": "Free", "hip": "Ball", "ball": "Pin"}
    assert builder.mobilized_body(system, "thigh").name == "hip"
    assert builder.mobilized_body(system, "ground") is system.matter.ground
    assert "hip.q" in {variable.name for variable in system.variables(system.realize_topology())}


def test_an_added_base_body_with_the_name_of_a_joint_is_named_after_its_added_joint():
    builder = mb.MultibodyBuilder()
    rng = np.random.default_rng(9)
    builder.add_body("a", general_body(rng))
    builder.add_body("b", general_body(rng))
    builder.add_joint("a", mb.Pin, "a", "b")
    system = builder.build()
    assert [body.name for body in system.matter.bodies] == ["#ground_a", "a"]
    assert builder.mobilized_body(system, "a").name == "#ground_a"


def pendulum(limits):
    builder = mb.MultibodyBuilder("pendulum")
    builder.add_body("bob", mb.MassProperties.point(1.5, [0, -0.7, 0]))
    builder.add_joint("pin", mb.Pin, "ground", "bob", limits=limits)
    return builder


@pytest.mark.parametrize("limits", ["rigid", "stops"])
def test_limits_of_a_joint_that_becomes_a_constraint_are_refused(limits):
    builder, _ = four_bar(mb.Ball)
    builder.add_joint("second", mb.Weld, "coupler", "rocker", must_be_loop_joint=True)  # no coordinates: it takes no limits at all
    with pytest.raises(InputError, match="2 limits for 0 coordinates"):
        builder.add_joint("third", mb.Weld, "coupler", "rocker", limits=[None, None])
    builder.add_joint(
        "fourth", mb.Ball, "ground", "rocker", limits=[mb.CoordinateLimits(lower=0, upper=1, stop_stiffness=1.0), None, None, None]
    )
    with pytest.raises(UnsupportedError, match="'fourth' has limits and closes a loop"):
        builder.build(limits=limits)


@pytest.mark.parametrize(
    ("add", "error", "message"),
    [
        (lambda b: b.add_joint("j", mb.Pin, "ground", "bop"), UnknownNameError, "Did you mean 'bob'"),
        (lambda b: b.add_joint("j", "pin", "ground", "bob"), InputError, "joint 'j': the mobilizer must be a class such as mb.Pin"),
        (lambda b: b.add_joint("j", mb.Screw, "ground", "bob"), InputError, "joint 'j': Screw cannot be made.*pitch"),
        (lambda b: b.add_joint("j", mb.Pin, "ground", "bob", default_q=[1, 2]), InputError, r"j.default_q of a Pin has shape \(1,\)"),
        (lambda b: b.add_joint("j", mb.Pin, "ground", "bob", X_PF=3), InputError, "X_PF is a Transform, not int"),
        (lambda b: b.add_joint("pin", mb.Pin, "ground", "bob"), InputError, "there is already a joint named 'pin'"),
        (lambda b: b.add_body("bob", mb.MassProperties.massless()), InputError, "there is already a body named 'bob'"),
        (lambda b: b.add_body("rod", 3.0), InputError, "body 'rod': its mass properties must be MassProperties, not float"),
        (
            lambda b: b.add_body("rod", general_body(np.random.default_rng(8)), decorations=3),
            InputError,
            r"body 'rod': decorations must be pairs \(Transform, shape\).*not 3",
        ),
        (
            lambda b: b.add_body("rod", general_body(np.random.default_rng(8)), decorations=[(mb.Transform(), 3)]),
            InputError,
            "body 'rod': decorations must be pairs",
        ),
        (lambda b: b.add_joint("j", mb.Pin, "ground", "bob", limits=3), InputError, "joint 'j': limits must be CoordinateLimits.*not 3"),
        (lambda b: b.add_joint("j", mb.Pin, "ground", "bob", reversed=True), InputError, "joint 'j': `reversed` cannot be set"),
        (
            lambda b: b.add_joint("j", mb.MobilizedBody, "ground", "bob"),
            InputError,
            "joint 'j': the mobilizer must be a class such as mb.Pin",
        ),
        (lambda b: b.add_joint("j", CouplingMobilizer, "ground", "bob", coupling=3), InputError, "joint 'j': .*needs a Coupling, not int"),
        (lambda b: mb.CoordinateLimits(lower="0", upper=1), InputError, "limits: lower must be a number, not '0'"),
        (lambda b: mb.CoordinateLimits(lower=0, upper=1, restitution=None), InputError, "limits: restitution must be a number, not None"),
        (lambda b: b.build(limits="hard"), InputError, "limits is 'hard'. It can be 'rigid', 'stops' or 'ignore'"),
        (lambda b: mb.CoordinateLimits(lower=1.0, upper=0.5), InputError, "the lower limit, 1.0, is larger than the upper limit, 0.5"),
        (lambda b: mb.CoordinateLimits(lower=0, upper=0.5, stop_stiffness=-1), InputError, "stop_stiffness is -1"),
        (lambda b: mb.CoordinateLimits(lower=0, upper=0.5, restitution=1.1), InputError, "restitution is 1.1. It must be between 0 and 1"),
        (lambda b: b.mobilized_body(b.build(limits="ignore"), "bop"), UnknownNameError, "Did you mean 'bob'"),
    ],
)
def test_bad_input_is_named(add, error, message):
    with pytest.raises(error, match=message):
        add(pendulum(mb.CoordinateLimits(lower=0, upper=1)))


def test_a_coupling_keeps_its_ranges_in_either_direction_of_the_tree():
    builder = mb.MultibodyBuilder("hung")
    for name in ("near", "far"):
        builder.add_body(name, general_body(np.random.default_rng(8)))
    builder.add_joint("outer", CouplingMobilizer, "far", "near", coupling=mb.SliderCoupling((-0.2, 0.3)))
    builder.add_joint("inner", CouplingMobilizer, "ground", "near", coupling=mb.HingeCoupling((-1.0, 0.5)))
    system = builder.build()
    state = system.realize_topology()
    found = {body.name: (body.is_reversed, body.limits[0].bounds(state)) for body in system.matter.bodies}
    assert found == {"inner": (False, (-1.0, 0.5)), "outer": (True, (-0.2, 0.3))}


def test_later_additions_are_in_the_next_system():
    rng = np.random.default_rng(10)
    builder = mb.MultibodyBuilder()
    builder.add_body("a", general_body(rng))
    first = builder.build()
    builder.add_body("b", general_body(rng))
    builder.add_joint("j", mb.Pin, "a", "b")
    second = builder.build()
    assert [[body.name for body in system.matter.bodies] for system in (first, second)] == [["a"], ["a", "j"]]


def test_a_massless_body_that_closes_a_loop_to_ground_is_refused_with_a_remedy():
    builder = mb.MultibodyBuilder()
    rng = np.random.default_rng(11)
    builder.add_body("a", general_body(rng))
    builder.add_body("cross", mb.MassProperties.massless())
    builder.add_joint("one", mb.Pin, "ground", "a")
    builder.add_joint("two", mb.Pin, "a", "cross")
    builder.add_joint("three", mb.Pin, "ground", "cross", must_be_loop_joint=True)
    with pytest.raises(InputError, match="massless"):
        builder.build()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_random_graphs_with_loops_keep_their_mass_and_their_joints(seed):
    rng = np.random.default_rng(seed)
    n = 12
    builder = mb.MultibodyBuilder()
    names = ["ground", *(f"b{k}" for k in range(n))]
    for name in names[1:]:
        builder.add_body(name, general_body(rng))
    kinds = [mb.Pin, mb.Slider, mb.Ball, mb.Weld, mb.Universal, mb.Bushing]
    for k in range(n + 4):
        parent, child = rng.choice(n + 1, size=2, replace=False)
        builder.add_joint(f"j{k}", kinds[rng.integers(len(kinds))], names[parent], names[child], general_frame(rng), general_frame(rng))
    system = with_gravity(builder.build())

    state = system.realize_topology()
    system.realize(state, mb.Stage.POSITION)
    total = sum(body.mass_properties.mass for body in builder.bodies.values() if body.mass_properties)
    assert_allclose(system.matter.mass(state), total, rtol=1e-14)
    made = {body.name for body in system.matter.bodies} | {constraint.name for constraint in system.matter.constraints}
    assert set(builder.joints) <= made
    try:
        system.realize(state, mb.Stage.ACCELERATION)  # poses that close no loop: rows may contradict each other there, no more
    except SingularMechanismError:
        return
    assert np.isfinite(state.u_dot).all()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_random_trees_match_hand_built_ones(seed):
    rng = np.random.default_rng(seed)
    n = 14
    kinds = [mb.Pin, mb.Slider, mb.Universal, mb.Bushing, mb.Weld, mb.Cylinder]
    masses = [general_body(rng) for _ in range(n)]
    inboard = [int(rng.integers(-1, k)) if k else -1 for k in range(n)]  # -1 is Ground
    joints = [(kinds[rng.integers(len(kinds))], general_frame(rng), general_frame(rng), bool(rng.integers(2))) for _ in range(n)]

    system = mb.MultibodySystem("hand")
    bodies = {-1: mb.MatterSubsystem(system).ground}
    for k, (kind, X_PF, X_BM, is_reversed) in enumerate(joints):
        frames = (X_BM, X_PF) if is_reversed else (X_PF, X_BM)  # F is on the parent of the joint, wherever the tree comes from
        bodies[k] = kind(bodies[inboard[k]], masses[k], *frames, name=f"j{k}", reversed=is_reversed)

    builder = mb.MultibodyBuilder("list")
    for k in rng.permutation(n):
        builder.add_body(f"b{k}", masses[k])
    for k in rng.permutation(n):
        kind, X_PF, X_BM, is_reversed = joints[k]
        ends = ["ground" if inboard[k] < 0 else f"b{inboard[k]}", f"b{k}"]
        builder.add_joint(f"j{k}", kind, *(reversed(ends) if is_reversed else ends), X_PF, X_BM)
    built = builder.build()

    assert sum(body.is_reversed for body in built.matter.bodies) == sum(each[3] for each in joints)
    same_dynamics(with_gravity(built), with_gravity(system), [f"j{k}" for k in range(n) if joints[k][0] is not mb.Weld])
