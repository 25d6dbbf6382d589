"""Boxes, hulls and round shapes that fall on each other, for programs that try the memory of contacts with slots."""

import numpy as np

import mobod as mb
from mobod.contact import Box, Capsule, Cone, ConvexMesh, Cylinder, Ellipsoid

CORNERS = 0.09 * np.array([[1, 0, 0], [-1, 0, 0.2], [0, 1.2, 0], [0, -1, 0], [0.1, 0, 1], [0, 0.2, -1]])

ROUND = Box([0.08, 0.1, 0.12]), Capsule(0.05, 0.1), ConvexMesh(CORNERS), Cylinder(0.07, 0.09)
POINTED = Box([0.08, 0.1, 0.12]), ConvexMesh(CORNERS), Cone(0.08, 0.1), Ellipsoid([0.06, 0.09, 0.12])
LAWS = ({}, {"restitution": 0.2}, {}, {"torsional_friction": 0.01, "rolling_friction": 0.005})


def add_pile(matter, shapes=ROUND):
    """Adds bodies that fall along -y on a box of Ground, each on the one before, with friction, its moments and restitution."""
    mass = mb.MassProperties(1.3, [0.01, 0, 0.02], mb.Inertia.sphere(mass=1.3, radius=0.1).shifted([0.01, 0, 0.02]))
    below = matter.ground, Box([0.6, 0.1, 0.7])
    for number, shape in enumerate(shapes):
        body = mb.Free(matter.ground, mass, name=f"piece{number}")
        body.set_default_q([0.9, 0.3, -0.2, 0.1 * number, 0.02 * number, 0.32 + 0.3 * number, 0.01])
        laws = LAWS[number % len(LAWS)]
        mb.RigidContact(*below, body, shape, static_friction=0.6, dynamic_friction=0.4, name=f"pile{number}", **laws)
        below = body, shape


def pile():
    """A System with a pile alone, and its State."""
    system = mb.MultibodySystem("pile")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    add_pile(matter, POINTED)
    return system, system.realize_topology()
