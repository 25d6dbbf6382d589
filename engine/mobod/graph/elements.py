"""What a multibody graph is made of: joint types, bodies and joints go in; mobilizers and loop constraints come out.

They are made by MultibodyGraphMaker, and are for reading. An element is equal to itself alone.
"""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, eq=False)
class JointType:
    """have_good_loop_joint_available: a constraint does as well as the mobilizer where a joint closes a loop."""

    name: str
    n_mobilities: int
    have_good_loop_joint_available: bool = False
    user_ref: Any = None


@dataclass(eq=False)
class GraphBody:
    """A body that was added, or a slave: a fragment of one that was split to close a loop.

    mass             kg, infinite for Ground; a slave's is that of the whole body, of which each fragment has 1 / n_fragments
    master           the body that a slave is a fragment of
    mobilizer        the one it is outboard of; None for Ground, and for all before there is a graph
    """

    name: str
    mass: float
    must_be_base_body: bool = False
    user_ref: Any = None
    master: "GraphBody | None" = None
    joints_as_parent: "list[GraphJoint]" = field(default_factory=list, repr=False)
    joints_as_child: "list[GraphJoint]" = field(default_factory=list, repr=False)
    mobilizer: "Mobilizer | None" = field(default=None, repr=False)
    slaves: "list[GraphBody]" = field(default_factory=list, repr=False)

    @property
    def is_slave(self) -> bool:
        return self.master is not None

    @property
    def n_fragments(self) -> int:
        """Mobilized bodies that this body and its other fragments are together: 1 if it is whole."""
        return 1 + len((self.master or self).slaves)

    @property
    def level(self) -> int:
        """Mobilizers between it and Ground; 0 for Ground, and for all before there is a graph."""
        return self.mobilizer.level if self.mobilizer else 0

    @property
    def joints(self) -> "list[GraphJoint]":
        """Those as parent first."""
        return self.joints_as_parent + self.joints_as_child


@dataclass(eq=False)
class GraphJoint:
    """A joint that was added, by the user or as a base joint by the maker.

    Of mobilizer and loop_constraint one is None; before there is a graph both are.
    """

    name: str
    type: JointType
    parent_body: GraphBody
    child_body: GraphBody
    must_be_loop_joint: bool = False
    user_ref: Any = None
    is_added_base_joint: bool = False
    mobilizer: "Mobilizer | None" = field(default=None, repr=False)
    loop_constraint: "LoopConstraint | None" = field(default=None, repr=False)

    @property
    def is_movable(self) -> bool:
        return self.type.n_mobilities > 0

    def other_body(self, body: GraphBody) -> GraphBody:
        return self.child_body if body is self.parent_body else self.parent_body


@dataclass(frozen=True, eq=False)
class Mobilizer:
    """A joint of the spanning tree.

    level        that of the outboard body
    is_reversed  the joint's child is the inboard body, or its parent the outboard one
    """

    joint: GraphJoint
    inboard_body: GraphBody
    outboard_body: GraphBody
    level: int
    is_reversed: bool = False

    @property
    def joint_type(self) -> JointType:
        return self.joint.type

    @property
    def outboard_master_body(self) -> GraphBody:
        """The body as the user added it, also where the outboard body is a slave of it."""
        return self.outboard_body.master or self.outboard_body

    @property
    def is_slave_mobilizer(self) -> bool:
        return self.outboard_body.is_slave

    @property
    def is_added_base_mobilizer(self) -> bool:
        return self.joint.is_added_base_joint

    @property
    def n_fragments(self) -> int:
        """Those of the outboard body."""
        return self.outboard_body.n_fragments


@dataclass(frozen=True, eq=False)
class LoopConstraint:
    """A joint that closes a loop as a constraint, with no mobilizer."""

    joint: GraphJoint

    @property
    def joint_type(self) -> JointType:
        return self.joint.type

    @property
    def parent_body(self) -> GraphBody:
        return self.joint.parent_body

    @property
    def child_body(self) -> GraphBody:
        return self.joint.child_body
