"""From bodies and joints in any order to a spanning tree with loops closed, and to the System that it describes."""

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
