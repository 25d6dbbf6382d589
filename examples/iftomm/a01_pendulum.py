"""A01, simple pendulum: a point mass on a massless rod, released from the horizontal."""

from math import pi

import numpy as np

import mobod as mb

UNTIL = 10.0  # s
ACCEPTED = 5e-5  # J
MEASURE = "largest change of the energy, J"


def build() -> tuple[mb.MultibodySystem, mb.State]:
    """1 kg at 1 m from a pin about z, at x = -1 m and at rest. The frame of the body is at the mass, the published point P1. Gravity is
    along -y.
    """
    system = mb.MultibodySystem("pendulum")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.81)
    mass = mb.Pin(matter.ground, mb.MassProperties.point(1.0, [0, 0, 0]), X_BM=mb.Transform(p=[-1, 0, 0]), name="P1")
    mass.set_default_q(pi)
    return system, system.realize_topology()


def error(results: mb.Results) -> float:
    return float(np.abs(results["energy"] - results["energy"][0]).max())
