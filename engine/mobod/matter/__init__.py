"""The mechanics: bodies, mobilizers, and the O(n) equations on their tree."""

from mobod.matter.bodies import decorations
from mobod.matter.bodies.body import Ground, MobilizedBody
from mobod.matter.bodies.rigid_body import RigidBody
from mobod.matter.constraint import Constraint
from mobod.matter.constraints import (
    BallConstraint,
    ConstantAcceleration,
    ConstantAngle,
    ConstantCoordinate,
    ConstantOrientation,
    ConstantSpeed,
    CoordinateCoupler,
    CustomConstraint,
    NoSlip1D,
    PointInPlane,
    PointOnLine,
    PointOnPlaneContact,
    PrescribedMotion,
    Rod,
    SpeedCoupler,
    SphereOnPlaneContact,
    WeldConstraint,
)
from mobod.matter.equations.constraint_equations import ConstraintEquations
from mobod.matter.equations.mobilizer_equations import MobilizerEquations
from mobod.matter.mobilizers import (
    Ball,
    BendStretch,
    Bushing,
    CustomEquations,
    CustomMobilizer,
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
from mobod.matter.motion import Motion
from mobod.matter.motions import FunctionMotion, SinusoidMotion, SteadyMotion
from mobod.matter.multibody_system import MultibodySystem
from mobod.matter.parameters import Parameter
from mobod.matter.queries.constraint_operators import ConstraintAnalysis
from mobod.matter.subsystem import MatterSubsystem
from mobod.matter.unilateral.unilateral import UnilateralConstraint

__all__ = [
    "Ball",
    "BallConstraint",
    "BendStretch",
    "Bushing",
    "ConstantAcceleration",
    "ConstantAngle",
    "ConstantCoordinate",
    "ConstantOrientation",
    "ConstantSpeed",
    "Constraint",
    "ConstraintAnalysis",
    "ConstraintEquations",
    "CoordinateCoupler",
    "CustomConstraint",
    "CustomEquations",
    "CustomMobilizer",
    "Cylinder",
    "Ellipsoid",
    "Free",
    "FreeLine",
    "FunctionBased",
    "FunctionMotion",
    "Gimbal",
    "Ground",
    "LineOrientation",
    "MatterSubsystem",
    "MobilizedBody",
    "MobilizerEquations",
    "Motion",
    "MultibodySystem",
    "NoSlip1D",
    "Parameter",
    "Pin",
    "Planar",
    "PointInPlane",
    "PointOnLine",
    "PointOnPlaneContact",
    "PrescribedMotion",
    "RigidBody",
    "Rod",
    "Screw",
    "SinusoidMotion",
    "Slider",
    "SpeedCoupler",
    "SphereOnPlaneContact",
    "SphericalCoords",
    "SteadyMotion",
    "Translation",
    "UnilateralConstraint",
    "Universal",
    "Weld",
    "WeldConstraint",
    "decorations",
]
