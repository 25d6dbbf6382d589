"""A sphere that falls on a plane, bounces, slides, and rolls: a System, and its speeds in closed form."""

import numpy as np

import mobod as mb

GRAVITY, RADIUS, HEIGHT = 9.81, 0.1, 0.02  # m/s^2, m, m: of its fall
START = np.array([1.0, 0.3])  # m/s, along the plane
SPIN = 1.0  # rad/s, about the normal


def sphere(restitution=0.3, static_friction=0.2, dynamic_friction=None):
    system = mb.MultibodySystem("ball")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 0, -1], magnitude=GRAVITY, name="gravity")
    body = mb.Free(matter.ground, mb.MassProperties(0.2, [0, 0, 0], mb.Inertia.sphere(mass=0.2, radius=RADIUS)), name="ball")
    shapes = matter.ground, mb.contact.HalfSpace(), body, mb.contact.Sphere(RADIUS)
    mb.RigidContact(*shapes, static_friction=static_friction, dynamic_friction=dynamic_friction, restitution=restitution, name="contact")
    state = system.realize_topology()
    body.set_q(state, [1, 0, 0, 0, 0, 0, RADIUS + HEIGHT])
    body.set_u(state, [0, 0, SPIN, *START, 0])
    return system, state


def normal_speed(time, restitution):
    """m/s; bounces that take less than 1e-15 s are left out"""
    landing = np.sqrt(2 * HEIGHT / GRAVITY)
    if time < landing:
        return -GRAVITY * time
    speed = restitution * GRAVITY * landing
    while time - landing >= 2 * speed / GRAVITY and speed > 1e-15 * GRAVITY:
        landing += 2 * speed / GRAVITY
        speed *= restitution
    return speed - GRAVITY * (time - landing) if speed > 1e-15 * GRAVITY else 0.0


def exact_speeds(times, restitution, friction):
    """(n, 6) u of `sphere`. Friction takes friction * normal impulse from the slip, until the sphere rolls."""
    along, found = START / np.linalg.norm(START), []
    for time in times:
        normal = normal_speed(time, restitution)
        lost = min(friction * (normal + GRAVITY * time), 2 / 7 * np.linalg.norm(START))
        turned = 2.5 * lost / RADIUS * np.array([-along[1], along[0]])
        found.append([*turned, SPIN, *(START - lost * along), normal])
    return np.array(found)
