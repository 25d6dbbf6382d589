"""mobod: multibody dynamics in Python that becomes a Functional Mock-up Unit."""

from mobod.cosim import Master, Network
from mobod.errors import MobodError
from mobod.fmu.export import export_fmu
from mobod.forces import Force, ForceSubsystem, GlobalDamper, Gravity, MobilityForce, MobilityLinearDamper, MobilityLinearSpring
from mobod.matter import Free, Ground, MatterSubsystem, MobilizedBody, MultibodySystem, Pin, RigidBody, Slider, Weld
from mobod.simulate import Results, Simulation, Table
from mobod.spatial import Inertia, MassProperties, Transform
from mobod.system import Stage, State, Subsystem, System

__all__ = [
    "Force",
    "ForceSubsystem",
    "Free",
    "GlobalDamper",
    "Gravity",
    "Ground",
    "Inertia",
    "MassProperties",
    "Master",
    "MatterSubsystem",
    "MobilityForce",
    "MobilityLinearDamper",
    "MobilityLinearSpring",
    "MobilizedBody",
    "MobodError",
    "MultibodySystem",
    "Network",
    "Pin",
    "Results",
    "RigidBody",
    "Simulation",
    "Slider",
    "Stage",
    "State",
    "Subsystem",
    "System",
    "Table",
    "Transform",
    "Weld",
    "export_fmu",
]
