"""Rotor inertia: equal to a rotor that is a body, with a gear that is a constraint."""

import numpy as np
import pytest

import mobod as mb
from mobod import functions
from mobod.spatial import rotation_x

J, J_ACROSS, MASS, P = 0.031, 0.047, 0.6, np.array([0.11, -0.3, 0.07])  # of the rotor; P: its place on the parent
X_PF = mb.Transform(rotation_x(0.4), (0.1, -0.7, 0.2))
BODY = (2.0, np.array([0.1, -0.4, 0.2]), np.diag([0.9, 0.8, 0.95]))
AXES = {"Pin": [0.1, 0.3, 1.0], "Slider": [1.0, 0.2, 0.0]}


def turned_to(axis):
    """(3, 3) a rotation whose z axis is this direction."""
    z = np.array(axis) / np.linalg.norm(axis)
    x = np.cross([0.3, 1.0, 0.2], z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def mechanism(mobilizer, ratio, axis, *, rotor):
    """A base on a ball, an arm on it with a motor, and a tip. rotor: 'inertia', or 'body' with a coupler."""
    system = mb.MultibodySystem()
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, vector=(0.3, -9.8, 1.0))
    mass, com, inertia = BODY
    R = turned_to(X_PF.R @ (axis if axis is not None else [0, 0, 1]))
    if rotor == "inertia" and axis is not None:
        across = R @ np.diag([J_ACROSS, J_ACROSS, 0]) @ R.T + MASS * (P @ P * np.eye(3) - np.outer(P, P))
        mass, com, inertia = mass + MASS, (mass * com + MASS * P) / (mass + MASS), inertia + across
    base = mb.Ball(matter.ground, mb.MassProperties(mass, com, inertia), name="base")
    arm = getattr(mb, mobilizer)(base, mb.MassProperties(*BODY), X_PF=X_PF, name="arm")
    mb.Pin(arm, mb.MassProperties(*BODY), X_PF=mb.Transform(p=(0.2, -0.8, 0.1)), name="tip")
    if rotor == "inertia":
        arm.set_rotor_inertia(J, ratio, axis=axis)
    else:
        on = matter.ground if axis is None else base
        turning = mb.MassProperties(MASS, np.zeros(3), np.diag([J_ACROSS, J_ACROSS, J]))
        wheel = mb.Pin(on, turning, X_PF=mb.Transform(R, P), name="rotor")
        mb.CoordinateCoupler(matter, functions.Linear([1.0, -ratio, 0.0]), [wheel, arm], [0, 0])
    mb.MobilityForce(forces, arm, force=3.7)
    return system


def moving(system, ratio):
    state = system.realize_topology()
    rng = np.random.default_rng(4)
    for name, size in (("base", 3), ("arm", 1), ("tip", 1)):
        body = system.matter.body(name)
        body.set_u(state, rng.normal(size=size))
        body.set_q(state, rng.normal(size=4) if name == "base" else rng.normal(size=1))
    if "rotor" in [body.name for body in system.matter.bodies]:
        arm, rotor = system.matter.body("arm"), system.matter.body("rotor")
        system.realize(state, mb.Stage.VELOCITY)  # a motion of the arm sets its coordinate and its speed
        rotor.set_q(state, ratio * arm.q(state))
        rotor.set_u(state, ratio * arm.u(state))
    system.realize(state, mb.Stage.ACCELERATION)
    return state


def of_bodies(system, state, quantity):
    return np.concatenate([getattr(system.matter.body(name), quantity)(state) for name in ("base", "arm", "tip")])


@pytest.mark.parametrize("with_axis", [False, True])
@pytest.mark.parametrize("mobilizer", ["Pin", "Slider"])
def test_a_rotor_inertia_equals_a_rotor_that_is_a_body_with_a_gear(mobilizer, with_axis):
    axis, ratio = (AXES[mobilizer], -7.0) if with_axis else (None, 7.0)
    systems = [mechanism(mobilizer, ratio, axis, rotor=rotor) for rotor in ("inertia", "body")]
    one, other = (moving(system, ratio) for system in systems)
    u_dot, expected = (of_bodies(system, state, "u_dot") for system, state in zip(systems, (one, other), strict=True))
    np.testing.assert_allclose(u_dot, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())
    energies = [system.kinetic_energy(state) for system, state in zip(systems, (one, other), strict=True)]
    assert energies[0] == pytest.approx(energies[1], rel=1e-13)
    reactions = [system.matter.body("arm").reaction_on_body_at_M(state) for system, state in zip(systems, (one, other), strict=True)]
    across = [turned_across(reaction, system, state) for reaction, system, state in zip(reactions, systems, (one, other), strict=True)]
    np.testing.assert_allclose(across[0], across[1], atol=1e-11 * np.abs(reactions[1]).max())
    if with_axis:  # else the rotor on Ground has a momentum of its own
        momenta = [system.matter.momentum_about_ground_origin(state) for system, state in zip(systems, (one, other), strict=True)]
        np.testing.assert_allclose(momenta[0], momenta[1], rtol=1e-12, atol=1e-12)
        bases = [system.matter.body("base").reaction_on_body_at_M(state) for system, state in zip(systems, (one, other), strict=True)]
        np.testing.assert_allclose(bases[0], bases[1], atol=1e-11 * np.abs(bases[1]).max())


def turned_across(reaction, system, state):
    """The reaction without what acts along the joint's own motion: there the gear transmits it in one of the models."""
    arm = system.matter.body("arm")
    R_GF = arm.X_GB(state).R @ arm.X_FM(state).R.T if type(arm) is mb.Pin else arm.X_GB(state).R
    direction = np.concatenate([R_GF[:, 2], np.zeros(3)]) if type(arm) is mb.Pin else np.concatenate([np.zeros(3), R_GF[:, 0]])
    return reaction - direction * (direction @ reaction)


def held(system, ratio):
    """A motion moves the arm."""
    arm = system.matter.body("arm")
    mb.SinusoidMotion(arm, amplitude=0.3, rate=2.0, phase=0.4)
    state = moving(system, ratio)
    return arm.my_part_u(state, system.matter.motion_forces(state)), of_bodies(system, state, "u_dot")


@pytest.mark.parametrize("with_axis", [False, True])
def test_a_motion_also_moves_the_rotor(with_axis):
    axis, ratio = (AXES["Pin"], -7.0) if with_axis else (None, 7.0)
    force, u_dot = held(mechanism("Pin", ratio, axis, rotor="inertia"), ratio)
    other_force, other_u_dot = held(mechanism("Pin", ratio, axis, rotor="body"), ratio)
    np.testing.assert_allclose(u_dot, other_u_dot, rtol=1e-12, atol=1e-12 * np.abs(other_u_dot).max())
    np.testing.assert_allclose(force, other_force, rtol=1e-11)


def wheel_with_a_dry_bearing(rotor):
    """A turning wheel in a bearing with friction; on it, across, an arm with a fast rotor, whose gyroscopic torque loads the bearing."""
    system = mb.MultibodySystem()
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.8)
    disk = mb.Inertia.cylinder(mass=30.0, radius=0.2, length=0.1, axis="z").matrix
    across = np.diag([J_ACROSS, 0, J_ACROSS]) if rotor == "inertia" else np.zeros((3, 3))
    wheel = mb.Pin(matter.ground, mb.MassProperties(30.0 + (MASS if rotor == "inertia" else 0.0), np.zeros(3), disk + across), name="wheel")
    X = mb.Transform(turned_to([0.0, 1.0, 0.0]))
    arm = mb.Pin(wheel, mb.MassProperties(*BODY), X_PF=X, name="arm")
    if rotor == "inertia":
        arm.set_rotor_inertia(J, 40.0, axis=[0, 0, 1])
    else:
        turning = mb.Pin(wheel, mb.MassProperties(MASS, np.zeros(3), np.diag([J_ACROSS, J_ACROSS, J])), X_PF=X, name="rotor")
        mb.CoordinateCoupler(matter, functions.Linear([1.0, -40.0, 0.0]), [turning, arm], [0, 0])
    mb.RigidJointFriction(wheel, load=mb.BearingLoad(friction=0.1, radius=0.02, half_distance=0.05), name="bearing")
    state = system.realize_topology()
    wheel.set_u(state, 5.0)
    arm.set_u(state, 9.0)
    if rotor == "body":
        turning.set_u(state, 40.0 * 9.0)
    system.realize(state, mb.Stage.ACCELERATION)
    return system.value(state, system.variable(state, "bearing.load")), wheel.u_dot(state)


def test_a_gyroscopic_torque_loads_a_dry_bearing():
    load, u_dot = wheel_with_a_dry_bearing("inertia")
    other_load, other_u_dot = wheel_with_a_dry_bearing("body")
    assert load == pytest.approx(other_load, rel=1e-11)
    np.testing.assert_allclose(u_dot, other_u_dot, rtol=1e-11)
    assert load > 0.02 * 32.6 * 9.8  # more than the weight alone would give


def test_a_rotor_can_be_changed_in_a_state():
    system = mechanism("Pin", 7.0, [0, 0, 1.0], rotor="inertia")
    state = system.realize_topology()
    arm = system.matter.body("arm")
    system.set_value(state, "arm.gear_ratio", 3.0)
    system.set_value(state, "arm.rotor_inertia", 0.2)
    system.realize(state, mb.Stage.VELOCITY)
    assert arm.rotor_inertia(state) == pytest.approx([9 * 0.2], rel=1e-15)
    with pytest.raises(mb.errors.InputError, match="rotor_inertia"):
        system.set_value(state, "arm.rotor_inertia", -0.2)


def test_a_massless_tip_may_end_its_branch_if_a_rotor_resists():
    system = mb.MultibodySystem()
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    knob = mb.Pin(matter.ground, mb.MassProperties.massless(), name="knob")
    mb.MobilityForce(forces, knob, force=0.6)
    knob.set_rotor_inertia(0.02, 5.0)
    state = system.realize_topology()
    system.realize(state, mb.Stage.ACCELERATION)
    assert knob.u_dot(state) == pytest.approx([0.6 / 0.5], rel=1e-15)
    knob.set_rotor_inertia(0.0)
    with pytest.raises(mb.errors.MassPropertiesError):
        system.realize_topology()


@pytest.mark.parametrize(
    ("mobilizer", "given", "error", "text"),
    [
        (mb.Pin, {"inertia": -1.0}, mb.errors.InputError, "not negative"),
        (mb.Pin, {"inertia": 1.0, "gear_ratio": 0.0}, mb.errors.InputError, "gear_ratio"),
        (mb.Pin, {"inertia": 1.0, "axis": [0, 0, 0]}, mb.errors.InputError, "axis"),
        (mb.Pin, {"inertia": 1.0, "speed": 1}, mb.errors.InputError, "it has 1 speeds"),
        (mb.Universal, {"inertia": 1.0}, mb.errors.InputError, "Choose one by speed"),
        (mb.Weld, {"inertia": 1.0}, mb.errors.InputError, "does not move"),
        (mb.Ball, {"inertia": 1.0, "axis": [0, 0, 1]}, mb.errors.InputError, "Leave out 'axis'"),
        (mb.Free, {"inertia": 1.0, "speed": 1}, mb.errors.UnsupportedError, "no rate of a coordinate"),
    ],
)
def test_a_wrong_rotor_is_refused_with_the_body_s_name(mobilizer, given, error, text):
    body = mobilizer(mb.MatterSubsystem(mb.MultibodySystem()).ground, mb.MassProperties(*BODY), name="wrist")
    with pytest.raises(error, match=f"'wrist'.*{text}"):
        body.set_rotor_inertia(**given)
