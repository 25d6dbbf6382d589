"""Spanning trees of bodies and joints given in any order, and Systems built from them."""

from mobod.graph.builder import MultibodyBuilder
from mobod.graph.descriptions import BodyDescription, CoordinateLimits, JointDescription
from mobod.graph.elements import Body, Joint, JointType, LoopConstraint, Mobilizer
from mobod.graph.maker import MultibodyGraphMaker

__all__ = [
    "Body",
    "BodyDescription",
    "CoordinateLimits",
    "Joint",
    "JointDescription",
    "JointType",
    "LoopConstraint",
    "Mobilizer",
    "MultibodyBuilder",
    "MultibodyGraphMaker",
]
