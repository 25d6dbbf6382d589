"""<joint>: joints of a robot, chains of two for those with two axes, and gearboxes, which are equalities."""

from dataclasses import dataclass
from math import inf, pi
from typing import final

import numpy as np
from lxml import etree

from mobod.files.robot.equalities import Follow
from mobod.files.robot.joints import JointKind, RobotJoint, RobotLimits, RobotMimic, RobotSpring
from mobod.files.robot.links import WORLD, RobotLink
from mobod.files.sdf.frames import Frames
from mobod.files.sdf.models import SdfPart, version_of
from mobod.files.sdf.values import bound_in, direction_in, number_in, text_in, truth_in
from mobod.files.xml_source import XmlSource
from mobod.spatial import MassProperties, Transform
from mobod.system.names import marked

KINDS: dict[str, JointKind] = {
    "revolute": "revolute",
    "continuous": "continuous",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "ball": "spherical",
    "screw": "screw",
}
CHAINS = ("universal", "revolute2")
GEARBOX = "gearbox"
OF_JOINT = ("parent", "child", "axis", "axis2", "pose", "physics", "sensor", "gearbox_ratio", "gearbox_reference_body", "origin")
OF_AXIS = ("xyz", "dynamics", "limit", "mimic", "use_parent_model_frame", "initial_position")
UNLIMITED = 0.0  # an effort or a velocity that is not known


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class _Axis:
    """direction is a unit vector in the frame of the joint; None: zeros were given."""

    direction: np.ndarray | None
    limits: RobotLimits | None
    damping: float
    friction: float
    spring: RobotSpring | None
    mimic: RobotMimic | None


@final
class Joints:
    """Reads joints. links are those of the file; chains add links without mass."""

    def __init__(self, frames: Frames, links: dict[str, RobotLink], parts: list[SdfPart]):
        self._frames, self._links = frames, links
        self._parts = {part.name: part for part in parts}
        self.joints: dict[str, RobotJoint] = {}
        self.equalities: list[Follow] = []

    def read_all(self) -> None:
        """Read all joints; gearboxes come last, since they are about the others."""
        gearboxes = []
        for part in self._parts.values():
            if part.scope.source.text(part.element, "type") == GEARBOX:
                gearboxes.append(part)
            else:
                self._read(part)
        for part in gearboxes:
            self._read_gearbox(part)

    def _read(self, part: SdfPart) -> None:
        source, element = part.scope.source, part.element
        source.check_content(element, (*OF_JOINT, "thread_pitch", "screw_thread_pitch"), ("name", "type"))
        kind = source.text(element, "type")
        if kind not in KINDS and kind not in CHAINS:
            source.fail(element, f"joint '{part.name}' has the type '{kind}'. There are: {', '.join([*KINDS, *CHAINS, GEARBOX])}.")
        parent, child = self._ends(part)
        frames = self._frames
        X_PJ, X_JC = frames.between(parent, part.frame), frames.between(part.frame, child)
        axes = [self._axis(part, tag, kind) for tag in ("axis", "axis2")[: 2 if kind in CHAINS else 1]]
        if kind in CHAINS:
            self._add_chain(part, parent, child, X_PJ, X_JC, axes)
        else:
            self._add(part, part.name, KINDS[kind], parent, child, X_PJ @ X_JC, X_JC, axes[0])

    def _ends(self, part: SdfPart) -> tuple[str, str]:
        """The links, or the world, that a joint connects."""
        source, element = part.scope.source, part.element
        found = []
        for tag in ("parent", "child"):
            name = text_in(source, element, tag)
            frame = self._frames.found(name, part.scope, element, f"<{tag}> of joint '{part.name}'")
            found.append(self._frames.link_of(frame))
        parent, child = found
        if child == WORLD and parent == WORLD:
            source.fail(element, f"joint '{part.name}' connects the world with itself.")
        if child == WORLD:
            source.fail(element, f"joint '{part.name}': its <child> is the world, which can only be a <parent>. Exchange both.")
        if parent == child:
            source.fail(element, f"joint '{part.name}' connects link '{parent}' with itself.")
        return parent, child

    def _add_chain(self, part: SdfPart, parent: str, child: str, X_PJ: Transform, X_JC: Transform, axes: list[_Axis]) -> None:
        """Two joints with a link without mass between them, which is at the frame of the joint."""
        source, element = part.scope.source, part.element
        between = marked(f"{part.name}_between", self._links)
        self._links[between] = RobotLink(
            name=between,
            path=source.path,
            line=element.sourceline or 0,
            mass_properties=MassProperties.massless(),
            model=self._links[child].model,
        )
        self._add(part, f"{part.name}_1", "revolute", parent, between, X_PJ, Transform(), axes[0])
        self._add(part, f"{part.name}_2", "revolute", between, child, X_JC, X_JC, axes[1])

    def _add(
        self, part: SdfPart, name: str, kind: JointKind, parent: str, child: str, X_PC: Transform, X_JC: Transform, axis: _Axis
    ) -> None:
        source, element = part.scope.source, part.element
        X_CJ = X_JC.inverse()
        if axis.direction is None:
            kind = "fixed"
        is_plain = kind in ("fixed", "spherical")
        self.joints[name] = RobotJoint(
            name=name,
            path=source.path,
            line=element.sourceline or 0,
            kind=kind,
            parent=parent,
            child=child,
            X_PC=X_PC,
            axis=np.array([0.0, 0.0, 1.0]) if is_plain or axis.direction is None else _clean(X_CJ.R @ axis.direction),
            anchor=np.zeros(3) if kind in ("fixed", "prismatic") else X_CJ.p,
            pitch=_pitch(source, element) if kind == "screw" else 0.0,
            limits=None if is_plain else axis.limits,
            damping=0.0 if kind == "fixed" else axis.damping,
            friction=0.0 if is_plain else axis.friction,
            spring=None if is_plain else axis.spring,
            mimic=None if is_plain else axis.mimic,
            closes_loop=truth_in(source, loop, "must_be_loop_joint", default=False)
            if (loop := element.find("physics/simbody")) is not None
            else False,
        )

    # axes
    def _axis(self, part: SdfPart, tag: str, kind: str) -> _Axis:
        source, element = part.scope.source, part.element
        axis = source.only(element, tag)
        plain = _Axis(direction=np.array([0.0, 0.0, 1.0]), limits=None, damping=0.0, friction=0.0, spring=None, mimic=None)
        if axis is None:
            if kind not in ("fixed", "ball"):
                source.mend(element, "axis", f"joint '{part.name}' ({kind}) has no <{tag}>.", "Its axis is z of its frame, the default.")
            return plain
        if kind == "fixed":
            return plain
        source.check_content(axis, OF_AXIS)
        direction = self._direction(part, axis, tag)
        if kind != "ball" and not direction.any():
            wrong = f"joint '{part.name}': <xyz> of its <{tag}> is 0 0 0, which has no direction."
            source.mend(axis, "axis", wrong, "The joint is fixed.")
            return _Axis(direction=None, limits=None, damping=0.0, friction=0.0, spring=None, mimic=None)
        damping, friction, spring = _dynamics(source, axis, part.name)
        return _Axis(
            direction=direction,
            limits=_limits(source, axis, part.name, kind),
            damping=damping,
            friction=friction,
            spring=spring,
            mimic=self._mimic(part, axis),
        )

    def _direction(self, part: SdfPart, axis: etree._Element, tag: str) -> np.ndarray:
        """(3,) in the frame of the joint."""
        source = part.scope.source
        xyz = source.only(axis, "xyz")
        direction = direction_in(source, axis, "xyz", (0.0, 0.0, 1.0))
        frame = "" if xyz is None else xyz.get("expressed_in", "").strip()
        if not frame and version_of(source) < (1, 7) and _in_model_frame(source, axis):
            frame = "__model__"
        if not frame:
            return direction
        whole = self._frames.found(frame, part.scope, axis, f"expressed_in of <{tag}> of joint '{part.name}'")
        return self._frames.between(part.frame, whole).R @ direction

    def _mimic(self, part: SdfPart, axis: etree._Element) -> RobotMimic | None:
        source = part.scope.source
        mimic = source.only(axis, "mimic")
        if mimic is None:
            return None
        source.check_content(mimic, ("multiplier", "offset", "reference"), ("joint", "axis"))
        name = part.scope.whole(source.text(mimic, "joint"))
        leader = self._parts.get(name)
        if leader is not None and leader.scope.source.text(leader.element, "type") in CHAINS:
            name += "_2" if mimic.get("axis") == "axis2" else "_1"
        multiplier, offset = number_in(source, mimic, "multiplier", 1.0), number_in(source, mimic, "offset", 0.0)
        return RobotMimic(joint=name, multiplier=multiplier, offset=offset - multiplier * number_in(source, mimic, "reference", 0.0))

    # gearboxes
    def _read_gearbox(self, part: SdfPart) -> None:
        """theta_2 = -ratio theta_1, the angles of the child and of the parent from the reference body, about axis2 and axis."""
        source, element = part.scope.source, part.element
        parent, child = self._ends(part)
        if source.only(element, "gearbox_reference_body") is None:
            wrong = f"gearbox '{part.name}' has no <gearbox_reference_body>, from which its angles are measured."
            source.mend(element, "gearbox", wrong, "It is left out.")
            return
        name = text_in(source, element, "gearbox_reference_body")
        at = source.needed(element, "gearbox_reference_body")
        reference = self._frames.link_of(self._frames.found(name, part.scope, at, f"<gearbox_reference_body> of joint '{part.name}'"))
        ratio = number_in(source, element, "gearbox_ratio", 1.0)
        ends = []
        for link, tag in ((parent, "axis"), (child, "axis2")):
            axis = source.only(element, tag)
            direction = np.array([0.0, 0.0, 1.0]) if axis is None else self._direction(part, axis, tag)
            ends.append(self._turning(part, reference, link, direction))
        (leader, sign1), (follower, sign2) = ends
        coefficient = -ratio * sign1 * sign2
        line = element.sourceline or 0
        self.equalities.append(Follow(name=part.name, joint=follower.name, leader=leader.name, coefficients=(0.0, coefficient), line=line))

    def _turning(self, part: SdfPart, reference: str, link: str, direction: np.ndarray) -> tuple[RobotJoint, float]:
        """The joint by which a link turns on the reference body, and the sign of its coordinate about a direction of the gearbox."""
        for joint in self.joints.values():
            if {joint.parent, joint.child} == {reference, link} and joint.kind in ("revolute", "continuous"):
                axis = self._frames.between(part.frame, joint.child).R @ joint.axis
                along = float(axis @ direction) * (1.0 if joint.child == link else -1.0)
                return joint, -1.0 if along < 0 else 1.0
        part.scope.source.fail(
            part.element, f"gearbox '{part.name}': link '{link}' does not turn on its reference body '{reference}' by a revolute joint."
        )


def _clean(direction: np.ndarray) -> np.ndarray:
    """Without entries that are rounding errors of a rotation."""
    cleaned = np.where(np.abs(direction) < 1e-15, 0.0, direction)
    return cleaned / np.linalg.norm(cleaned)


def _in_model_frame(source: XmlSource, axis: etree._Element) -> bool:
    """Whether an axis is expressed in the frame of the model: always in 1.4 and earlier, then by use_parent_model_frame."""
    return version_of(source) < (1, 5) or truth_in(source, axis, "use_parent_model_frame", default=False)


def _pitch(source: XmlSource, joint: etree._Element) -> float:
    """m/rad. screw_thread_pitch: m for each turn, of a right-handed thread; the older thread_pitch: rad/m, of a left-handed one."""
    if joint.find("screw_thread_pitch") is None and joint.find("thread_pitch") is not None:
        thread = number_in(source, joint, "thread_pitch")
        if thread == 0:
            source.fail(joint, "<thread_pitch> is 0 rad/m. It cannot be: a thread turns as it moves.")
        return -1.0 / thread
    return number_in(source, joint, "screw_thread_pitch", 1.0) / (2 * pi)


def _limits(source: XmlSource, axis: etree._Element, name: str, kind: str) -> RobotLimits | None:
    limit = source.only(axis, "limit")
    if limit is None or kind == "ball":
        return None
    source.check_content(limit, ("lower", "upper", "effort", "velocity", "stiffness", "dissipation"))
    lower, upper = bound_in(source, limit, "lower", -inf), bound_in(source, limit, "upper", inf)
    if kind == "continuous":
        lower, upper = -inf, inf
    if lower > upper or lower == inf or upper == -inf:
        wrong = f"joint '{name}': its lower limit, {lower:g}, is above its upper limit, {upper:g}."
        source.mend(limit, "limits", wrong, "It moves without limits.")
        lower, upper = -inf, inf
    effort, velocity = (_bound_of_drive(source, limit, each) for each in ("effort", "velocity"))
    stiffness = bound_in(source, limit, "stiffness", 1e8) if limit.find("stiffness") is not None else None
    dissipation = max(0.0, number_in(source, limit, "dissipation", 0.0))
    if stiffness is not None and not 0 < stiffness < inf:
        stiffness = None
    return RobotLimits(lower=lower, upper=upper, effort=effort, velocity=velocity, stiffness=stiffness, dissipation=dissipation)


def _bound_of_drive(source: XmlSource, limit: etree._Element, tag: str) -> float:
    """The effort or the velocity; negative and infinite ones limit nothing, as SDF says."""
    value = bound_in(source, limit, tag, inf)
    if value == 0:  # URDF files that were converted have it for what they do not know
        return UNLIMITED
    return value if 0 < value < inf else UNLIMITED


def _dynamics(source: XmlSource, axis: etree._Element, name: str) -> tuple[float, float, RobotSpring | None]:
    """(damping, friction, spring)"""
    dynamics = source.only(axis, "dynamics")
    if dynamics is None:
        return 0.0, 0.0, None
    source.check_content(dynamics, ("damping", "friction", "spring_reference", "spring_stiffness"))
    values = {each: number_in(source, dynamics, each, 0.0) for each in ("damping", "friction", "spring_stiffness")}
    for what, value in values.items():
        if value < 0:
            source.mend(dynamics, "dynamics", f"joint '{name}': its {what} is {value:g}. It cannot be negative.", "It is taken as 0.")
            values[what] = 0.0
    stiffness = values["spring_stiffness"]
    spring = RobotSpring(stiffness=stiffness, q_zero=number_in(source, dynamics, "spring_reference", 0.0)) if stiffness else None
    return values["damping"], values["friction"], spring
