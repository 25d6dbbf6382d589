"""From bodies and joints in any order to a spanning tree with loops closed, and to the System that it describes."""

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
