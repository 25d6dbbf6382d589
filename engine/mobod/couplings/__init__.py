"""Joints given by their constraint wrenches, with coordinates and limits."""

from mobod.couplings.coupling import Coupling
from mobod.couplings.coupling_joint import CouplingJoint
from mobod.couplings.coupling_loop import CouplingLoop
from mobod.couplings.coupling_mobilizer import CouplingMobilizer
from mobod.couplings.records import BILATERAL, LINEAR, ROTARY, ConstraintFlag, CouplingConstraint, CouplingCoordinate

__all__ = [
    "BILATERAL",
    "LINEAR",
    "ROTARY",
    "ConstraintFlag",
    "Coupling",
    "CouplingConstraint",
    "CouplingCoordinate",
    "CouplingJoint",
    "CouplingLoop",
    "CouplingMobilizer",
]
