"""ArtiSynth's time stepper, to the letter: every body has six velocities, joints are constraints between bodies."""

from mobod.maximal.body import MaximalBody
from mobod.maximal.coordinate_coupling import MaximalCoordinateCoupling
from mobod.maximal.joint import MaximalJoint
from mobod.maximal.simulation import MaximalCoordinateSimulation

__all__ = ["MaximalBody", "MaximalCoordinateCoupling", "MaximalCoordinateSimulation", "MaximalJoint"]


def __dir__() -> list[str]:
    return sorted(__all__)
