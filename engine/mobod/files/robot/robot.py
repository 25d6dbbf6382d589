"""Robot: what a file says of a robot, and the System that is built of it."""

# Decision: docs/decisions/194-robot.md

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Unpack, final

from mobod.errors import DuplicateNameError, ModelFileError
from mobod.files.findings import Finding, Findings
from mobod.files.robot.added_joints import add_joint, errors_at
from mobod.files.robot.assembled import assemble_start
from mobod.files.robot.contact import add_contacts, note_ignored
from mobod.files.robot.contact_options import contact_of
from mobod.files.robot.description import RobotDescription
from mobod.files.robot.drives import DrivenThings, add_drives
from mobod.files.robot.equalities import add_equalities
from mobod.files.robot.friction import note_friction
from mobod.files.robot.gravity import add_gravity
from mobod.files.robot.idle import joints_that_move
from mobod.files.robot.joint_forces import add_joint_forces
from mobod.files.robot.joints import RobotJoint
from mobod.files.robot.lifted import lift_out_of_planes
from mobod.files.robot.links import WORLD
from mobod.files.robot.mimics import asked_start, checked_mimics, leader_of, start_of
from mobod.files.robot.motors import add_drive_limits, add_motors, note_limits_of_drives
from mobod.files.robot.options import RobotArguments, RobotOptions, signature_with
from mobod.files.robot.parts import RobotParts
from mobod.files.robot.sensors import add_sensors
from mobod.files.robot.tendons import add_tendons
from mobod.files.robot.tree import tree_of
from mobod.graph import MultibodyBuilder
from mobod.matter import Ground, MultibodySystem
from mobod.matter.bodies.decorations import Geometry
from mobod.matter.mobilizers import Weld
from mobod.spatial import Transform
from mobod.system.named_arguments import check_arguments
from mobod.system.names import marked


@final
class Robot:
    """Links and joints of a file, which are a tree, and joints that close loops.

    description          all that the file says
    name, links, joints  of it, by name, in the order of the file
    root                 the link without a parent; if there are several, the one that carries most links
    """

    def __init__(self, description: RobotDescription, findings: Findings):
        self.description = description
        self.name, self.path, self.links = description.name, description.path, description.links
        self._findings = findings
        self._tree = tree_of(self.links, description.joints, self.path, findings)
        self.root = self._tree.root
        self.joints = checked_mimics(description.joints, findings)
        note_limits_of_drives(self.joints, findings)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything that was changed or ignored while the file was read; `build` adds further findings."""
        return tuple(self._findings)

    def build(self, **options: Unpack[RobotArguments]) -> MultibodySystem:
        """A new System, z upward.

        floating_base   whether root links move freely in Ground instead of being fixed to it; default None: as the file says, and fixed
                        where it does not
        gravity         m/s^2, along -z, or a vector (3,); default: that of the file, else 9.80665; the force is named 'gravity'
        motors          True or 'force': each joint with one coordinate that mimics no other has a MobilityForce '<joint>_motor', an input;
                        'velocity': a Servo '<joint>_motor' that follows a speed, in the range of the velocity that the file gives;
                        False: none
        velocity_gain   N m s/rad or N s/m, of all motors that follow a speed; default: the joint's effort at a hundredth of its velocity
        drives          whether the motors that the file itself describes are there, with their laws
        drive_limits    whether the effort that a file gives for a joint with drives limits their sum, '<joint>_drive_limit'; of drives that
                        are added later body.set_drive_limit does
        limits          'rigid': joints stop at their limits; a joint whose range does not include 0 starts at the nearest limit, with
                        a ModelFileWarning. 'stops': elastic stops, '<joint>_stop'; 'ignore': joints move beyond their limits. So it is
                        with the ranges of fixed tendons; a rigid one in which the tendon does not begin is left out
        stop_stiffness  N/m or N m/rad, of all elastic stops; default: that of the file, or a deflection of 0.01 rad or m under the joint's
                        greatest effort
        friction        dry friction: 'regularised', a JointFriction '<joint>_friction' on each coordinate; 'rigid', a RigidJointFriction
                        that holds at rest; left out with a warning, 'warn', or without, 'ignore'; or an 'error'. Joints whose coordinates
                        have no rates of their own (floating, spherical), and those that close a loop, have none: with a warning
        friction_speed  rad/s or m/s, the transition speed of 'regularised' friction: the smaller, the stiffer
        equality        'rigid': equalities of the file beside its joints are constraints; 'ignore': they are left out
        contact         'rigid' or 'compliant': the <collision> shapes of the links touch the plane z = 0, with a coefficient of friction of
                        1, by contacts 'floor_<link>'; see mb.UrdfContact, which can be given instead
        links           names of the links whose shapes touch, such as feet; default: all. Those that are fixed to Ground always do
        sensors         whether sensors of the file are measures, whose values are outputs
        mesh_folders    folders in which meshes are looked for, beside that of the file

        Each mobilized body, and so its coordinates, has the name of the joint that leads to its link, the root link's its own; there is
        none of a root link that is named 'world' or has neither mass nor shape: that is Ground. Damping is a force '<joint>_damper' (with
        a number behind it, if the joint has several speeds), a mimic a constraint '<joint>_mimic', which begins where
        it has to. The velocity of a joint limits commands; the joint itself can be faster.
        """
        check_arguments("build", signature_with(), (), dict(options))
        system, findings = self._build(self.options(**options))
        findings.since(self._findings).warn(stacklevel=2)
        return system

    def options(self, **given: Unpack[RobotArguments]) -> RobotOptions:
        """The options of build, with the defaults of the format. Raises InputError for invalid ones."""
        return RobotOptions(**{**self.description.defaults, **given})

    def _build(self, options: RobotOptions) -> tuple[MultibodySystem, Findings]:
        """The System of `build`, and the findings of reading and building."""
        findings, contact = self._findings.copy(), contact_of(options.contact)
        self._check_floating_base(floating_base=bool(options.floating_base))
        given = self._with_base(options.floating_base)
        ground, base = self._ground(floating_base=bool(options.floating_base))
        joints: Mapping[str, RobotJoint] = given
        if not findings.strict:
            base, joints = joints_that_move(self.links, given, base, self._tree.outward, findings)
        note_friction(joints, options.friction, findings)
        if contact is None:
            note_ignored(self.links.values(), findings, self.description.collision_tag)
        builder = self._builder(joints, ground, base, options)
        with errors_at(self.path):
            _ = builder.graph  # generates it
        if findings.strict:
            joints_that_move(self.links, joints, base, self._tree.outward, findings)
        try:
            system = builder.build(limits=options.limits)
            system.mesh_folders = [self.path.parent, *self.description.mesh_folders, *options.mesh_folders]
            if ground in self.links:
                _draw_on_ground(system, self.links[ground].visuals)
            parts = RobotParts(system, joints, partial(builder.mobilized_body, system), findings)
            self._add_forces(parts, options)
            if contact is not None:
                add_contacts(parts, self.description, contact, options.links)
            if options.sensors:
                add_sensors(parts, self.description.sensors)
        except DuplicateNameError as error:
            raise ModelFileError(f"{self.path}: {error} Or rename the joint that has it.") from error
        system.set_up_direction([0, 0, 1])
        for joint in joints.values():  # the start of a mimic joint follows from its leader
            if joint.mimic is not None:
                start = start_of(joint, joints) if options.limits == "rigid" else _without_limits(joint, joints)
                parts.body_of_joint(joint.name).set_default_q(start)
        if options.limits == "rigid":
            _note_starts(parts)
        if self._closes_loops(options):
            assemble_start(parts)
        if contact is not None and contact.kind == "rigid" and self.description.lifts_bases:
            lift_out_of_planes(system, findings)
        return system, findings

    def _closes_loops(self, options: RobotOptions) -> bool:
        """Whether constraints bind coordinates that the file gives, beside mimics, whose start follows from their leaders."""
        return (options.equality == "rigid" and bool(self.description.equalities)) or any(
            joint.closes_loop for joint in self.joints.values()
        )

    def _add_forces(self, parts: RobotParts, options: RobotOptions) -> None:
        """Forces and constraints."""
        description = self.description
        add_gravity(parts, self.links, options.gravity_of(description.gravity))
        add_joint_forces(parts, friction=options.friction, friction_speed=options.friction_speed)
        if options.equality == "rigid":
            add_equalities(parts, description.equalities)
        tendons = add_tendons(parts, description.tendons, options.limits, options.stop_stiffness)
        add_motors(parts, options.motors, options.velocity_gain)
        add_drives(parts, description.drives if options.drives else (), DrivenThings(tendons, description.sites))
        if options.drive_limits:
            add_drive_limits(parts)

    def builder(self, *, floating_base: bool | None = None, stop_stiffness: float | None = None) -> MultibodyBuilder:
        """The bodies and joints, without forces, to which others can be added."""
        self._check_floating_base(floating_base=bool(floating_base))
        ground, base = self._ground(floating_base=bool(floating_base))
        options = RobotOptions(stop_stiffness=stop_stiffness, limits="rigid" if stop_stiffness is None else "stops")
        return self._builder(self._with_base(floating_base), ground, base, options)

    def _with_base(self, floating_base: bool | None) -> dict[str, RobotJoint]:
        """The joints, with those of root links changed."""
        if floating_base is None:
            return self.joints
        return {name: joint.as_base(floating=floating_base) if joint.is_base else joint for name, joint in self.joints.items()}

    def _ground(self, *, floating_base: bool) -> tuple[str, RobotJoint | None]:
        """The name of Ground, and the joint on which a floating base moves."""
        root = self.links[self.root]
        if self.description.has_world:
            return WORLD, None
        is_ground = not floating_base and (self.root == WORLD or (root.mass_properties.mass == 0 and not root.visuals))
        ground = self.root if is_ground else marked("ground", self.links)
        if not floating_base:
            return ground, None
        name = marked(self.root, {*self.joints, Ground.name})
        return ground, RobotJoint(
            name=name, path=root.path, line=root.line, kind="floating", parent=ground, child=self.root, X_PC=Transform()
        )

    def _builder(self, joints: Mapping[str, RobotJoint], ground: str, base: RobotJoint | None, options: RobotOptions) -> MultibodyBuilder:
        builder = MultibodyBuilder(self.name, ground)
        for link in self.links.values():
            if link.name != ground:
                with errors_at(link.place):
                    builder.add_body(link.name, link.mass_properties, decorations=link.visuals)
        if base is not None:
            add_joint(builder, base, options.stop_stiffness, options.limits)
        for root in (*(() if base is not None or ground == self.root else (self.root,)), *self._tree.further):
            builder.add_joint(marked(root, {*joints, Ground.name}), Weld, ground, root)
        for joint in joints.values():
            add_joint(builder, joint, options.stop_stiffness, options.limits)
        return builder

    # checks
    def _check_floating_base(self, *, floating_base: bool) -> None:
        if self.description.has_world:
            return
        root = self.links[self.root]
        of_root = [joint for joint in self.joints.values() if joint.parent == self.root and not joint.closes_loop]
        if floating_base and root.mass_properties.mass == 0 and len(of_root) == 1 and of_root[0].kind != "fixed":
            raise ModelFileError(
                f"{root.place}: link '{root.name}' has no mass and one joint, '{of_root[0].name}', which is {of_root[0].kind}: with "
                "floating_base=True its motion along the joint would have no inertia. Omit floating_base, or give the link mass."
            )


def _draw_on_ground(system: MultibodySystem, visuals: Iterable[tuple[Transform, Geometry]]) -> None:
    """Shapes that are fixed to Ground, which has no decorations of its own, belong to frame F of a body on it."""
    of_ground = next((body for body in system.matter.bodies if isinstance(body.parent, Ground)), None)
    if of_ground is None:
        return
    for X_GD, geometry in visuals:
        of_ground.add_inboard_decoration(of_ground.X_PF.inverse() @ X_GD, geometry)


def _without_limits(joint: RobotJoint, joints: Mapping[str, RobotJoint]) -> float:
    """The coordinate (rad or m) of a mimicking joint at the start of its leader."""
    leader, multiplier, offset = leader_of(joint, joints)
    return multiplier * asked_start(leader) + offset


def _note_starts(parts: RobotParts) -> None:
    """Note the joints with limits that do not begin where they would without."""
    for joint in parts.joints.values():
        if joint.limits is None or not parts.has_body(joint.name):
            continue
        start, asked = float(parts.body_of_joint(joint.name).default_q[0]), asked_start(joint)
        lower, upper = joint.limits.lower, joint.limits.upper
        bounds = f"its limits, from {lower:g} to {upper:g} {joint.unit}"
        message = None
        if joint.mimic is not None and not lower <= start <= upper:
            message = f" follows '{joint.mimic.joint}' and so begins at {start:g} {joint.unit}, outside of {bounds}. Set another start."
        elif joint.mimic is None and not lower <= asked <= upper:
            message = f": {asked:g} is outside of {bounds}. It begins at {start:g} {joint.unit}."
        if message is not None:
            parts.findings.note("start", f"joint '{joint.name}'{message}", joint.line, path=joint.path, joint=joint.name)
