"""MultibodyGraphMaker: makes a spanning tree and loop constraints from bodies and joints in any order."""

import sys
from collections.abc import Collection, Sequence
from math import inf
from typing import TYPE_CHECKING, TextIO

from mobod.errors import DuplicateNameError, GraphError, InputError
from mobod.graph.elements import GraphBody, GraphJoint, JointType, LoopConstraint, Mobilizer
from mobod.graph.picture import draw_graph
from mobod.graph.register import Register, numbered
from mobod.graph.spanning_tree import SpanningTree
from mobod.graph.text import graph_as_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOBILITIES_OF_A_FREE_BODY = 6


class MultibodyGraphMaker:
    """Makes a spanning tree of bodies and joints, and closes its loops.

    The first body is Ground. `generate_graph` gives each other body a mobilizer, outward from Ground. Each joint either becomes a mobilizer
    (reversed if the tree passes from its child to its parent) or closes a loop. A loop is closed by a constraint if the joint type has a
    good one. Otherwise the joint's child body is split: the joint mobilizes a slave fragment, which the model builder welds to the master
    fragment, and the fragments share the mass. Bodies that no joint connects to Ground get a free joint to Ground.

    A massless body on a movable joint never becomes a terminal body. If the child is massless, the parent is split instead. The same
    holds for a body without inertia along the motions of a joint, where the other one has inertia; the tree reaches it by another joint if
    there is one.

    Elements are found by number, in the order of addition, or by name. Generated bodies and joints, such as '#BODY_slave_1' and
    '#GROUND_BODY', have numbers after the added ones and cannot be found by name. Mobilizers are listed in an order in which a model
    can be built; Ground has none. The same input always gives the same graph.

    Source: the documentation of SimTK::MultibodyGraphMaker, Simbody 3.7.
    """

    def __init__(self) -> None:
        self._weld_joint_type_name = "weld"
        self._free_joint_type_name = "free"
        self._clear()

    def _clear(self) -> None:
        self._joint_types: Register[JointType] = Register("joint type")
        self._bodies: Register[GraphBody] = Register("body")
        self._joints: Register[GraphJoint] = Register("joint")
        self._tree: SpanningTree | None = None
        self._joint_types.add(JointType(self._weld_joint_type_name, 0, have_good_loop_joint_available=True))
        self._joint_types.add(JointType(self._free_joint_type_name, MOBILITIES_OF_A_FREE_BODY, have_good_loop_joint_available=True))

    # input
    def add_joint_type(self, name: str, n_mobilities: int, have_good_loop_joint_available: bool = False, user_ref: object = None) -> int:
        """Add a joint type and return its number. If it has a good loop joint, a loop is closed by a constraint and no body is split."""
        self._check_is_not_generated(f"joint type '{name}' cannot be added")
        if isinstance(n_mobilities, bool) or n_mobilities not in range(MOBILITIES_OF_A_FREE_BODY + 1):
            raise InputError(f"joint type '{name}' must have 0 to {MOBILITIES_OF_A_FREE_BODY} mobilities, not {n_mobilities!r}.")
        return self._joint_types.add(JointType(name, n_mobilities, have_good_loop_joint_available, user_ref))

    def add_body(self, name: str, mass: float = 1.0, must_be_base_body: bool = False, user_ref: object = None) -> None:
        """Add a body. The first one is Ground; its mass is ignored.

        mass               kg; it matters only whether it is 0 and which of two bodies is heavier
        must_be_base_body  whether the body is mobilized from Ground, by its own joint to Ground or by a free joint
        """
        self._check_is_not_generated(f"body '{name}' cannot be added")
        is_ground = len(self._bodies) == 0
        _check_mass(name, mass, may_be_infinite=is_ground)
        self._bodies.add(GraphBody(name, inf, user_ref=user_ref) if is_ground else GraphBody(name, mass, must_be_base_body, user_ref))

    def add_joint(
        self,
        name: str,
        type: str,  # noqa: A002 - the name of the field
        parent_body: str,
        child_body: str,
        must_be_loop_joint: bool = False,
        user_ref: object = None,
        idle_ends: Collection[str] = (),
    ) -> None:
        """Add a joint between two bodies that were added before. The parent becomes the inboard body if possible.

        must_be_loop_joint  whether the joint is left out of the tree and closes a loop when the tree is complete
        idle_ends           names of those of the two bodies that have mass, but no inertia along the joint's motions
        """
        self._check_is_not_generated(f"joint '{name}' cannot be added")
        joint_type = self._joint_types.find(type, f" (for joint '{name}')")
        parent = self._bodies.find(parent_body, f" (for the parent of joint '{name}')")
        child = self._bodies.find(child_body, f" (for the child of joint '{name}')")
        if parent is child:
            raise InputError(f"joint '{name}' connects body '{parent_body}' with itself. Name two different bodies.")
        if not set(idle_ends) <= {parent_body, child_body}:
            raise InputError(f"joint '{name}': idle_ends are {sorted(idle_ends)}. They can only be '{parent_body}' and '{child_body}'.")
        idle = frozenset(body for body in (parent, child) if body.name in idle_ends)
        joint = GraphJoint(name, joint_type, parent, child, must_be_loop_joint, user_ref, idle_ends=idle)
        self._joints.add(joint)
        parent.joints_as_parent.append(joint)
        child.joints_as_child.append(joint)

    def delete_body(self, name: str) -> bool:
        """Delete a body and all its joints. Returns whether the body existed. The numbers of later bodies decrease by one."""
        self._check_is_not_generated(f"body '{name}' cannot be deleted")
        if name not in self._bodies:
            return False
        if name == self.ground_body_name:
            raise InputError(f"body '{name}' is Ground and cannot be deleted. Make a new MultibodyGraphMaker instead.")
        for joint in self._bodies.find(name).joints:
            self.delete_joint(joint.name)
        self._bodies.remove(name)
        return True

    def delete_joint(self, name: str) -> bool:
        """Delete a joint. Returns whether the joint existed. The numbers of later joints decrease by one."""
        self._check_is_not_generated(f"joint '{name}' cannot be deleted")
        if name not in self._joints:
            return False
        joint = self._joints.find(name)
        joint.parent_body.joints_as_parent.remove(joint)
        joint.child_body.joints_as_child.remove(joint)
        self._joints.remove(name)
        return True

    def set_weld_joint_type_name(self, name: str) -> None:
        """Set the name of the weld joint type. This deletes everything that was added."""
        _check_differ(weld=name, free=self._free_joint_type_name)
        self._weld_joint_type_name = name
        self._clear()

    def set_free_joint_type_name(self, name: str) -> None:
        """Set the name of the free joint type. This deletes everything that was added."""
        _check_differ(weld=self._weld_joint_type_name, free=name)
        self._free_joint_type_name = name
        self._clear()

    # the graph
    def generate_graph(self) -> None:
        """Generate the graph, again if it was generated before. Raises InputError for a massless terminal body; there is no graph then."""
        self.clear_graph()
        if len(self._bodies) == 0:
            raise GraphError("there are no bodies. Add bodies, the first of which is Ground.")
        try:
            self._tree = SpanningTree(self.bodies, self.joints, self.joint_type(self._free_joint_type_name))
        finally:
            if self._tree is None:
                self.clear_graph()

    def clear_graph(self) -> None:
        """Delete the generated graph. The added bodies and joints remain and can be changed."""
        self._tree = None
        for body in self._bodies.elements:
            body.joints_as_parent = [joint for joint in body.joints_as_parent if not joint.is_added_base_joint]
            body.joints_as_child = [joint for joint in body.joints_as_child if not joint.is_added_base_joint]
            body.mobilizer = None
            body.slaves = []
        for joint in self._joints.elements:
            joint.mobilizer = joint.loop_constraint = None

    @property
    def is_generated(self) -> bool:
        """Whether the graph has been generated from the present input."""
        return self._tree is not None

    @property
    def n_mobilizers(self) -> int:
        """The number of mobilizers in the tree. Raises GraphError before the graph is generated."""
        return len(self._generated_tree.mobilizers)

    @property
    def mobilizers(self) -> list[Mobilizer]:
        """The mobilizers of the tree, parents before children. Raises GraphError before the graph is generated."""
        return list(self._generated_tree.mobilizers)

    def mobilizer(self, number: int) -> Mobilizer:
        """The mobilizer with this number. Raises GraphError before the graph is generated."""
        return numbered(self._generated_tree.mobilizers, number, "mobilizer")

    @property
    def n_loop_constraints(self) -> int:
        """The number of loop constraints. Raises GraphError before the graph is generated."""
        return len(self._generated_tree.loop_constraints)

    @property
    def loop_constraints(self) -> list[LoopConstraint]:
        """The loop constraints. Raises GraphError before the graph is generated."""
        return list(self._generated_tree.loop_constraints)

    def loop_constraint(self, number: int) -> LoopConstraint:
        """The loop constraint with this number. Raises GraphError before the graph is generated."""
        return numbered(self._generated_tree.loop_constraints, number, "loop constraint")

    @property
    def _generated_tree(self) -> SpanningTree:
        if self._tree is None:
            raise GraphError("there is no graph. Call generate_graph() first.")
        return self._tree

    # contents
    @property
    def n_bodies(self) -> int:
        """The number of bodies, including Ground and, once the graph is generated, slaves."""
        return len(self._all_bodies)

    @property
    def bodies(self) -> list[GraphBody]:
        """All bodies: Ground, the added bodies and, once the graph is generated, slaves."""
        return list(self._all_bodies)

    def body(self, which: int | str) -> GraphBody:
        """The body with this number or name."""
        return numbered(self._all_bodies, self.body_number(which) if isinstance(which, str) else which, "body")

    def body_number(self, name: str) -> int:
        """The number of the body with this name. Raises UnknownNameError."""
        return self._bodies.number(name)

    @property
    def n_joints(self) -> int:
        """The number of joints, including, once the graph is generated, the joints added to connect bodies to Ground."""
        return len(self._all_joints)

    @property
    def joints(self) -> list[GraphJoint]:
        """All joints: the added ones and, once the graph is generated, the joints added to connect bodies to Ground."""
        return list(self._all_joints)

    def joint(self, which: int | str) -> GraphJoint:
        """The body with this number or name."""
        return numbered(self._all_joints, self.joint_number(which) if isinstance(which, str) else which, "joint")

    def joint_number(self, name: str) -> int:
        """The number of the joint with this name. Raises UnknownNameError."""
        return self._joints.number(name)

    @property
    def n_joint_types(self) -> int:
        """The number of joint types."""
        return len(self._joint_types)

    @property
    def joint_types(self) -> list[JointType]:
        """All joint types: weld, free, and the added ones."""
        return list(self._joint_types.elements)

    def joint_type(self, which: int | str) -> JointType:
        """The joint type with this number or name."""
        return numbered(self._joint_types.elements, self.joint_type_number(which) if isinstance(which, str) else which, "joint type")

    def joint_type_number(self, name: str) -> int:
        """The number of the joint type with this name. Raises UnknownNameError."""
        return self._joint_types.number(name)

    @property
    def weld_joint_type_name(self) -> str:
        """The name of the weld joint type, which has no mobilities."""
        return self._weld_joint_type_name

    @property
    def free_joint_type_name(self) -> str:
        """The name of the free joint type, which has six mobilities."""
        return self._free_joint_type_name

    @property
    def ground_body_name(self) -> str:
        """The name of the ground body."""
        if len(self._bodies) == 0:
            raise GraphError("there is no Ground yet. Add it as the first body.")
        return self._bodies.elements[0].name

    @property
    def _all_bodies(self) -> Sequence[GraphBody]:
        return self._tree.bodies if self._tree else self._bodies.elements

    @property
    def _all_joints(self) -> Sequence[GraphJoint]:
        return self._tree.joints if self._tree else self._joints.elements

    # output
    def dump_graph(self, out: TextIO | None = None) -> None:
        """Write the input and the generated graph as text; default: to the standard output."""
        made = (self._tree.mobilizers, self._tree.loop_constraints) if self._tree else ((), ())
        text = graph_as_text(self._joint_types.elements, self._all_bodies, self._all_joints, *made)
        (sys.stdout if out is None else out).write(text)

    def plot(self, axes: "Axes | None" = None) -> "Axes":
        """Draw the graph and return the axes. Default: axes in a new figure."""
        tree = self._generated_tree
        return draw_graph(tree.bodies[0], tree.mobilizers, tree.loop_constraints, axes)

    def _check_is_not_generated(self, what: str) -> None:
        if self._tree:
            raise GraphError(f"{what} while a graph exists. Call clear_graph() first, and generate_graph() afterwards.")


def _check_mass(name: str, mass: float, may_be_infinite: bool) -> None:
    try:
        is_mass = not isinstance(mass, bool) and bool(0 <= mass < inf or (may_be_infinite and mass == inf))
    except (TypeError, ValueError):  # of values without an order, and of arrays
        is_mass = False
    if not is_mass:
        raise InputError(f"body '{name}': its mass must be a finite, nonnegative number of kg, not {mass!r}.")


def _check_differ(weld: str, free: str) -> None:
    if weld == free:
        raise DuplicateNameError(f"weld and free joints cannot both be named '{weld}'. Change the name of the other one first.")
