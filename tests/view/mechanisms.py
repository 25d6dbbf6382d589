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


def bowling_ball():
    """System and State of a ball that slides on a floor and then rolls, by rigid contact, beside one that flies; without decorations."""
    system = mb.MultibodySystem("bowling")
    system.set_up_direction([0, 0, 1])
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 0, -1], magnitude=9.81, name="gravity")
    floor, sphere, friction = mb.contact.HalfSpace(), mb.contact.Sphere(0.1), {"static_friction": 0.6, "dynamic_friction": 0.4}
    balls = []
    for name in ("rolls", "flies"):
        mass = mb.MassProperties(2.0, [0, 0, 0], mb.Inertia.sphere(mass=2.0, radius=0.1))
        balls.append(mb.Free(matter.ground, mass, name=name))
        mb.RigidContact(matter.ground, floor, balls[-1], sphere, **friction, name=f"under_{name}")
    state = system.realize_topology()
    for ball, height in zip(balls, (0.1, 0.9), strict=True):
        ball.set_q(state, [1, 0, 0, 0, 0, 0, height])
        ball.set_u(state, [0, 0, 0, 1.0, 0, 0])
    return system, state


def pressed_balls():
    """System and State of bodies that press on a floor by each of the contact forces; 'fast' slips, 'high' is above the floor."""
    system = mb.MultibodySystem("balls")
    system.set_up_direction([0, 0, 1])
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    floor, sphere = mb.contact.HalfSpace(), mb.contact.Sphere(0.1)
    soft = mb.ContactMaterial(1e4, 0.1, static_friction=0.8, dynamic_friction=0.5)
    corners = np.array([[0.1, 0.1, 0.1], [0.1, -0.1, -0.1], [-0.1, 0.1, -0.1], [-0.1, -0.1, 0.1]])
    mesh = mb.contact.TriangleMesh(corners, [(0, 1, 2), (0, 3, 1), (0, 2, 3), (1, 3, 2)])
    bodies = {
        name: mb.Free(matter.ground, mb.MassProperties(1.0, [0, 0, 0], mb.Inertia.sphere(mass=1.0, radius=0.1)), name=name)
        for name in ("fast", "high", "bristled", "smooth", "mesh")
    }
    for name in ("fast", "high"):
        mb.HuntCrossleyForce(forces, matter.ground, floor, bodies[name], sphere, material1=soft, name=f"under_{name}")
    lugre = {"normal": "linear", "friction": "lugre", "stribeck_speed": 0.1}
    mb.CompliantContact(forces, matter.ground, floor, bodies["bristled"], sphere, material1=soft, name="under_bristled", **lugre)
    coefficients = {"stiffness": 1e5, "static_friction": 0.8, "dynamic_friction": 0.5}
    mb.SmoothSphereHalfSpaceForce(forces, matter.ground, bodies["smooth"], radius=0.1, name="under_smooth", **coefficients)
    mb.ElasticFoundationForce(forces, matter.ground, floor, bodies["mesh"], mesh, material=soft, name="under_mesh")
    state = system.realize_topology()
    for number, (name, body) in enumerate(bodies.items()):
        height = {"high": 0.5, "mesh": 0.02}.get(name, 0.09)
        body.set_q(state, [1, 0, 0, 0, 0.5 * number, 0, height])
        body.set_u(state, [0, 0, 0, {"fast": 1.0, "bristled": 0.02}.get(name, 0.0), 0, 0])
    return system, state


def results_of(system, state=None, until=0.5, report_every=0.02):
    return mb.Simulation(system, backend="interpreted").run(system.realize_topology() if state is None else state, until, report_every)


def pose(results, body, frame):
    """The 12 numbers of the pose of a body in a frame of the results."""
    return np.concatenate([results[f"{body}.{name}"][frame] for name in ("R_GB", "p_GB")])
