"""Imu, ForceTorque, FrameSensor, JointSensor and RangeFinder show what MuJoCo's sensors do: data/formats, a model for mobod."""

import json

import numpy as np
import pytest

import mobod as mb
from mobod.spatial import from_quaternion, rotation_x, rotation_y, rotation_z
from tests.reference.test_mujoco_drives import CLOSE, DATA, hinge, mass_of

SENSORS = json.loads((DATA / "sensors.json").read_text(encoding="utf-8"))


def frame(p, x, y, z):
    return mb.Transform(rotation_x(x) @ rotation_y(y) @ rotation_z(z), p)


def robot():
    system = mb.MultibodySystem("robot")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, vector=SENSORS["gravity"])
    base = mb.Free(matter.ground, mass_of(SENSORS, "base"), name="base")
    arm = hinge(base, mass_of(SENSORS, "arm"), [0.2, 0, 0], [0, 1, 0], name="arm")
    hand = mb.Ball(arm, mass_of(SENSORS, "hand"), X_PF=mb.Transform(p=[0.3, 0, 0]), name="hand")
    mb.MobilityLinearDamper(forces, arm, damping=0.3)
    mb.Servo(forces, arm, control="force", gear=3.0, name="shoulder")
    imu, ft = frame([0.05, -0.02, 0.03], 0.4, -0.2, 0.7), frame([0.01, 0, 0], 0, 0.3, 0.2)
    mb.Imu(system, base, imu, name="imu")
    mb.ForceTorque(system, hand, ft, name="ft")
    mb.FrameSensor(system, hand, ft, name="framepos")
    center = mb.Transform(p=SENSORS["body_ipos"]["hand"])  # a 'body' of MuJoCo is its inertial frame
    mb.FrameSensor(system, hand, center, reference=base, reference_frame=imu, name="framepos_rel")
    mb.FrameSensor(system, hand, ft, reference=arm, reference_frame=mb.Transform(p=SENSORS["body_ipos"]["arm"]), name="framequat_rel")
    mb.FrameSensor(system, hand, ft, reference=base, reference_frame=imu, name="framelinvel_rel")
    mb.FrameSensor(system, base, imu, name="velocimeter")
    mb.JointSensor(system, arm, name="jointpos")
    seen = mb.ContactSet(matter)
    seen.add(matter.ground, mb.contact.Box([0.05, 2, 2]), mb.Transform(p=[2, 0, 1]), name="wall")
    seen.add(matter.ground, mb.contact.HalfSpace(), name="floor")
    seen.add(base, mb.contact.Box([0.2, 0.1, 0.05]))
    seen.add(arm, mb.contact.Capsule(0.02, 0.15), mb.Transform(rotation_y(np.pi / 2), [0.15, 0, 0]))
    seen.add(hand, mb.contact.Sphere(0.05), mb.Transform(p=[0.05, 0, 0]))
    mb.RangeFinder(system, base, seen, station=[0.25, 0, 0], direction=rotation_y(1.3)[:, 2], range=100.0, name="rangefinder")
    return system, base, arm, hand


@pytest.mark.parametrize("case", range(3))
def test_sensors_of_a_floating_robot(case):
    expected = SENSORS["states"][case]
    system, base, arm, hand = robot()
    state, q, u = system.realize_topology(), expected["qpos"], expected["qvel"]
    R = from_quaternion(q[3:7])
    base.set_q(state, [*q[3:7], *q[:3]])
    base.set_u(state, [*(R @ u[3:6]), *u[:3]])
    arm.set_q(state, q[7])
    arm.set_u(state, u[6])
    hand.set_q(state, q[8:12])
    hand.set_u(state, from_quaternion(q[8:12]) @ u[7:10])
    system.set_value(state, "shoulder.command", expected["ctrl"][0])
    system.realize(state, mb.Stage.REPORT)

    def value(name):
        return system.value(state, system.variable(state, name))

    R_G_imu = R @ rotation_x(0.4) @ rotation_y(-0.2) @ rotation_z(0.7)
    shown = {
        "accelerometer": value("imu.acceleration"),
        "gyro": value("imu.angular_velocity"),
        "velocimeter": R_G_imu.T @ value("velocimeter.velocity"),
        "force": value("ft.force"),
        "torque": value("ft.torque"),
        "jointpos": [value("jointpos.position")],
        "rangefinder": [-1.0 if value("rangefinder.distance") == 100.0 else value("rangefinder.distance")],  # nothing is hit: -1
        "framepos": value("framepos.position"),
        "framelinvel": value("framepos.velocity"),
        "frameangvel": value("framepos.angular_velocity"),
        "framepos_rel": value("framepos_rel.position"),
        "framelinvel_rel": value("framelinvel_rel.velocity"),
    }
    for name, numbers in shown.items():
        reference = np.array(expected["sensors"][name])
        np.testing.assert_allclose(numbers, reference, rtol=0, atol=CLOSE * max(1.0, np.abs(reference).max()), err_msg=name)
    R_arm = from_quaternion(SENSORS["body_iquat"]["arm"])  # the axes of MuJoCo's inertial frame
    rotation = R_arm.T @ from_quaternion(value("framequat_rel.quaternion"))
    np.testing.assert_allclose(rotation, from_quaternion(expected["sensors"]["framequat_rel"]), rtol=0, atol=CLOSE)
