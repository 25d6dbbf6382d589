"""From bodies and joints in any order to a spanning tree with loops closed: pure topology, no mechanics."""

from mobod.graph.elements import Body, Joint, JointType, LoopConstraint, Mobilizer
from mobod.graph.maker import MultibodyGraphMaker

__all__ = ["Body", "Joint", "JointType", "LoopConstraint", "Mobilizer", "MultibodyGraphMaker"]
