"""SpanningTree: makes the spanning tree of bodies and joints, and closes its loops, for MultibodyGraphMaker.generate_graph.

The run time is of order n log n in the number of bodies and joints.
"""

# Decision: docs/decisions/076-graph-maker.md

from collections import deque
from collections.abc import Iterator

from mobod.errors import InputError
from mobod.graph.elements import GraphBody, GraphJoint, JointType, LoopConstraint, Mobilizer
from mobod.system.names import marked


class SpanningTree:
    """Mobilizers for all bodies, and a loop constraint or a slave body for each joint that closes a loop.

    Bodies (Ground first) and joints refer to the mobilizers and loop constraints made from them. Slaves are appended to `bodies`, base
    joints to `joints`.
    Raises InputError for a massless terminal body.
    """

    def __init__(self, bodies: list[GraphBody], joints: list[GraphJoint], free: JointType):
        self.bodies = bodies
        self.joints = joints
        self.mobilizers: list[Mobilizer] = []
        self.loop_constraints: list[LoopConstraint] = []
        self._ground = bodies[0]
        self._free = free
        self._joint_numbers = {joint: number for number, joint in enumerate(joints)}
        self._joint_names = {joint.name for joint in joints}
        self._body_names = {body.name for body in bodies}

        for body in bodies[1:]:
            _check_is_no_massless_end(body)
            if not body.joints or (body.must_be_base_body and not self._is_jointed_to_ground(body)):
                self._connect_to_ground(body)
        self._grow_from([joint for joint in self._ground.joints if not joint.must_be_loop_joint])
        for body in sorted(bodies[1:], key=_unfitness_as_base):
            if not self._is_in_tree(body):
                self._grow_from([self._connect_to_ground(body)])
        for joint in joints:
            if joint.mobilizer is None:
                self._close_loop(joint)

    def _is_in_tree(self, body: GraphBody) -> bool:
        return body is self._ground or body.mobilizer is not None

    # base bodies
    def _is_jointed_to_ground(self, body: GraphBody) -> bool:
        return any(joint.other_body(body) is self._ground and not joint.must_be_loop_joint for joint in body.joints)

    def _connect_to_ground(self, body: GraphBody) -> GraphJoint:
        name = marked(f"#{self._ground.name}_{body.name}", self._joint_names)
        self._joint_names.add(name)
        joint = GraphJoint(name, self._free, self._ground, body, is_added_base_joint=True)
        self._joint_numbers[joint] = len(self.joints)
        self.joints.append(joint)
        body.joints_as_child.append(joint)
        self._ground.joints_as_parent.append(joint)
        return joint

    # the tree
    def _grow_from(self, joints: list[GraphJoint]) -> None:
        """From these joints to Ground outward. A joint to a body without inertia along its motions is taken when no other one is left."""
        self._grow(joints)
        while any(joint.idle_ends for joint in self.joints):
            idle = (joint for joint in self.joints if not joint.must_be_loop_joint and self._is_way_on(joint))
            joint = next(idle, None)
            if joint is None:
                break
            self._grow([joint], even_if_idle=joint)

    def _is_way_on(self, joint: GraphJoint) -> bool:
        return self._is_in_tree(joint.parent_body) != self._is_in_tree(joint.child_body)

    def _grow(self, joints: list[GraphJoint], even_if_idle: GraphJoint | None = None) -> None:
        """From these joints outward, level by level, at each level in the order in which the joints were added."""
        ends: dict[int, list[GraphBody]] = {}  # level -> bodies there, from which the tree has not gone on yet
        level = 1
        while joints or ends:
            for joint in sorted(joints, key=self._joint_numbers.__getitem__):
                inboard = joint.parent_body if self._is_in_tree(joint.parent_body) else joint.child_body
                outboard = joint.other_body(inboard)
                if self._is_in_tree(outboard):
                    continue  # the body was reached through another joint: this joint closes a loop
                if outboard in joint.idle_ends and joint is not even_if_idle:
                    continue
                self._mobilize(joint, inboard, outboard)
                ends.setdefault(level, []).append(outboard)
                if joint.is_movable and outboard.mass == 0:
                    for body in self._extend(outboard):
                        ends.setdefault(body.level, []).append(body)
            joints = [joint for body in ends.pop(level, ()) for joint, _ in self._ways_on(body)]
            level += 1

    def _ways_on(self, body: GraphBody) -> Iterator[tuple[GraphJoint, GraphBody]]:
        """The joints through which the tree can grow from a body, and the bodies that they lead to; forward joints first."""
        for joint in body.joints:
            other = joint.other_body(body)
            if not joint.must_be_loop_joint and not self._is_in_tree(other):
                yield joint, other

    def _mobilize(self, joint: GraphJoint, inboard: GraphBody, outboard: GraphBody) -> None:
        mobilizer = Mobilizer(joint, inboard, outboard, level=inboard.level + 1, is_reversed=inboard is joint.child_body)
        joint.mobilizer = outboard.mobilizer = mobilizer
        self.mobilizers.append(mobilizer)

    def _extend(self, massless: GraphBody) -> list[GraphBody]:
        """Grow from a massless body, through massless bodies only, to the nearest body with mass. Returns the added bodies.

        If several bodies with mass are joined to the same massless one, it takes the heaviest behind a forward joint, else behind a
        reversed one.
        """
        came_by: dict[GraphBody, tuple[GraphJoint, GraphBody]] = {}
        waiting = deque([massless])
        while waiting:
            body = waiting.popleft()
            # a base body must be reached by its own joint to Ground
            ways_on = [(joint, other) for joint, other in self._ways_on(body) if not other.must_be_base_body]
            massful = [(joint, other) for joint, other in ways_on if other.mass > 0]
            if massful:
                joint, end = max(massful, key=lambda way: (way[0].parent_body is body, way[1].mass))
                came_by[end] = joint, body
                return self._mobilize_path(came_by, massless, end)
            for joint, other in ways_on:
                if other is not massless and other not in came_by:
                    came_by[other] = joint, body
                    waiting.append(other)
        names = ", ".join(f"'{joint.name}'" for joint in massless.joints)
        raise InputError(
            f"body '{massless.name}' is massless and would be a terminal body on a movable joint: each body with mass that its joints "
            f"({names}) lead to is already in the tree, must be a base body, or is behind a joint that must be a loop joint. "
            "Give it mass, weld it, or mark another joint of its loop as a loop joint (must_be_loop_joint=True)."
        )

    def _mobilize_path(self, came_by: dict[GraphBody, tuple[GraphJoint, GraphBody]], start: GraphBody, end: GraphBody) -> list[GraphBody]:
        path = [end]
        while (inboard := came_by[path[-1]][1]) is not start:
            path.append(inboard)
        path.reverse()
        for body in path:
            self._mobilize(*came_by[body], body)
        return path

    # loops
    def _close_loop(self, joint: GraphJoint) -> None:
        """Close a loop by a constraint if that is as good; otherwise by a mobilizer of a slave of the child.

        If the child is massless, its slave would be a massless terminal body, so the parent is split instead. So it is if the child has no
        inertia along the motions of this joint, or of the one that mobilizes it: then it carries the slave of the parent.
        """
        if joint.type.have_good_loop_joint_available:
            joint.loop_constraint = LoopConstraint(joint)
            self.loop_constraints.append(joint.loop_constraint)
            return
        inboard, split = joint.parent_body, joint.child_body
        if joint.is_movable and split.mass == 0:
            inboard, split = split, inboard
            if split.mass == 0:
                raise InputError(
                    f"joint '{joint.name}' closes a loop between two massless bodies, '{inboard.name}' and '{split.name}': a slave of "
                    "either would be a massless terminal body. Give one of them mass, or mark another joint of the loop as a loop joint "
                    "(must_be_loop_joint=True)."
                )
        elif _is_idle(split, joint) and inboard not in joint.idle_ends and inboard.mass > 0 and inboard is not self._ground:
            inboard, split = split, inboard
        self._mobilize(joint, inboard, self._slave(split))

    def _slave(self, master: GraphBody) -> GraphBody:
        name = marked(f"#{master.name}_slave_{len(master.slaves) + 1}", self._body_names)
        self._body_names.add(name)
        slave = GraphBody(name, master.mass, user_ref=master.user_ref, master=master)
        master.slaves.append(slave)
        self.bodies.append(slave)
        return slave


def _is_idle(body: GraphBody, joint: GraphJoint) -> bool:
    """Whether the body has no inertia along the motions of the joint, or of the one that mobilizes it."""
    return body in joint.idle_ends or (body.mobilizer is not None and body in body.mobilizer.joint.idle_ends)


def _check_is_no_massless_end(body: GraphBody) -> None:
    if body.mass > 0:
        return
    if not body.joints:
        raise InputError(f"body '{body.name}' is massless and has no joint. Give it mass, or join it to bodies with mass.")
    if len(body.joints) == 1 and body.joints[0].is_movable:
        (joint,) = body.joints
        raise InputError(
            f"body '{body.name}' is massless and a terminal body: its only joint, '{joint.name}', is movable ({joint.type.name}). "
            "Give it mass, weld it, or join a body with mass to it."
        )


def _unfitness_as_base(body: GraphBody) -> tuple[bool, int]:
    """Sort key, smallest for the best base body: most children among the bodies that are no child, else most children."""
    return bool(body.joints_as_child), -len(body.joints_as_parent)
