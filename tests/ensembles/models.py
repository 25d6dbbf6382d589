"""Mechanisms for ensembles."""

import numpy as np

import mobod as mb
from mobod.spatial import Transform


def double_pendulum(*, stops=False, restitution=0.6):
    """Two point masses on rods of 1 m and 0.8 m, with a motor and a spring at the lower pin."""
    system = mb.MultibodySystem("double pendulum")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    upper = mb.Pin(matter.ground, mb.MassProperties.point(mass=1.0, p=[0, -1, 0]), name="upper")
    lower = mb.Pin(upper, mb.MassProperties.point(mass=0.5, p=[0, -0.8, 0]), X_PF=Transform(p=[0, -1, 0]), name="lower")
    mb.MobilityLinearSpring(forces, lower, stiffness=2.0, q_zero=0.2, name="spring")
    mb.MobilityForce(forces, lower, name="motor")
    if stops:
        lower.set_limits(-1.0, 1.2, restitution=restitution)
    return system


def random_starts(system, count, *, seed=1, angles=0.9, speeds=2.0):
    """States of a double pendulum."""
    rng, state, states = np.random.default_rng(seed), system.realize_topology(), []
    for _ in range(count):
        each = state.copy()
        each.q, each.u = rng.uniform(-angles, angles, 2), rng.uniform(-speeds, speeds, 2)
        states.append(each)
    return states


def four_bar():
    """Three moving bars of 1, 1.7 and 1.3 m on a base of 1.9 m; the loop is closed by a ball."""
    system = mb.MultibodySystem("four-bar")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81, name="gravity")

    def bar(length):
        return mb.MassProperties(
            length, [length / 2, 0, 0], mb.Inertia.box(mass=length, size=[length, 0.1, 0.1]).shifted([length / 2, 0, 0])
        )

    crank = mb.Pin(matter.ground, bar(1.0), name="crank")
    coupler = mb.Pin(crank, bar(1.7), X_PF=Transform(p=[1.0, 0, 0]), name="coupler")
    rocker = mb.Pin(matter.ground, bar(1.3), X_PF=Transform(p=[1.9, 0, 0]), name="rocker")
    mb.BallConstraint(coupler, [1.7, 0, 0], rocker, [1.3, 0, 0], name="joint")
    state = system.realize_topology()
    crank.set_q(state, 1.2)
    coupler.set_q(state, -0.9)
    rocker.set_q(state, 1.5)
    return system, mb.Assembler(system).assemble(state)


class Root(mb.CustomForce):
    """A torque on the first joint that does not exist for angles above 1 rad."""

    def calc_force(self, state, body_forces, mobility_forces):
        mobility_forces[0] += np.sqrt(1.0 - state.q[0])


class Nervous(mb.CustomForce):
    """Plain Python that raises an error if the first angle exceeds 0.5 rad."""

    recordable = False

    def calc_force(self, state, body_forces, mobility_forces):
        if state.q[0] > 0.5:
            raise ZeroDivisionError("the angle is too large")


def swing(force=None, **options):
    """A pendulum with a force of its own."""
    system = mb.MultibodySystem("swing")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    mb.Pin(matter.ground, mb.MassProperties.point(mass=1.0, p=[0, -1, 0]), name="pin")
    if force is not None:
        force(forces, name="force", **options)
    return system
