"""Small Systems that move, each with its State."""

import numpy as np

import mobod as mb

GRAVITY = 9.81


def in_a_plane(name):
    """(system, matter, forces) with gravity along -y."""
    system = mb.MultibodySystem(name)
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=GRAVITY, name="gravity")
    return system, matter, forces


def bob(length, mass=1.2):
    return mb.MassProperties.point(mass=mass, p=[0, -length, 0])


def double_pendulum(**limits):
    """Two pins with dampers; limits: of the lower one."""
    system, matter, forces = in_a_plane("double pendulum")
    upper = mb.Pin(matter.ground, bob(0.7), name="upper")
    lower = mb.Pin(upper, bob(0.5, 0.8), X_PF=mb.Transform(p=[0, -0.7, 0]), name="lower")
    mb.MobilityLinearDamper(forces, upper, damping=0.2, name="shoulder")
    mb.MobilityLinearDamper(forces, lower, damping=0.1, name="elbow")
    if limits:
        lower.set_limits(**limits)
    state = system.realize_topology()
    upper.set_q(state, 0.9)
    lower.set_q(state, 0.1)
    return system, state


def pendulum():
    """(system, state, pin, motor): a pin with a motor and a spring."""
    system, matter, forces = in_a_plane("pendulum")
    pin = mb.Pin(matter.ground, bob(0.7), name="pin")
    motor = mb.MobilityForce(forces, pin, name="motor")
    mb.MobilityLinearSpring(forces, pin, stiffness=2.0, name="spring")
    mb.MobilityLinearDamper(forces, pin, damping=0.3, name="damper")
    return system, pin, motor


def four_bar():
    """A closed loop with a motor, assembled."""
    system, matter, forces = in_a_plane("four bar")

    def bar(length):
        at = [length / 2, 0, 0]
        return mb.MassProperties(2 * length, at, mb.Inertia.cylinder(mass=2 * length, radius=0.02, length=length, axis="x").shifted(at))

    crank = mb.Pin(matter.ground, bar(0.4), name="crank")
    coupler = mb.Pin(crank, bar(1.1), X_PF=mb.Transform(p=[0.4, 0, 0]), name="coupler")
    rocker = mb.Pin(matter.ground, bar(0.9), X_PF=mb.Transform(p=[1.2, 0, 0]), name="rocker")
    mb.BallConstraint(coupler, [1.1, 0, 0], rocker, [0.9, 0, 0], name="loop")
    mb.MobilityForce(forces, crank, name="motor")
    mb.MobilityLinearDamper(forces, crank, damping=0.3, name="damper")
    rocker.set_default_q(1.8)
    assembler = mb.Assembler(system, accuracy=1e-12)
    assembler.add(mb.QValue(crank, 0, 0.7))
    return system, assembler.assemble(system.realize_topology())


def tumbling_body():
    """A free body on a spring."""
    system, matter, forces = in_a_plane("tumbling body")
    inertia = mb.Inertia(np.diag([0.3, 0.4, 0.5]) + 0.02)
    body = mb.Free(matter.ground, mb.MassProperties(1.3, [0.1, 0, 0.05], inertia), name="body")
    mb.TwoPointLinearSpring(forces, matter.ground, [0, 1, 0], body, [0.2, 0.1, 0.3], stiffness=30.0, rest_length=0.5, name="spring")
    state = system.realize_topology()
    body.set_u(state, [1, 2, 3, 0.3, 0.2, 0.1])
    return system, state


def driven_pendulum():
    """A pendulum on a pin with a prescribed motion."""
    system, matter, _ = in_a_plane("driven pendulum")
    drive = mb.Pin(matter.ground, bob(0.7), name="drive")
    hanging = mb.Pin(drive, bob(0.6), X_PF=mb.Transform(p=[0, -0.7, 0]), name="hanging")
    mb.SinusoidMotion(drive, amplitude=0.3, rate=4.0, phase=0.2)
    state = system.realize_topology()
    hanging.set_q(state, 0.9)
    return system, state


def bouncing_ball(restitution=0.8, height=1.0):
    """A mass that falls along y onto a limit at 0."""
    system, matter, _ = in_a_plane("bouncing ball")
    ball = mb.Translation(matter.ground, mb.MassProperties.point(1.0, [0, 0, 0]), name="ball")
    ball.set_limits(coordinate=1, lower=0.0, restitution=restitution)
    state = system.realize_topology()
    ball.set_q(state, [0, height, 0])
    ball.set_u(state, [0, 0.4, 0])
    return system, state
