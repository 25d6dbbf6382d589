"""Elements of a multibody graph. Input: joint types, bodies and joints. Output: mobilizers and loop constraints.

MultibodyGraphMaker makes them; they are read-only for users. Elements are compared by identity.
"""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, eq=False)
class JointType:
    """A type of joint. have_good_loop_joint_available: a constraint can replace the mobilizer if a joint closes a loop."""

    name: str
    n_mobilities: int
    have_good_loop_joint_available: bool = False
    user_ref: Any = None


@dataclass(eq=False)
class GraphBody:
    """A body that was added, or a slave: a fragment of a body that was split to close a loop.

    mass             kg, infinite for Ground; a slave has that of the whole body, of which each fragment gets 1 / n_fragments
    master           the body of which a slave is a fragment
    mobilizer        the mobilizer of which it is the outboard body; None for Ground, and for all before the graph is generated
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
        """The number of fragments of this body, including itself: 1 if it was not split."""
        return 1 + len((self.master or self).slaves)

    @property
    def level(self) -> int:
        """The number of mobilizers between it and Ground; 0 for Ground, and for all before the graph is generated."""
        return self.mobilizer.level if self.mobilizer else 0

    @property
    def joints(self) -> "list[GraphJoint]":
        """All joints of the body, first those in which it is the parent."""
        return self.joints_as_parent + self.joints_as_child


@dataclass(eq=False)
class GraphJoint:
    """A joint that the user added, or a base joint that the maker added.

    idle_ends  those of its bodies that have no inertia along its motions

    Either mobilizer or loop_constraint is None; before the graph is generated both are.
    """

    name: str
    type: JointType
    parent_body: GraphBody
    child_body: GraphBody
    must_be_loop_joint: bool = False
    user_ref: Any = None
    is_added_base_joint: bool = False
    idle_ends: "frozenset[GraphBody]" = frozenset()
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
    is_reversed  whether the joint's child is the inboard body and its parent the outboard body
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
        """The outboard body; if it is a slave, its master, which the user added."""
        return self.outboard_body.master or self.outboard_body

    @property
    def is_slave_mobilizer(self) -> bool:
        return self.outboard_body.is_slave

    @property
    def is_added_base_mobilizer(self) -> bool:
        return self.joint.is_added_base_joint

    @property
    def n_fragments(self) -> int:
        """The number of fragments of the outboard body."""
        return self.outboard_body.n_fragments


@dataclass(frozen=True, eq=False)
class LoopConstraint:
    """A joint that closes a loop as a constraint and has no mobilizer."""

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
