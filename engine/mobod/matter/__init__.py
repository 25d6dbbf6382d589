"""The mechanics: bodies, mobilizers, and the O(n) equations on their tree."""

from mobod.matter import decorations
from mobod.matter.body import Ground, MobilizedBody, RigidBody
from mobod.matter.equations import MobilizerEquations
from mobod.matter.mobilizers import (
    Ball,
    BendStretch,
    Bushing,
    Cylinder,
    Ellipsoid,
    Free,
    FreeLine,
    FunctionBased,
    Gimbal,
    LineOrientation,
    Pin,
    Planar,
    Screw,
    Slider,
    SphericalCoords,
    Translation,
    Universal,
    Weld,
)
from mobod.matter.multibody_system import MultibodySystem
from mobod.matter.subsystem import MatterSubsystem

__all__ = [
    "Ball",
    "BendStretch",
    "Bushing",
    "Cylinder",
    "Ellipsoid",
    "Free",
    "FreeLine",
    "FunctionBased",
    "Gimbal",
    "Ground",
    "LineOrientation",
    "MatterSubsystem",
    "MobilizedBody",
    "MobilizerEquations",
    "MultibodySystem",
    "Pin",
    "Planar",
    "RigidBody",
    "Screw",
    "Slider",
    "SphericalCoords",
    "Translation",
    "Universal",
    "Weld",
    "decorations",
]
