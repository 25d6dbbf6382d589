"""One file for each kind of force, and the subsystem that holds them."""

from mobod.forces.force import Force, ForceParameter
from mobod.forces.global_damper import GlobalDamper
from mobod.forces.gravity import Gravity
from mobod.forces.mobility_force import MobilityForce
from mobod.forces.mobility_linear_damper import MobilityLinearDamper
from mobod.forces.mobility_linear_spring import MobilityLinearSpring
from mobod.forces.subsystem import ForceSubsystem

__all__ = [
    "Force",
    "ForceParameter",
    "ForceSubsystem",
    "GlobalDamper",
    "Gravity",
    "MobilityForce",
    "MobilityLinearDamper",
    "MobilityLinearSpring",
]
