"""One file for each kind of force, and the subsystem that holds them."""

from mobod.forces.body_damping import BodyDamping
from mobod.forces.constant_force import ConstantForce
from mobod.forces.constant_torque import ConstantTorque
from mobod.forces.custom_force import CustomForce
from mobod.forces.custom_force_subsystem import CustomForceSubsystem
from mobod.forces.discrete_forces import DiscreteForces
from mobod.forces.force import Force
from mobod.forces.global_damper import GlobalDamper
from mobod.forces.gravity import Gravity
from mobod.forces.linear_bushing import LinearBushing
from mobod.forces.mobility_constant_force import MobilityConstantForce
from mobod.forces.mobility_force import MobilityForce
from mobod.forces.mobility_linear_damper import MobilityLinearDamper
from mobod.forces.mobility_linear_spring import MobilityLinearSpring
from mobod.forces.mobility_linear_stop import MobilityLinearStop
from mobod.forces.parameter import ForceParameter
from mobod.forces.subsystem import ForceSubsystem
from mobod.forces.two_point_constant_force import TwoPointConstantForce
from mobod.forces.two_point_linear_damper import TwoPointLinearDamper
from mobod.forces.two_point_linear_spring import TwoPointLinearSpring
from mobod.forces.uniform_gravity import UniformGravity

__all__ = [
    "BodyDamping",
    "ConstantForce",
    "ConstantTorque",
    "CustomForce",
    "CustomForceSubsystem",
    "DiscreteForces",
    "Force",
    "ForceParameter",
    "ForceSubsystem",
    "GlobalDamper",
    "Gravity",
    "LinearBushing",
    "MobilityConstantForce",
    "MobilityForce",
    "MobilityLinearDamper",
    "MobilityLinearSpring",
    "MobilityLinearStop",
    "TwoPointConstantForce",
    "TwoPointLinearDamper",
    "TwoPointLinearSpring",
    "UniformGravity",
]
