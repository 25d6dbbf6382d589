"""A04, Bricard's mechanism: five rods and six pins in a loop. It moves although its number of equations equals its number of speeds."""

import numpy as np

import mobod as mb

UNTIL = 10.0  # s
ACCEPTED = None  # no published bound was found
MEASURE = "largest change of the energy, J"
X, Y, Z = np.eye(3)
AXES = (Y, Z, X, Y, Z)  # of the first pin of each rod; the axis of the last pin is x
RODS = (X, -Y, Z, -X, Y)  # vectors from pin to pin


def along(axis: np.ndarray, p: np.ndarray) -> mb.Transform:
    """A frame at p with z along the axis, for a pin."""
    return mb.Transform(np.column_stack([np.roll(axis, 1), np.roll(axis, 2), axis]), p)


def build() -> tuple[mb.MultibodySystem, mb.State]:
    """Rods of 1 kg and 1 m x 0.1 m x 0.1 m, at rest. The published point P3 is the origin of 'rod3'. Gravity is along -y.

    At the start, all frames are parallel to Ground's frame.
    """
    system = mb.MultibodySystem("bricard")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.81)
    parent, end = matter.ground, np.zeros(3)
    for i, (axis, rod) in enumerate(zip(AXES, RODS, strict=True)):
        mass = mb.MassProperties(1.0, rod / 2, mb.Inertia.box(mass=1.0, size=0.1 + 0.9 * np.abs(rod)).shifted(rod / 2))
        parent, end = mb.Pin(parent, mass, along(axis, end), along(axis, np.zeros(3)), name=f"rod{i + 1}"), rod
    mb.BallConstraint(matter.ground, Z, parent, end, name="last pin")
    mb.ConstantAngle(matter.ground, X, parent, Y, name="axis across y")
    mb.ConstantAngle(matter.ground, X, parent, Z, name="axis across z")
    return system, system.realize_topology()


def error(results: mb.Results) -> float:
    return float(np.abs(results["energy"] - results["energy"][0]).max())
