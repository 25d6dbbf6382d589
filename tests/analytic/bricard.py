"""Bricard's mechanism, benchmark A04 of IFToMM: five rods and the ground along six edges of a cube, and six revolutes.

Source: http://lim.ii.udc.es/mbsbenchmark/dist/A04/A04_specification.xml; here gravity is oblique, so that it moves far.
"""

from types import SimpleNamespace

import numpy as np

import mobod as mb

JOINTS = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], dtype=float)  # m
AXES = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]], dtype=float)
SQUARE = 0.1  # m, the cross section


def rod(along):
    across = (1 + SQUARE**2) / 12
    inertia = np.diag(across + (SQUARE**2 / 6 - across) * np.abs(along))
    return mb.MassProperties(1.0, along / 2, mb.Inertia(inertia).shifted(along / 2, mass=1.0))


def along_z(axis):
    x = np.roll(axis, 1)
    return np.column_stack([x, np.cross(axis, x), axis])


def bricard():
    """Bricard's mechanism: one degree of freedom, six revolutes. Five revolutes are joints; a ball and two constant angles are the sixth.
    One row is redundant.
    """
    system = mb.MultibodySystem("bricard")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[1, 0.3, 0.5], magnitude=9.81, name="gravity")
    body, end = matter.ground, JOINTS[0]
    for i in range(5):
        edge, turned = JOINTS[i + 1] - JOINTS[i], along_z(AXES[i])
        body = mb.Pin(body, rod(edge), X_PF=mb.Transform(turned, end), X_BM=mb.Transform(turned), name=f"rod{i}")
        end = edge
    mb.BallConstraint(matter.ground, JOINTS[5], body, end, name="point")
    for shift in (1, 2):
        mb.ConstantAngle(matter.ground, np.roll(AXES[5], shift), body, AXES[5], np.pi / 2, name=f"angle{shift}")
    return SimpleNamespace(system=system, matter=matter, state=system.realize_topology())
