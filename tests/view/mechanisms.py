"""Mechanisms whose pages are tested."""

import runpy
from pathlib import Path

import numpy as np

import mobod as mb

EXAMPLES = Path(__file__).parents[2] / "examples"


def double_pendulum(*, until=1.0, report_every=0.02):
    """Results of two pins with a spring."""
    system = mb.MultibodySystem("double_pendulum")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.80665, name="gravity")
    mass = mb.MassProperties(1.0, [0, -0.5, 0], mb.Inertia.cylinder(mass=1.0, radius=0.02, length=1.0, axis="y").shifted([0, -0.5, 0]))
    upper = mb.Pin(matter.ground, mass, name="upper")
    lower = mb.Pin(upper, mass, X_PF=mb.Transform(p=[0, -1, 0]), name="lower")
    mb.TwoPointLinearSpring(forces, matter.ground, [0.4, 0, 0], lower, [0, -1, 0], stiffness=4.0, rest_length=1.0, name="spring")
    state = system.realize_topology()
    upper.set_q(state, 0.4)
    return results_of(system, state, until, report_every)


def from_urdf(name):
    return results_of(mb.load_urdf(EXAMPLES / name, friction="ignore"))


def from_example(name, function):
    return results_of(runpy.run_path(str(EXAMPLES / name))[function]())


def ball():
    """A ball that spins and flies, without joints, with z upward."""
    system = mb.MultibodySystem("ball")
    system.set_up_direction([0, 0, 1])
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 0, -1], magnitude=9.81)
    flying = mb.Free(matter.ground, mb.MassProperties(1.0, [0, 0, 0], mb.Inertia.sphere(mass=1.0, radius=0.1)), name="ball")
    flying.add_body_decoration(mb.Transform(), mb.decorations.Sphere(0.1))
    state = system.realize_topology()
    flying.set_u(state, np.array([9.0, 6.0, 2.0, 0.4, 0, 3.0]))
    return results_of(system, state)


def results_of(system, state=None, until=0.5, report_every=0.02):
    return mb.Simulation(system, backend="interpreted").run(system.realize_topology() if state is None else state, until, report_every)


def pose(results, body, frame):
    """The 12 numbers of the pose of a body in a frame of the results."""
    return np.concatenate([results[f"{body}.{name}"][frame] for name in ("R_GB", "p_GB")])
