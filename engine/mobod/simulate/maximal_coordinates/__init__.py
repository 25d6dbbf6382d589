"""ArtiSynth's time stepper, reproduced exactly: every body has six velocities, and joints are constraints between bodies."""

from mobod.simulate.maximal_coordinates.body import MaximalBody
from mobod.simulate.maximal_coordinates.coordinate_coupling import MaximalCoordinateCoupling
from mobod.simulate.maximal_coordinates.joint import MaximalJoint
from mobod.simulate.maximal_coordinates.simulation import MaximalCoordinateSimulation

__all__ = ["MaximalBody", "MaximalCoordinateCoupling", "MaximalCoordinateSimulation", "MaximalJoint"]
