"""URDF files: robots of links and joints become Systems."""

import warnings
from collections import deque
from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import Literal, NoReturn, TypedDict, Unpack, final

from lxml import etree

from mobod.errors import DuplicateNameError, InputError, ModelFileError, UnknownNameError, UnsupportedError
from mobod.files.urdf_elements import UrdfJoint, UrdfLink, along
from mobod.files.urdf_reader import read_joints, read_links, tell_what_is_not_used
from mobod.files.xml_source import ModelFileWarning, XmlSource
from mobod.forces import ForceSubsystem, Gravity, MobilityForce, MobilityLinearDamper
from mobod.forces.gravity import STANDARD_GRAVITY
from mobod.functions import Linear
from mobod.graph import CoordinateLimits, MultibodyBuilder
from mobod.graph.builder import LimitsMode
from mobod.matter import CoordinateCoupler, Free, Ground, MobilizedBody, MultibodySystem, Pin, Planar, Slider, Weld
from mobod.spatial import Transform

XACRO = "http://www.ros.org/wiki/xacro"  # namespace of macros, of which URDF files are made
STOP_YIELD = 0.01  # rad or m, by which a joint's stop yields to the greatest effort of the joint
MOBILIZERS: dict[str, type[MobilizedBody]] = {
    "revolute": Pin,
    "continuous": Pin,
    "prismatic": Slider,
    "planar": Planar,
    "floating": Free,
    "fixed": Weld,
}


class UrdfOptions(TypedDict, total=False):
    """How a System is made of a robot: see UrdfRobot.build."""

    floating_base: bool
    gravity: float
    motors: bool
    limits: LimitsMode
    stop_stiffness: float | None
    friction: Literal["error", "ignore"]


def load_urdf(path: str | Path, *, loop_joints: str | Path | None = None, **options: Unpack[UrdfOptions]) -> MultibodySystem:
    """The System of a URDF file: read_urdf(path, loop_joints=loop_joints).build(**options).

    options  floating_base=False, gravity=9.80665, motors=True, limits='rigid' or 'stops' or 'ignore', stop_stiffness=None,
             friction='error' or 'ignore': see UrdfRobot.build
    """
    return read_urdf(path, loop_joints=loop_joints).build(**options)


def read_urdf(path: str | Path, *, loop_joints: str | Path | None = None) -> "UrdfRobot":
    """What a URDF file says.

    loop_joints  a second file of the same form, <robot> with <joint>s alone, between links of the first: they close loops, which URDF
                 itself cannot say

    What is read over is told by ModelFileWarning: collision shapes, transmissions, extensions of other tools. Raises ModelFileError, with
    file and line.
    """
    source = _source(path)
    links, joints = read_links(source), read_joints(source)
    tell_what_is_not_used(source)
    source.warn()
    name = source.root.get("name") or Path(path).stem
    if not links:
        raise ModelFileError(f"{path}: <robot> has no <link>.")
    if loop_joints is not None:
        loops = _source(loop_joints)
        for element in loops.root.findall("link"):
            loops.fail(element, f"a file of loop joints has no links of its own. Those of {path} are meant.")
        for joint in read_joints(loops, close_loops=True).values():
            if joint.name in joints:
                raise ModelFileError(f"{joint.place}: there is a joint named '{joint.name}' in {path} already.")
            joints[joint.name] = joint
        tell_what_is_not_used(loops)
        loops.warn()
    return UrdfRobot(name, Path(path), links, joints)


def _source(path: str | Path) -> XmlSource:
    source = XmlSource(Path(path))
    if source.root.tag != "robot":
        raise ModelFileError(f"{path}: it is no URDF file. The root element is <{source.tag(source.root)}>, not <robot>.")
    for element in source.root.iter(f"{{{XACRO}}}*"):
        source.fail(element, f"<xacro:{etree.QName(element).localname}> is to be expanded by xacro first: `xacro FILE.xacro > FILE.urdf`.")
    return source


@final
class UrdfRobot:
    """Links and joints of a URDF file, which are a tree, and joints that close loops.

    name, links, joints  by name, in the order of the file
    root                 the link that no joint leads to
    """

    def __init__(self, name: str, path: Path, links: dict[str, UrdfLink], joints: dict[str, UrdfJoint]):
        self.name, self.path, self.links, self.joints = name, path, links, joints
        self._joint_to: dict[str, UrdfJoint] = {}
        for joint in joints.values():
            self._check_ends(joint)
            if joint.closes_loop:
                continue
            if joint.child in self._joint_to:
                other = self._joint_to[joint.child]
                _fail(
                    joint,
                    f"link '{joint.child}' has two parents: joint '{other.name}' in line {other.line} leads to it from '{other.parent}', "
                    f"joint '{joint.name}' from '{joint.parent}'. Move one of them to a file of its own and give that as loop_joints.",
                )
            self._joint_to[joint.child] = joint
        self.root = self._found_root()
        for joint in joints.values():
            self._check_mimic(joint)

    def build(
        self,
        *,
        floating_base: bool = False,
        gravity: float = STANDARD_GRAVITY,
        motors: bool = True,
        limits: LimitsMode = "rigid",
        stop_stiffness: float | None = None,
        friction: Literal["error", "ignore"] = "error",
    ) -> MultibodySystem:
        """A new System, z upward.

        floating_base   whether the root link moves freely in Ground instead of being fixed to it
        gravity         m/s^2, along -z; the force is named 'gravity'
        motors          whether each joint with one coordinate that mimics no other has a MobilityForce '<joint>_motor'
        limits          'rigid': joints stop there; one whose limits do not have 0 among them begins at the nearest, which is told by
                        ModelFileWarning. 'stops': elastic ones, '<joint>_stop'; 'ignore': joints move beyond their limits
        stop_stiffness  N/m or N m/rad, of all elastic stops; default: such that one yields to the joint's greatest effort by 0.01 rad or m
        friction        what becomes of dry friction, which cannot be computed: 'error', or 'ignore'

        Each mobilized body, and so its coordinates, has the name of the joint that leads to its link, the root link's its own; there is
        none of a root link that is named 'world' or has neither mass nor shape: that is Ground. Damping is a force '<joint>_damper' (with
        a number behind it, if the joint has several speeds), a mimic a constraint '<joint>_mimic', which begins where
        it has to. Efforts and velocities that limit actuators bound nothing.
        """
        if friction not in ("error", "ignore"):
            raise InputError(f"friction is {friction!r}. It can be 'error' or 'ignore'.")
        if stop_stiffness is not None and limits != "stops":
            raise InputError(f"stop_stiffness is of elastic stops, and limits are {limits!r}. Write limits='stops', or leave it out.")
        self._check_friction(is_ignored=friction == "ignore")
        builder = self.builder(floating_base=floating_base, stop_stiffness=stop_stiffness)
        with _errors_at(self.path):
            _ = builder.graph  # generates it
        try:
            system = builder.build(limits=limits)
            self._add_forces_and_mimics(system, gravity, motors)
        except DuplicateNameError as error:
            raise ModelFileError(f"{self.path}: {error} Or rename the joint that has it.") from error
        system.set_up_direction([0, 0, 1])
        moving = {body.name: body for body in system.matter.bodies}
        self._place_followers(moving)
        if limits == "rigid":
            self._tell_starts(moving)
        return system

    def _add_forces_and_mimics(self, system: MultibodySystem, gravity: float, motors: bool) -> None:
        forces = ForceSubsystem(system)
        Gravity(forces, system.matter, down=[0, 0, -1], magnitude=gravity, name="gravity")
        moving = {body.name: body for body in system.matter.bodies}
        for joint in self.joints.values():
            if joint.name not in moving:
                continue  # it closes a loop by a constraint
            body = moving[joint.name]
            if joint.damping:
                for speed in range(body.nu):
                    number = f"{speed + 1}" if body.nu > 1 else ""
                    MobilityLinearDamper(forces, body, speed=speed, damping=joint.damping, name=f"{joint.name}_damper{number}")
            if joint.mimic is not None:
                function = Linear([1.0, -joint.mimic.multiplier, -joint.mimic.offset])
                CoordinateCoupler(system.matter, function, [body, moving[joint.mimic.joint]], [0, 0], name=f"{joint.name}_mimic")
            elif motors and joint.has_one_coordinate:
                MobilityForce(forces, body, name=f"{joint.name}_motor")

    def _place_followers(self, moving: Mapping[str, MobilizedBody]) -> None:
        """Each mimic begins where the joint that it follows says."""
        for joint in self.joints.values():
            leader, scale, offset = joint, 1.0, 0.0
            while leader.mimic is not None:
                offset += scale * leader.mimic.offset
                scale *= leader.mimic.multiplier
                leader = self.joints[leader.mimic.joint]
            if leader is not joint:
                moving[joint.name].set_default_q(scale * moving[leader.name].default_q + offset)

    def _tell_starts(self, moving: Mapping[str, MobilizedBody]) -> None:
        for joint in self.joints.values():
            if joint.limits is None:
                continue
            start, lower, upper = float(moving[joint.name].default_q[0]), joint.limits.lower, joint.limits.upper
            unit = "m" if joint.kind == "prismatic" else "rad"
            where, bounds = f"{joint.place}: joint '{joint.name}'", f"its limits, from {lower:g} to {upper:g} {unit}"
            if joint.mimic is not None and not lower <= start <= upper:
                warnings.warn(
                    f"{where} follows '{joint.mimic.joint}' and so begins at {start:g} {unit}, outside of {bounds}. Set another start.",
                    ModelFileWarning,
                    stacklevel=4,
                )
            elif joint.mimic is None and not lower <= 0 <= upper:
                warnings.warn(f"{where}: 0 is outside of {bounds}. It begins at {start:g} {unit}.", ModelFileWarning, stacklevel=4)

    def builder(self, *, floating_base: bool = False, stop_stiffness: float | None = None) -> MultibodyBuilder:
        """The bodies and joints, without forces, to which others can be added."""
        root = self.links[self.root]
        is_ground = not floating_base and (self.root == "world" or (root.mass_properties.mass == 0 and not root.visuals))
        if floating_base:
            self._check_floating_base()
        ground = self.root if is_ground else _free_name("ground", self.links)
        builder = MultibodyBuilder(self.name, ground)
        for link in self.links.values():
            if link.name != ground:
                with _errors_at(link.place):
                    builder.add_body(link.name, link.mass_properties, decorations=link.visuals)
        if not is_ground:
            base = _free_name(self.root, {*self.joints, Ground.name})
            builder.add_joint(base, Free if floating_base else Weld, ground, self.root)
        for joint in self.joints.values():
            R = along("x" if joint.kind == "prismatic" else "z", joint.axis) if joint.kind not in ("floating", "fixed") else None
            X_CM = Transform(R)
            with _errors_at(joint.place):
                builder.add_joint(
                    joint.name,
                    MOBILIZERS[joint.kind],
                    joint.parent,
                    joint.child,
                    joint.X_PC @ X_CM,
                    X_CM,
                    limits=_coordinate_limits(joint, stop_stiffness),
                    must_be_loop_joint=joint.closes_loop,
                )
        return builder

    # checks
    def _check_ends(self, joint: UrdfJoint) -> None:
        for end, name in (("parent", joint.parent), ("child", joint.child)):
            if name not in self.links:
                _fail(joint, f"joint '{joint.name}': its {end}: {UnknownNameError('link', name, self.links)}")

    def _found_root(self) -> str:
        roots = [name for name in self.links if name not in self._joint_to]
        if len(roots) > 1:
            names = ", ".join(f"'{name}' (line {self.links[name].line})" for name in roots[:6])
            raise ModelFileError(f"{self.path}: {len(roots)} links have no parent: {names}. One root is needed, with joints to all others.")
        reached = set(roots)
        children: dict[str, list[str]] = {}
        for name, joint in self._joint_to.items():
            children.setdefault(joint.parent, []).append(name)
        waiting = deque(roots)
        while waiting:
            new = children.get(waiting.popleft(), [])
            reached.update(new)
            waiting.extend(new)
        if len(reached) < len(self.links):
            name = next(name for name in self.links if name not in reached)
            seen: list[str] = []
            while name not in seen:
                seen.append(name)
                name = self._joint_to[name].parent
            cycle = seen[seen.index(name) :]
            joint = self._joint_to[name]
            shown = " <- ".join(f"'{each}'" for each in [*cycle[:6], *(["..."] if len(cycle) > 6 else []), name])
            _fail(joint, f"the joints go round in a cycle: {shown}. Move one of them to a file of its own, given as loop_joints.")
        return roots[0]

    def _check_mimic(self, joint: UrdfJoint) -> None:
        if joint.mimic is None:
            return
        seen = [joint.name]
        follower = joint
        while follower.mimic is not None:
            name = follower.mimic.joint
            if name not in self.joints:
                unknown = UnknownNameError("joint", name, self.joints)
                _fail(follower, f"joint '{follower.name}' mimics what is not there: {unknown}")
            if name in seen:
                _fail(joint, f"joint '{joint.name}' mimics itself: {' -> '.join([*seen, name])}.")
            seen.append(name)
            for each in (follower, self.joints[name]):
                if not each.has_one_coordinate:
                    _fail(each, f"joint '{each.name}' is {each.kind}, and a mimic is between joints of one coordinate.")
            follower = self.joints[name]

    def _check_floating_base(self) -> None:
        root, joints = self.links[self.root], [joint for joint in self._joint_to.values() if joint.parent == self.root]
        if root.mass_properties.mass == 0 and len(joints) == 1 and joints[0].kind != "fixed":
            _fail(
                root,
                f"link '{root.name}' has no mass and one joint, '{joints[0].name}', which is {joints[0].kind}: with floating_base=True "
                "nothing would resist its motion along that. Leave floating_base out, or give the link mass.",
            )

    def _check_friction(self, *, is_ignored: bool) -> None:
        rubbing = [joint for joint in self.joints.values() if joint.friction]
        if rubbing and not is_ignored:
            joint = rubbing[0]
            raise UnsupportedError(
                f"{joint.place}: joint '{joint.name}' has dry friction of {joint.friction:g} "
                f"({'N' if joint.kind == 'prismatic' else 'N m'}), which cannot be computed; damping can. "
                + (f"{len(rubbing)} joints have it. " if len(rubbing) > 1 else "")
                + "Leave it out by friction='ignore'."
            )


def _fail(element: UrdfLink | UrdfJoint, message: str) -> NoReturn:
    raise ModelFileError(f"{element.place}: {message}")


@contextmanager
def _errors_at(place: str | Path) -> Iterator[None]:
    """What is refused is an error of the file."""
    try:
        yield
    except InputError as error:
        raise ModelFileError(f"{place}: {error}") from error


def _coordinate_limits(joint: UrdfJoint, stop_stiffness: float | None) -> tuple[CoordinateLimits, ...]:
    if joint.limits is None or (joint.limits.lower == -inf and joint.limits.upper == inf):
        return ()
    if stop_stiffness is None and 0 < joint.limits.effort / STOP_YIELD < inf:
        stop_stiffness = joint.limits.effort / STOP_YIELD
    return (CoordinateLimits(lower=joint.limits.lower, upper=joint.limits.upper, stop_stiffness=stop_stiffness),)


def _free_name(name: str, taken: Container[str]) -> str:
    """The name, with '#' before it where another has it already."""
    while name in taken:
        name = f"#{name}"
    return name
