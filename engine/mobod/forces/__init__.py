"""One file for each kind of force, and the subsystem that holds them."""

from mobod.forces.body_damping import BodyDamping as BodyDamping
from mobod.forces.constant_force import ConstantForce as ConstantForce
from mobod.forces.constant_torque import ConstantTorque as ConstantTorque
from mobod.forces.custom_force import CustomForce as CustomForce
from mobod.forces.custom_force_subsystem import CustomForceSubsystem as CustomForceSubsystem
from mobod.forces.discrete_forces import DiscreteForces as DiscreteForces
from mobod.forces.force import Force as Force
from mobod.forces.global_damper import GlobalDamper as GlobalDamper
from mobod.forces.gravity import Gravity as Gravity
from mobod.forces.joint_friction import JointFriction as JointFriction
from mobod.forces.linear_bushing import LinearBushing as LinearBushing
from mobod.forces.lugre_friction import LuGreFriction as LuGreFriction
from mobod.forces.mobility_constant_force import MobilityConstantForce as MobilityConstantForce
from mobod.forces.mobility_force import MobilityForce as MobilityForce
from mobod.forces.mobility_linear_damper import MobilityLinearDamper as MobilityLinearDamper
from mobod.forces.mobility_linear_spring import MobilityLinearSpring as MobilityLinearSpring
from mobod.forces.mobility_linear_stop import MobilityLinearStop as MobilityLinearStop
from mobod.forces.mobility_table_spring import MobilityTableSpring as MobilityTableSpring
from mobod.forces.parameter import ForceParameter as ForceParameter
from mobod.forces.port import Port as Port
from mobod.forces.subsystem import ForceSubsystem as ForceSubsystem
from mobod.forces.two_point_constant_force import TwoPointConstantForce as TwoPointConstantForce
from mobod.forces.two_point_linear_damper import TwoPointLinearDamper as TwoPointLinearDamper
from mobod.forces.two_point_linear_spring import TwoPointLinearSpring as TwoPointLinearSpring
from mobod.forces.uniform_gravity import UniformGravity as UniformGravity
