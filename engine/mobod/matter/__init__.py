"""The mechanics: bodies, mobilizers, and the O(n) equations on their tree."""

from mobod.matter.body import Ground, MobilizedBody, RigidBody
from mobod.matter.equations import MobilizerEquations
from mobod.matter.mobilizers import Free, Pin, Screw, Slider, Weld
from mobod.matter.multibody_system import MultibodySystem
from mobod.matter.subsystem import MatterSubsystem

__all__ = [
    "Free",
    "Ground",
    "MatterSubsystem",
    "MobilizedBody",
    "MobilizerEquations",
    "MultibodySystem",
    "Pin",
    "RigidBody",
    "Screw",
    "Slider",
    "Weld",
]
