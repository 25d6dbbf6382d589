"""Rotor inertia, servos and fixed tendons have MuJoCo's numbers: data/formats, models that were written for mobod."""

import json
from pathlib import Path

import numpy as np
import pytest

import mobod as mb
from mobod.spatial import from_quaternion, rotation_x, rotation_y, rotation_z

DATA = Path(__file__).parent / "data" / "formats"
CRANE, ACTUATORS = (json.loads((DATA / f"{name}.json").read_text(encoding="utf-8")) for name in ("crane", "drives"))
CLOSE = 1e-9  # of the largest number: the reference's own


def mass_of(data, name):
    R, m, c = from_quaternion(data["body_iquat"][name]), data["body_mass"][name], np.array(data["body_ipos"][name])
    return mb.MassProperties(m, c, R @ np.diag(data["body_inertia"][name]) @ R.T + m * (c @ c * np.eye(3) - np.outer(c, c)))


def along(axis, *, first):
    """(3, 3) a rotation whose z axis, or x axis if `first`, is this direction."""
    a = np.array(axis, dtype=float) / np.linalg.norm(axis)
    b = np.cross(a, [0.0, 0.0, 1.0] if abs(a[2]) < 0.9 else [1.0, 0.0, 0.0])
    b /= np.linalg.norm(b)
    return np.column_stack([a, b, np.cross(a, b)] if first else [b, np.cross(a, b), a])


def hinge(parent, mass, pos, axis, at=(0.0, 0.0, 0.0), name=None, *, slides=False):
    """A joint as MuJoCo describes it: `pos` of the body on its parent; the joint's axis and its place `at` in the body's frame."""
    R = along(axis, first=slides)
    X_PF, X_BM = mb.Transform(R, np.add(pos, at)), mb.Transform(R, at)
    return (mb.Slider if slides else mb.Pin)(parent, mass, X_PF, X_BM, name=name)


def crane():
    system = mb.MultibodySystem("crane")
    ground, nothing = mb.MatterSubsystem(system).ground, mb.MassProperties.massless()
    turn = hinge(ground, nothing, [2, 0, 0.5], [0, 0, 1], name="turn")
    lift = hinge(turn, nothing, [0, 0, 0], [0, 0.6, 0.8], [0.1, 0, 0], name="lift", slides=True)
    tilt = hinge(lift, mass_of(CRANE, "crane"), [0, 0, 0], [1, 1, 0], [0.05, 0.02, 0.3], name="tilt")
    box = mb.Weld(tilt, mass_of(CRANE, "fixed_box"), mb.Transform(rotation_x(0.5) @ rotation_z(0.3), [0.3, 0, 0.6]), name="box")
    hook = hinge(box, mass_of(CRANE, "hook"), [0, 0.2, 0], [0, 1, 0], [0, 0, 0.1], name="hook")
    turn.set_rotor_inertia(0.2)
    lift.set_rotor_inertia(0.5)  # of a slide: kg
    return system, (turn, lift, tilt, hook)


@pytest.mark.parametrize("case", range(3))
def test_the_mass_matrix_of_a_crane_with_armature(case):
    expected = CRANE["states"][case]
    system, joints = crane()
    state = system.realize_topology()
    for joint, q, reference in zip(joints, expected["qpos"], (0.4, -0.05, 0.0, 0.0), strict=True):
        joint.set_q(state, q - reference)
    system.realize(state, mb.Stage.POSITION)
    M = np.array(expected["mass_matrix"])
    np.testing.assert_allclose(system.matter.mass_matrix(state), M, rtol=0, atol=CLOSE * np.abs(M).max())


def actuators():
    system = mb.MultibodySystem("actuators")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    one = hinge(matter.ground, mass_of(ACTUATORS, "one"), [0, 0, 0], [0, 1, 0], name="one")
    two = hinge(one, mass_of(ACTUATORS, "two"), [0.3, 0, 0], [0, 1, 0], name="two")
    three = hinge(two, mass_of(ACTUATORS, "three"), [0.25, 0, 0], [0, 0, 1], name="three")
    cart = hinge(matter.ground, mass_of(ACTUATORS, "cart"), [0, 1, 0], [1, 0, 0], name="cart", slides=True)
    tool = mb.Transform(rotation_x(0.3) @ rotation_y(0.0) @ rotation_z(0.4), [0.1, 0, 0.05])
    mb.Servo(forces, one, control="force", gear=25.0, command_low=-1.0, command_high=1.0, force_low=-0.8, force_high=0.6, name="motor")
    mb.Servo(forces, two, kp=40.0, kd=1.5, command_low=-2.0, command_high=2.0, force_low=-30.0, force_high=30.0, name="servo")
    mb.Servo(forces, cart, control="velocity", kd=7.0, name="speed")
    mb.Servo(forces, three, kp=12.0, activation="filter", rise_time=0.05, name="slow_servo")
    mb.Servo(forces, cart, kp=35.0, activation="integrator", name="intspeed")
    mb.SiteServo(forces, three, tool, wrench=[0, 0, 0.3, 0, 0, 4.0], control="force", name="thrust")
    mb.FixedTendon(forces, [one, two], [0, 0], [0.05, -0.03], name="both")
    return system, (one, two, three, cart)


@pytest.mark.parametrize("case", range(3))
def test_the_forces_of_servos_and_the_length_of_a_fixed_tendon(case):
    expected = ACTUATORS["states"][case]
    system, joints = actuators()
    state = system.realize_topology()
    for joint, q, u in zip(joints, expected["qpos"], expected["qvel"], strict=False):
        joint.set_q(state, q)
        joint.set_u(state, u)
    for name, value in expected["ctrl"].items():
        system.set_value(state, f"{name}.command", value)
    for name, z in expected["act"].items():
        system.set_value(state, f"{name}.activation", z)
    system.realize(state, mb.Stage.DYNAMICS)

    def value(name):
        return system.value(state, system.variable(state, name))

    assert value("slow_servo.force") == pytest.approx(12.0 * (expected["act"]["slow_servo"] - expected["qpos"][2]), rel=CLOSE)
    assert value("der(slow_servo.activation)") == pytest.approx(expected["act_dot"]["slow_servo"], rel=CLOSE)
    assert value("der(intspeed.activation)") == pytest.approx(expected["act_dot"]["intspeed"], rel=CLOSE)
    for name, force in expected["actuator_force"].items():
        assert value(f"{name}.force") == pytest.approx(force, rel=CLOSE, abs=CLOSE), name
        assert value(f"{name}.power") == pytest.approx(force * expected["actuator_velocity"][name], rel=CLOSE, abs=CLOSE), name
    assert value("both.length") == pytest.approx(expected["tendon_length"]["both"], rel=CLOSE, abs=CLOSE)
    assert value("both.rate") == pytest.approx(expected["tendon_velocity"]["both"], rel=CLOSE, abs=CLOSE)
