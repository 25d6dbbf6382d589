"""Small mechanisms with inputs, whose linear systems and equilibria are tested."""

import numpy as np

import mobod as mb

G = 9.81  # m/s^2


def body(mass=1.3, center=(0.0, -0.5, 0.1)):
    center = np.array(center)
    shift = mass * (center @ center * np.eye(3) - np.outer(center, center))
    return mb.MassProperties(mass, center, np.diag([0.11, 0.07, 0.13]) + shift)


def begun(name):
    """(system, matter, forces) with gravity along -y"""
    system = mb.MultibodySystem(name)
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=G, name="gravity")
    return system, matter, forces


def chain(n=3, length=1.0, mass=None):
    """Pins in a row, with point masses or bodies, a motor and a damper at the second one."""
    system, matter, forces = begun("chain")
    links, parent = [], matter.ground
    for i in range(n):
        properties = body() if mass is None else mb.MassProperties.point(mass, [0, -length, 0])
        X_PF = mb.Transform(p=[0, -length if i else 0, 0])
        parent = mb.Pin(parent, properties, X_PF=X_PF, name=f"link{i + 1}")
        links.append(parent)
    if n > 1:
        mb.MobilityForce(forces, links[1], name="motor")
        mb.MobilityLinearDamper(forces, links[1], damping=0.0 if mass else 0.4, name="damper")
    return system, links


def four_bar():
    """A crank, a coupler and a rod to Ground, with a motor at the crank and a damper at the coupler."""
    system, matter, forces = begun("four_bar")
    crank = mb.Pin(matter.ground, body(center=(0, 0.5, 0)), name="crank")
    coupler = mb.Pin(crank, body(center=(0, 0.4, 0)), X_PF=mb.Transform(p=[0, 1, 0]), name="coupler")
    mb.Rod(coupler, [0, 1, 0], matter.ground, [2, 0, 0], 1.5, name="rod")
    mb.MobilityForce(forces, crank, name="motor")
    mb.MobilityLinearDamper(forces, coupler, damping=0.7, name="damper")
    return system, [crank, coupler]


def ball_pendulum():
    """A body on a ball joint with a quaternion, and a slider on it with a spring and a motor."""
    system, matter, forces = begun("ball_pendulum")
    top = mb.Ball(matter.ground, body(), name="top")
    slider = mb.Slider(top, body(0.4, (0.05, 0.02, 0.0)), X_PF=mb.Transform(p=[0, -0.6, 0.2]), name="slider")
    mb.MobilityLinearSpring(forces, slider, stiffness=20.0, q_zero=0.1, name="spring")
    mb.MobilityForce(forces, slider, name="motor")
    mb.MobilityLinearDamper(forces, slider, damping=0.3, name="damper")
    return system, [top, slider]


def pendulum_at_its_limit():
    """Two pins. Gravity presses the first one against its lower limit."""
    system, (first, second) = chain(2)
    first.set_limits(0.4, 1.5)
    return system, [first, second]
