"""URDF files: robots of links and joints become Systems."""

from collections.abc import Mapping
from functools import partial
from inspect import Parameter, Signature
from pathlib import Path
from typing import TypedDict, Unpack, final

import numpy as np

from mobod.errors import DuplicateNameError, InputError, ModelFileError
from mobod.files.findings import Finding, Findings
from mobod.files.urdf.contact import ContactKind, UrdfContact, add_contacts, contact_of, note_ignored
from mobod.files.urdf.elements import UrdfJoint, UrdfLink
from mobod.files.urdf.friction import FRICTION_SPEED, FrictionMode, add_friction, check_friction, note_friction
from mobod.files.urdf.idle import joints_that_move
from mobod.files.urdf.joints import add_joint, errors_at, known_effort
from mobod.files.urdf.mimics import checked_mimics, leader_of, start_of
from mobod.files.urdf.reader import note_what_is_not_used, read_joints, read_links
from mobod.files.urdf.tree import tree_of
from mobod.files.urdf.xacro import expand_macros
from mobod.files.xml_source import Expansion, XmlSource
from mobod.forces import ForceSubsystem, Gravity, MobilityForce, MobilityLinearDamper
from mobod.forces.gravity import STANDARD_GRAVITY
from mobod.functions import Linear
from mobod.graph import MultibodyBuilder
from mobod.graph.builder import LimitsMode
from mobod.matter import Ground, MobilizedBody, MultibodySystem
from mobod.matter.constraints import CoordinateCoupler
from mobod.matter.mobilizers import Weld
from mobod.spatial import MassProperties, Transform
from mobod.system.named_arguments import check_arguments
from mobod.system.names import check_characters, marked

WORLD = "world"  # a root link of this name is Ground


class UrdfOptions(TypedDict, total=False):
    """How a System is made of a robot: see UrdfRobot.build."""

    floating_base: bool
    gravity: float
    motors: bool
    limits: LimitsMode
    stop_stiffness: float | None
    friction: FrictionMode
    friction_speed: float
    contact: ContactKind | UrdfContact | None


_SIGNATURE = Signature(
    [Parameter(name, Parameter.KEYWORD_ONLY) for name in ("loop_joints", "strict", "allow_macros", *UrdfOptions.__annotations__)]
)


def load_urdf(
    path: str | Path,
    *,
    loop_joints: str | Path | None = None,
    strict: bool = False,
    allow_macros: bool = False,
    **options: Unpack[UrdfOptions],
) -> MultibodySystem:
    """Read a URDF file and build its System: read_urdf(path, loop_joints=..., strict=..., allow_macros=...).build(**options).

    options  floating_base=False, gravity=9.80665, motors=True, limits='rigid' or 'stops' or 'ignore', stop_stiffness=None,
             friction='regularised' or 'warn' or 'error' or 'ignore', friction_speed=0.01, contact=None or
             'rigid' or 'compliant' or an mb.UrdfContact: see UrdfRobot.build

    One ModelFileWarning summarizes all changes and omissions, as text and as its `findings`.
    """
    check_arguments("load_urdf", _SIGNATURE, (), dict(options))
    robot = _read(path, loop_joints, strict, allow_macros)
    system, findings = robot._build(**options)
    findings.warn(stacklevel=2)
    return system


def read_urdf(path: str | Path, *, loop_joints: str | Path | None = None, strict: bool = False, allow_macros: bool = False) -> "UrdfRobot":
    """Read a URDF file and return its content as a UrdfRobot.

    loop_joints  a second file of the same format, a <robot> that contains only <joint>s between links of the first file. They close
                 loops, which URDF itself cannot describe
    strict       raise an error instead of changing anything, such as an inertia that no body can have
    allow_macros
                 whether the package xacro may expand macros of both files, which executes Python code that they contain

    Changes and omissions are in the `findings` of the robot and of one ModelFileWarning. Raises ModelFileError with file and line.
    """
    robot = _read(path, loop_joints, strict, allow_macros)
    robot._findings.warn(stacklevel=2)
    return robot


def _read(path: str | Path, loop_joints: str | Path | None, strict: bool, allow_macros: bool) -> "UrdfRobot":
    findings = Findings(Path(path), strict=strict)
    expand = partial(expand_macros, allow_macros=allow_macros)
    source = _source(path, findings, expand)
    links, joints = read_links(source), read_joints(source)
    note_what_is_not_used(source)
    name = source.root.get("name") or Path(path).stem
    with errors_at(Path(path)):
        check_characters(name, "a robot")
    if not links:
        raise ModelFileError(f"{path}: <robot> has no <link>.")
    if loop_joints is not None:
        loops = _source(loop_joints, findings, expand)
        for element in loops.root.findall("link"):
            loops.fail(element, f"a file of loop joints has no links of its own. Those of {path} are meant.")
        for joint in read_joints(loops, close_loops=True).values():
            if joint.name in joints:
                raise ModelFileError(f"{joint.place}: {path} has another joint named '{joint.name}'.")
            joints[joint.name] = joint
        note_what_is_not_used(loops)
    _add_world(links, joints, findings)
    return UrdfRobot(name, Path(path), links, joints, findings)


def _add_world(links: dict[str, UrdfLink], joints: Mapping[str, UrdfJoint], findings: Findings) -> None:
    """Adds the link 'world' if joints use it without defining it, as in files for Drake."""
    of_world = [joint for joint in joints.values() if joint.parent == WORLD and WORLD not in links]
    if of_world and not findings.strict:
        path, line = of_world[0].path, of_world[0].line
        links[WORLD] = UrdfLink(name=WORLD, path=path, line=line, mass_properties=MassProperties.massless(), visuals=())
        findings.note("world", f"there is no link '{WORLD}'. It is taken to be Ground.", line, path=path, link=WORLD)


def _source(path: str | Path, findings: Findings, expand: Expansion) -> XmlSource:
    source = XmlSource(Path(path), findings, expand)
    if source.root.tag != "robot":
        raise ModelFileError(f"{path}: it is not a URDF file. The root element is <{source.tag(source.root)}>, not <robot>.")
    return source


@final
class UrdfRobot:
    """Links and joints of a URDF file, which are a tree, and joints that close loops.

    name, links, joints  by name, in the order of the file
    root                 the link without a parent; if there are several, the one that carries most links
    """

    def __init__(self, name: str, path: Path, links: dict[str, UrdfLink], joints: dict[str, UrdfJoint], findings: Findings):
        self.name, self.path, self.links = name, path, links
        self._findings = findings
        self._tree = tree_of(links, joints, path, findings)
        self.root = self._tree.root
        self.joints = checked_mimics(joints, findings)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything that was changed or ignored while the file was read; `build` adds further findings."""
        return tuple(self._findings)

    def build(
        self,
        *,
        floating_base: bool = False,
        gravity: float = STANDARD_GRAVITY,
        motors: bool = True,
        limits: LimitsMode = "rigid",
        stop_stiffness: float | None = None,
        friction: FrictionMode = "regularised",
        friction_speed: float = FRICTION_SPEED,
        contact: ContactKind | UrdfContact | None = None,
    ) -> MultibodySystem:
        """A new System, z upward.

        floating_base   whether the root link moves freely in Ground instead of being fixed to it
        gravity         m/s^2, along -z; the force is named 'gravity'
        motors          whether each joint with one coordinate that mimics no other has a MobilityForce '<joint>_motor'
        limits          'rigid': joints stop at their limits; a joint whose range does not include 0 starts at the nearest limit, with
                        a ModelFileWarning. 'stops': elastic stops, '<joint>_stop'; 'ignore': joints move beyond their limits
        stop_stiffness  N/m or N m/rad, of all elastic stops; default: a deflection of 0.01 rad or m under the joint's greatest effort
        friction        dry friction: 'regularised', a JointFriction '<joint>_friction' on each coordinate; left out with a warning, 'warn',
                        or without, 'ignore'; or an 'error'. Joints whose coordinates have no rates of their own (floating, spherical),
                        and those that close a loop, have none: with a warning
        friction_speed  rad/s or m/s, the transition speed of 'regularised' friction: the smaller, the stiffer
        contact         'rigid' or 'compliant': the <collision> shapes of the links touch the plane z = 0, with a coefficient of friction of
                        1, by contacts 'floor_<link>'; see mb.UrdfContact, which can be given instead

        Each mobilized body, and so its coordinates, has the name of the joint that leads to its link, the root link's its own; there is
        none of a root link that is named 'world' or has neither mass nor shape: that is Ground. Damping is a force '<joint>_damper' (with
        a number behind it, if the joint has several speeds), a mimic a constraint '<joint>_mimic', which begins where
        it has to. Efforts and velocities that limit actuators bound nothing.
        """
        system, findings = self._build(
            floating_base=floating_base,
            gravity=gravity,
            motors=motors,
            limits=limits,
            stop_stiffness=stop_stiffness,
            friction=friction,
            friction_speed=friction_speed,
            contact=contact,
        )
        findings.since(self._findings).warn(stacklevel=2)
        return system

    def _build(
        self,
        *,
        floating_base: bool = False,
        gravity: float = STANDARD_GRAVITY,
        motors: bool = True,
        limits: LimitsMode = "rigid",
        stop_stiffness: float | None = None,
        friction: FrictionMode = "regularised",
        friction_speed: float = FRICTION_SPEED,
        contact: ContactKind | UrdfContact | None = None,
    ) -> tuple[MultibodySystem, Findings]:
        """The System of `build`, and the findings of reading and building."""
        check_friction(friction, friction_speed)
        options = contact_of(contact)
        if stop_stiffness is not None and limits != "stops":
            raise InputError(
                f"stop_stiffness applies only to elastic stops, but limits is {limits!r}. Write limits='stops', or omit stop_stiffness."
            )
        findings = self._findings.copy()
        self._check_floating_base(floating_base=floating_base)
        ground, base = self._ground(floating_base=floating_base)
        joints = self.joints
        if not findings.strict:
            base, joints = joints_that_move(self.links, joints, base, self._tree.outward, findings)
        note_friction(joints, friction, findings)
        if options is None:
            note_ignored(self.links.values(), findings)
        builder = self._builder(joints, ground, base, stop_stiffness=stop_stiffness)
        with errors_at(self.path):
            _ = builder.graph  # generates it
        if findings.strict:
            joints_that_move(self.links, joints, base, self._tree.outward, findings)
        try:
            system = builder.build(limits=limits)
            system.mesh_folders = [self.path.parent]
            moving = {body.name: body for body in system.matter.bodies}
            of_friction = friction_speed if friction == "regularised" else None
            forces = self._add_forces_and_mimics(system, joints, moving, gravity, motors, of_friction, findings)
            if options is not None:
                add_contacts(system, forces, self.links.values(), partial(builder.mobilized_body, system), options, findings)
        except DuplicateNameError as error:
            raise ModelFileError(f"{self.path}: {error} Or rename the joint that has it.") from error
        system.set_up_direction([0, 0, 1])
        for joint in joints.values():  # the start of a mimic joint follows from its leader
            if joint.mimic is not None:
                moving[joint.name].set_default_q(start_of(joint, joints) if limits == "rigid" else _at_zero(joint, joints))
        if limits == "rigid":
            self._note_starts(joints, moving, findings)
        return system, findings

    def _add_forces_and_mimics(
        self,
        system: MultibodySystem,
        joints: Mapping[str, UrdfJoint],
        moving: Mapping[str, MobilizedBody],
        gravity: float,
        motors: bool,
        friction_speed: float | None,
        findings: Findings,
    ) -> ForceSubsystem:
        forces = ForceSubsystem(system)
        taken = set(moving)

        def free(name: str, of: UrdfJoint | None = None) -> str:
            """The name, or a free variant of it; strict findings keep the name, and the System raises."""
            found = name if findings.strict else marked(name, taken)
            taken.add(found)
            if found != name:
                line = self.joints[name].line if name in self.joints else 0
                findings.note(
                    "name", f"what would be called '{name}' is called '{found}': a joint has that name.", line, joint=of and of.name
                )
            return found

        Gravity(forces, system.matter, down=[0, 0, -1], magnitude=gravity, name=free("gravity"))
        for joint in joints.values():
            if joint.name not in moving:
                continue  # it closes a loop by a constraint
            body = moving[joint.name]
            if joint.damping:
                for speed in range(body.nu):
                    number = f"{speed + 1}" if body.nu > 1 else ""
                    name = free(f"{joint.name}_damper{number}", joint)
                    MobilityLinearDamper(forces, body, speed=speed, damping=joint.damping, name=name)
            if joint.friction and friction_speed is not None:
                add_friction(forces, body, joint, friction_speed, free)
            if joint.mimic is not None:
                function = Linear([1.0, -joint.mimic.multiplier, -joint.mimic.offset])
                name = free(f"{joint.name}_mimic", joint)
                CoordinateCoupler(system.matter, function, [body, moving[joint.mimic.joint]], [0, 0], name=name)
            elif motors and joint.has_one_coordinate:
                MobilityForce(forces, body, effort=known_effort(joint), name=free(f"{joint.name}_motor", joint))
        return forces

    def _note_starts(self, joints: Mapping[str, UrdfJoint], moving: Mapping[str, MobilizedBody], findings: Findings) -> None:
        for joint in joints.values():
            if joint.limits is None:
                continue
            start, lower, upper = float(moving[joint.name].default_q[0]), joint.limits.lower, joint.limits.upper
            bounds = f"its limits, from {lower:g} to {upper:g} {joint.unit}"
            message = None
            if joint.mimic is not None and not lower <= start <= upper:
                message = f" follows '{joint.mimic.joint}' and so begins at {start:g} {joint.unit}, outside of {bounds}. Set another start."
            elif joint.mimic is None and not lower <= 0 <= upper:
                message = f": 0 is outside of {bounds}. It begins at {start:g} {joint.unit}."
            if message is not None:
                findings.note("start", f"joint '{joint.name}'{message}", joint.line, path=joint.path, joint=joint.name)

    def builder(self, *, floating_base: bool = False, stop_stiffness: float | None = None) -> MultibodyBuilder:
        """The bodies and joints, without forces, to which others can be added."""
        self._check_floating_base(floating_base=floating_base)
        return self._builder(self.joints, *self._ground(floating_base=floating_base), stop_stiffness=stop_stiffness)

    def _ground(self, *, floating_base: bool) -> tuple[str, UrdfJoint | None]:
        """The name of Ground, and the joint on which a floating base moves."""
        root = self.links[self.root]
        is_ground = not floating_base and (self.root == WORLD or (root.mass_properties.mass == 0 and not root.visuals))
        ground = self.root if is_ground else marked("ground", self.links)
        if not floating_base:
            return ground, None
        name = marked(self.root, {*self.joints, Ground.name})
        base = UrdfJoint(
            name=name,
            path=root.path,
            line=root.line,
            kind="floating",
            parent=ground,
            child=self.root,
            X_PC=Transform(),
            axis=np.array([0.0, 0.0, 1.0]),
        )
        return ground, base

    def _builder(
        self, joints: Mapping[str, UrdfJoint], ground: str, base: UrdfJoint | None, *, stop_stiffness: float | None
    ) -> MultibodyBuilder:
        builder = MultibodyBuilder(self.name, ground)
        for link in self.links.values():
            if link.name != ground:
                with errors_at(link.place):
                    builder.add_body(link.name, link.mass_properties, decorations=link.visuals)
        if base is not None:
            add_joint(builder, base, stop_stiffness)
        for root in (*(() if base is not None or ground == self.root else (self.root,)), *self._tree.further):
            builder.add_joint(marked(root, {*joints, Ground.name}), Weld, ground, root)
        for joint in joints.values():
            add_joint(builder, joint, stop_stiffness)
        return builder

    # checks
    def _check_floating_base(self, *, floating_base: bool) -> None:
        root = self.links[self.root]
        of_root = [joint for joint in self.joints.values() if joint.parent == self.root and not joint.closes_loop]
        if floating_base and root.mass_properties.mass == 0 and len(of_root) == 1 and of_root[0].kind != "fixed":
            raise ModelFileError(
                f"{root.place}: link '{root.name}' has no mass and one joint, '{of_root[0].name}', which is {of_root[0].kind}: with "
                "floating_base=True its motion along the joint would have no inertia. Omit floating_base, or give the link mass."
            )


def _at_zero(joint: UrdfJoint, joints: Mapping[str, UrdfJoint]) -> float:
    """The coordinate (rad or m) of a mimicking joint when its leader is at 0."""
    return leader_of(joint, joints)[2]
