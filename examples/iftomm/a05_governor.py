"""A05, stiff flyball governor: rods with balls, joined to a slider by stiff springs and dampers instead of couplers."""

from math import pi

import numpy as np

import mobod as mb

from .a05_by_lagrange import BALL, DAMPING, HINGE, LENGTH, ROD, SLIDER, START, STIFFNESS, WIDTH, G, by_lagrange

UNTIL = 10.0  # s
ACCEPTED = None  # no published bound was found
MEASURE = "largest error of s, m"


def build() -> tuple[mb.MultibodySystem, mb.State]:
    """A free shaft along z with 2 pi rad/s. 'slider.q' is the published height s."""
    system = mb.MultibodySystem("governor")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, 0, -1], magnitude=G)
    upright = mb.Inertia.box(mass=ROD, size=[WIDTH, WIDTH, 1]).shifted([0, 0, 0.5])
    shaft = mb.Pin(matter.ground, mb.MassProperties(ROD, [0, 0, 0.5], upright), name="shaft")
    up = mb.Transform(np.roll(np.eye(3), -1, axis=0))  # x of this frame is along the shaft: a Slider moves along x
    cube = mb.MassProperties(SLIDER, [0, 0, 0], mb.Inertia.box(mass=SLIDER, size=[0.1, 0.1, 0.1]))
    slider = mb.Slider(shaft, cube, up, up, name="slider")
    slider.set_default_q(0.5)
    mass = ROD + BALL
    inertia = mb.Inertia.box(mass=ROD, size=[1, WIDTH, WIDTH]).shifted([0.5, 0, 0]).matrix + BALL * np.diag([0, 1, 1])
    for side in (1, -1):
        hinge = mb.Transform([[side, 0, 0], [0, 0, -side], [0, 1, 0]], [side * HINGE, 0, 1])  # x outwards, y up
        rod = mb.Pin(shaft, mb.MassProperties(mass, [(ROD / 2 + BALL) / mass, 0, 0], inertia), hinge, name=f"rod{side:+d}")
        rod.set_default_q(-START)
        ends = (slider, [side * HINGE, 0, 0], rod, [0.5, 0, 0])
        mb.TwoPointLinearSpring(forces, *ends, stiffness=STIFFNESS, rest_length=LENGTH)
        mb.TwoPointLinearDamper(forces, *ends, damping=DAMPING)
    state = system.realize_topology()
    shaft.set_u(state, 2 * pi)
    return system, state


def error(results: mb.Results) -> float:
    return float(np.abs(results["slider.q"] - by_lagrange(results.time)).max())
