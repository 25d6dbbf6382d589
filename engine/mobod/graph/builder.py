"""MultibodyBuilder: builds a System from bodies and joints in any order, with loops."""

# Decision: docs/decisions/077-names-of-joints.md

from collections.abc import Iterable, Sequence
from typing import Literal, get_args

from mobod.couplings import CouplingMobilizer
from mobod.errors import InputError, MobodError, UnknownNameError, UnsupportedError
from mobod.graph.descriptions import BodyDescription, CoordinateLimits, JointDescription
from mobod.graph.elements import LoopConstraint, Mobilizer
from mobod.graph.idle_ends import has_idle_motion_of_child, has_idle_motion_of_parent
from mobod.graph.joint_limits import LimitedJoint, add_rigid_limits, add_stops
from mobod.graph.maker import MultibodyGraphMaker
from mobod.matter import Constraint, Ground, MatterSubsystem, MobilizedBody, MultibodySystem
from mobod.matter.bodies.decorations import Geometry
from mobod.matter.constraints import BallConstraint, WeldConstraint
from mobod.matter.mobilizers import Ball, Free, Weld
from mobod.spatial import MassProperties, Transform
from mobod.system.names import check_characters, check_name

GOOD_LOOP_JOINTS = (Ball, Weld, Free)  # a constraint, or nothing, replaces their mobilizers without loss
LimitsMode = Literal["rigid", "stops", "ignore"]


class MultibodyBuilder:
    """Bodies with mass properties and joints with frames, added in any order. `build` makes a System of them by a MultibodyGraphMaker.

        builder = mb.MultibodyBuilder("slider_crank")
        builder.add_body("crank", crank)
        builder.add_body("rod", rod)
        builder.add_joint("motor", mb.Pin, "ground", "crank")
        builder.add_joint("elbow", mb.Pin, "crank", "rod", X_PF=mb.Transform(p=[0.2, 0, 0]))
        builder.add_joint("guide", mb.Slider, "ground", "rod", X_PF=..., X_BM=...)
        system = builder.build()

    In the System each mobilized body, and so its coordinates, has the name of its joint: 'motor.q'. If a free joint was added for a body,
    the mobilized body has the name of that body. `mobilized_body(system, "crank")` returns the mobilized body that carries a body.

    A joint keeps its coordinates in whichever direction the tree passes through it. A joint that closes a loop becomes a constraint of the
    same name if it is a Ball or a Weld, and is dropped if it is Free. For any other joint the child body is split (the parent body, if the
    child is Ground, massless, or without inertia along the joint's motions): the joint mobilizes a fragment, and the constraint
    '<joint>_weld' welds it to the rest. All fragments get equal shares of mass and inertia.

    A CouplingMobilizer with coupling=... can be a joint as well; its ranges are kept.
    """

    def __init__(self, name: str = "system", ground: str = Ground.name):
        self.name = check_characters(name, "a System")
        self._bodies: dict[str, BodyDescription] = {}
        self._joints: dict[str, JointDescription] = {}
        self._maker = MultibodyGraphMaker()
        self._maker.set_weld_joint_type_name(Weld.__name__)
        self._maker.set_free_joint_type_name(Free.__name__)
        self._maker.add_joint_type(Ball.__name__, 3, have_good_loop_joint_available=True)
        self._maker.add_body(ground)
        self._bodies[ground] = BodyDescription(ground, None)

    # input
    def add_body(
        self,
        name: str,
        mass_properties: MassProperties,
        *,
        must_be_base_body: bool = False,
        decorations: Iterable[tuple[Transform, Geometry]] = (),
    ) -> None:
        """Add a body and its mass properties.

        must_be_base_body  whether the body is mobilized relative to Ground, by its own joint to Ground or by a free joint
        """
        check_name(name, "a body")
        if not isinstance(mass_properties, MassProperties):
            raise InputError(f"body '{name}': its mass properties must be MassProperties, not {type(mass_properties).__name__}.")
        description = BodyDescription(name, mass_properties, _checked_decorations(name, decorations))
        self._forget_graph()
        self._maker.add_body(name, mass_properties.mass, must_be_base_body, description)
        self._bodies[name] = description

    def add_joint(
        self,
        name: str,
        mobilizer: type[MobilizedBody],
        parent: str,
        child: str,
        X_PF: Transform | None = None,
        X_BM: Transform | None = None,
        *,
        default_q: object = None,
        limits: CoordinateLimits | Sequence[CoordinateLimits | None] = (),
        must_be_loop_joint: bool = False,
        **parameters: object,
    ) -> None:
        """Add a joint between two bodies that were added before. See JointDescription for the arguments. Limits of a single coordinate need
        no list.

        Raises InputError for arguments that the mobilizer does not have, UnknownNameError, DuplicateNameError.
        """
        check_name(name, "a joint")
        given: object = mobilizer
        if not (isinstance(given, type) and issubclass(given, MobilizedBody)) or given is MobilizedBody:
            raise InputError(f"joint '{name}': the mobilizer must be a class such as mb.Pin, not {mobilizer!r}.")
        if "reversed" in parameters:
            raise InputError(f"joint '{name}': `reversed` cannot be set, since the tree determines it. Swap parent and child instead.")
        each = _checked_limits(name, limits)
        description = JointDescription(
            name=name,
            mobilizer=mobilizer,
            parent=parent,
            child=child,
            X_PF=Transform() if X_PF is None else X_PF,
            X_BM=Transform() if X_BM is None else X_BM,
            default_q=default_q,
            limits=each,
            must_be_loop_joint=bool(must_be_loop_joint),
            parameters=parameters,
        )
        trial = _trial(description)
        if len(each) not in (0, trial.nq):
            raise InputError(
                f"joint '{name}': {len(each)} limits for {trial.nq} coordinates. Give one for each coordinate, or None for a coordinate "
                "without limits."
            )
        self._forget_graph()
        # Ground must be inboard of all bodies: as a child it would be split
        ends = (child, parent) if child == self.ground else (parent, child)
        idle = self._idle_ends(trial, parent, child)
        self._maker.add_joint(name, self._joint_type(mobilizer, trial.nu), *ends, must_be_loop_joint, description, idle)
        self._joints[name] = description

    def _idle_ends(self, joint: MobilizedBody, parent: str, child: str) -> list[str]:
        """The bodies with mass that have no inertia along the motions of a joint."""
        idle = []
        for name, has_idle_motion in ((parent, has_idle_motion_of_parent), (child, has_idle_motion_of_child)):
            body = self._bodies.get(name)
            if body is not None and body.mass_properties is not None and has_idle_motion(joint, body.mass_properties):
                idle.append(name)
        return idle

    def _forget_graph(self) -> None:
        if self._maker.is_generated:
            self._maker.clear_graph()

    def _joint_type(self, mobilizer: type[MobilizedBody], nu: int) -> str:
        """The name of the joint type in the graph. It includes the number of mobilities, which may depend on parameters."""
        name = mobilizer.__name__ if mobilizer in GOOD_LOOP_JOINTS else f"{mobilizer.__name__} ({nu})"
        if all(each.name != name for each in self._maker.joint_types):
            self._maker.add_joint_type(name, nu)
        return name

    # contents
    @property
    def ground(self) -> str:
        """The name of the ground body."""
        return self._maker.ground_body_name

    @property
    def bodies(self) -> dict[str, BodyDescription]:
        """All bodies by name, Ground first."""
        return dict(self._bodies)

    @property
    def joints(self) -> dict[str, JointDescription]:
        """All joints by name."""
        return dict(self._joints)

    @property
    def graph(self) -> MultibodyGraphMaker:
        """The generated graph, of which `build` makes a System."""
        if not self._maker.is_generated:
            self._maker.generate_graph()
        return self._maker

    # output
    def build(self, *, limits: LimitsMode = "rigid") -> MultibodySystem:
        """Build a new System with a matter subsystem and, if there are elastic stops, a force subsystem named 'stops'.

        limits  'rigid': body.set_limits, with impacts; a coordinate without a given default_q starts at its nearest limit
                'stops': a MobilityLinearStop '<joint>_stop' for each limited coordinate, with its stop_stiffness; the coordinate's number
                is
                appended to the name if the joint has several; 'ignore': limits have no effect

        Raises InputError for a graph that is no valid mechanism and for a default_q outside of rigid limits. Raises UnsupportedError for
        stops without a stiffness and for rigid limits of coordinates whose rates are not speeds, such as those of a Ball.
        """
        if limits not in get_args(LimitsMode):
            raise InputError(f"build: limits is {limits!r}. It can be 'rigid', 'stops' or 'ignore'.")
        graph = self.graph
        system = MultibodySystem(self.name)
        matter = MatterSubsystem(system)
        for mobilizer in graph.mobilizers:
            self._add_mobilized_body(system, mobilizer)
        for mobilizer in graph.mobilizers:
            if mobilizer.is_slave_mobilizer:
                master, slave = self.mobilized_body(system, mobilizer.outboard_master_body.name), matter.body(mobilizer.joint.name)
                WeldConstraint(master, Transform(), slave, Transform(), name=f"{mobilizer.joint.name}_weld")
        for loop in graph.loop_constraints:
            self._close(system, loop)
        if limits == "rigid":
            add_rigid_limits(self._limited(system))
        elif limits == "stops":
            add_stops(system, self._limited(system))
        return system

    def mobilized_body(self, system: MultibodySystem, name: str) -> MobilizedBody | Ground:
        """The mobilized body that carries a body in a System built by this builder. If the body was split, its master fragment."""
        UnknownNameError.check("body", name, self._bodies)
        mobilizer = self.graph.body(name).mobilizer
        return system.matter.ground if mobilizer is None else system.matter.body(self._name(mobilizer))

    def fragments(self, system: MultibodySystem, name: str) -> list[MobilizedBody | Ground]:
        """The mobilized bodies of all fragments of a body, the master first."""
        slaves = [system.matter.body(slave.mobilizer.joint.name) for slave in self.graph.body(name).slaves if slave.mobilizer]
        return [self.mobilized_body(system, name), *slaves]

    # internal
    def _name(self, mobilizer: Mobilizer) -> str:
        """The name of a mobilized body: that of its joint. If the joint was added for the body, the body's own name, unless a joint has
        that name.
        """
        if mobilizer.is_added_base_mobilizer and mobilizer.outboard_body.name not in self._joints:
            return mobilizer.outboard_body.name
        return mobilizer.joint.name

    def _add_mobilized_body(self, system: MultibodySystem, mobilizer: Mobilizer) -> None:
        master = mobilizer.outboard_master_body
        body = self._bodies[master.name]
        if body.mass_properties is None:
            raise UnsupportedError(
                f"joint '{mobilizer.joint.name}' closes a loop between Ground and a massless body, '{mobilizer.inboard_body.name}', and "
                "neither can be split. Give the body mass, or mark another joint of the loop as a loop joint (must_be_loop_joint=True)."
            )
        inboard = self.mobilized_body(system, mobilizer.inboard_body.name)
        carried = _share(body.mass_properties, mobilizer.n_fragments)
        joint = mobilizer.joint.user_ref
        made: MobilizedBody
        if joint is None:
            made = Free(inboard, carried, name=self._name(mobilizer))
        else:
            is_reversed = mobilizer.inboard_body.name != joint.parent
            X_inboard, X_outboard = (joint.X_BM, joint.X_PF) if is_reversed else (joint.X_PF, joint.X_BM)
            made = joint.mobilizer(inboard, carried, X_inboard, X_outboard, name=joint.name, reversed=is_reversed, **joint.parameters)
            if joint.default_q is not None:
                made.set_default_q(joint.default_q)
            if isinstance(made, CouplingMobilizer):
                made.keep_ranges()
        if not mobilizer.is_slave_mobilizer:
            for X_BD, geometry in body.decorations:
                made.add_body_decoration(X_BD, geometry)

    def _close(self, system: MultibodySystem, loop: LoopConstraint) -> Constraint | None:
        joint = loop.joint.user_ref
        parent, child = self.mobilized_body(system, joint.parent), self.mobilized_body(system, joint.child)
        if joint.mobilizer is Ball:
            return BallConstraint(parent, joint.X_PF.p, child, joint.X_BM.p, name=joint.name)
        if joint.mobilizer is Weld:
            return WeldConstraint(parent, joint.X_PF, child, joint.X_BM, name=joint.name)
        return None  # Free

    def _limited(self, system: MultibodySystem) -> list[LimitedJoint]:
        found: list[LimitedJoint] = []
        for joint in self._joints.values():
            if not any(joint.limits):
                continue
            if self.graph.joint(joint.name).mobilizer is None:
                raise UnsupportedError(
                    f"joint '{joint.name}' has limits and closes a loop by a constraint, which has no coordinates. Mark "
                    "another joint of the loop as a loop joint, or ignore limits: build(limits='ignore')."
                )
            body = system.matter.body(joint.name)
            assert isinstance(body, MobilizedBody)
            found.append((joint, body))
        return found


def _checked_decorations(body: str, decorations: object) -> tuple[tuple[Transform, Geometry], ...]:
    found = tuple(decorations) if isinstance(decorations, Iterable) else (decorations,)
    for each in found:
        if not (isinstance(each, tuple) and len(each) == 2 and isinstance(each[0], Transform) and isinstance(each[1], Geometry)):
            raise InputError(
                f"body '{body}': decorations must be pairs (Transform, shape), with a shape of mobod.decorations, not {each!r}."
            )
    return found


def _checked_limits(joint: str, limits: object) -> tuple[CoordinateLimits | None, ...]:
    found = tuple(limits) if isinstance(limits, Iterable) else (limits,)
    for each in found:
        if each is not None and not isinstance(each, CoordinateLimits):
            raise InputError(f"joint '{joint}': limits must be CoordinateLimits or None for each coordinate, not {each!r}.")
    return found


def _trial(joint: JointDescription) -> MobilizedBody:
    """The joint in a System of its own, to check its arguments. Raises InputError that names it."""
    matter = MatterSubsystem(MultibodySystem())
    try:
        body = joint.mobilizer(
            matter.ground, MassProperties.point(1.0, [0, 0, 0]), joint.X_PF, joint.X_BM, name=joint.name, **joint.parameters
        )
        if joint.default_q is not None:
            body.set_default_q(joint.default_q)
    except TypeError as error:
        raise InputError(f"joint '{joint.name}': {joint.mobilizer.__name__} cannot be made of these arguments: {error}.") from error
    except MobodError as error:
        raise InputError(f"joint '{joint.name}': {error}") from error
    return body


def _share(whole: MassProperties, n: int) -> MassProperties:
    return whole if n == 1 else MassProperties(whole.mass / n, whole.com, whole.inertia / n)
