"""A planar linkage with redundant rows."""

from types import SimpleNamespace

import numpy as np

import mobod as mb


def bar(length):
    return mb.MassProperties(1.3, [length / 2, 0, 0], np.diag([0.01, 0.2, 0.2]) + 1.3 * length**2 / 4 * np.diag([0, 1, 1]))


def linkage():
    """Three cranks on bearings 0.9 m apart carry a beam. One of them has a joint with the beam, the other two have ball constraints.

    In a planar linkage one row of each ball is redundant, and in a parallelogram one more. A rod, disabled at the start, holds
    the last crank's end.
    """
    system = mb.MultibodySystem("linkage")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    cranks = [mb.Pin(matter.ground, bar(0.5), X_PF=mb.Transform(p=[0.9 * i, 0, 0]), name=f"crank{i}") for i in range(3)]
    beam = mb.Pin(cranks[0], bar(1.8), X_PF=mb.Transform(p=[0.5, 0, 0]), name="beam")
    balls = [mb.BallConstraint(beam, [0.9 * i, 0, 0], cranks[i], [0.5, 0, 0], name=f"ball{i}") for i in (1, 2)]
    rod = mb.Rod(matter.ground, [1.2, 0.3, 0], cranks[2], [0.5, 0, 0], 1.0, name="rod", disabled=True)
    cranks[1].set_lockable_by_default(True)
    state = system.realize_topology()
    angle, rate = -2.0, 0.9  # it swings about -pi/2, far from 0 and -pi, where a parallelogram may fold the other way
    for crank in cranks:
        crank.set_q(state, angle)
        crank.set_u(state, rate)
    beam.set_q(state, -angle)
    beam.set_u(state, -rate)
    return SimpleNamespace(system=system, matter=matter, cranks=cranks, beam=beam, balls=balls, rod=rod, state=state)
