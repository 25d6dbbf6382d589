"""Mechanics: bodies, mobilizers, constraints, and the O(n) equations on the tree of bodies."""

from mobod.matter.bodies import decorations
from mobod.matter.bodies.body import Ground, MobilizedBody
from mobod.matter.bodies.flexible_beam import FlexibleBeam
from mobod.matter.bodies.flexible_body import FlexibleBody
from mobod.matter.bodies.rigid_body import RigidBody
from mobod.matter.constraint import Constraint
from mobod.matter.dynamics.tree import Tree as Tree
from mobod.matter.equations.constraint_equations import ConstraintEquations
from mobod.matter.equations.mobilizer_equations import MobilizerEquations
from mobod.matter.equations.motion_equations import MotionEquations
from mobod.matter.event_actions import EventActions
from mobod.matter.motion import Motion
from mobod.matter.multibody_system import MultibodySystem
from mobod.matter.queries.constraint_operators import ConstraintAnalysis
from mobod.matter.subsystem import MatterSubsystem
from mobod.matter.unilateral.unilateral import UnilateralConstraint

__all__ = [
    "Constraint",
    "ConstraintAnalysis",
    "ConstraintEquations",
    "EventActions",
    "FlexibleBeam",
    "FlexibleBody",
    "Ground",
    "MatterSubsystem",
    "MobilizedBody",
    "MobilizerEquations",
    "Motion",
    "MotionEquations",
    "MultibodySystem",
    "RigidBody",
    "UnilateralConstraint",
    "decorations",
]
