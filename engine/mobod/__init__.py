"""mobod: multibody dynamics in Python that becomes a Functional Mock-up Unit."""

from mobod.errors import MobodError
from mobod.forces import Force, ForceSubsystem, GlobalDamper, Gravity, MobilityForce, MobilityLinearDamper, MobilityLinearSpring
from mobod.matter import Free, Ground, MatterSubsystem, MobilizedBody, MultibodySystem, Pin, RigidBody, Slider, Weld
from mobod.spatial import Inertia, MassProperties, Transform
from mobod.system import Stage, State, Subsystem, System
