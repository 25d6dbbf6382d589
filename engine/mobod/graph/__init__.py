"""Spanning trees of bodies and joints given in any order, and Systems built from them."""

from mobod.graph.builder import MultibodyBuilder
from mobod.graph.descriptions import BodyDescription, CoordinateLimits, JointDescription
from mobod.graph.elements import GraphBody, GraphJoint, JointType, LoopConstraint, Mobilizer
from mobod.graph.maker import MultibodyGraphMaker

__all__ = [
    "BodyDescription",
    "CoordinateLimits",
    "GraphBody",
    "GraphJoint",
    "JointDescription",
    "JointType",
    "LoopConstraint",
    "Mobilizer",
    "MultibodyBuilder",
    "MultibodyGraphMaker",
]
