"""From the XML of a URDF file to plain data. Lengths in m, angles in rad, masses in kg.

Source: the URDF specification at wiki.ros.org/urdf/XML, as urdfdom reads it.
"""

from collections.abc import Collection
from dataclasses import replace
from typing import get_args

import numpy as np
from lxml import etree

from mobod.errors import ModelFileError
from mobod.files.robot.joints import JointKind, RobotJoint, RobotLimits, RobotMimic
from mobod.files.robot.links import RobotLink
from mobod.files.robot.sizes import ABSURD
from mobod.files.urdf.collisions import read_collisions
from mobod.files.urdf.masses import read_mass_properties
from mobod.files.urdf.places import read_origin
from mobod.files.urdf.shapes import Materials, read_shape
from mobod.files.xml_source import XmlSource
from mobod.matter import Ground

KINDS: tuple[str, ...] = tuple(kind for kind in get_args(JointKind) if kind not in ("spherical", "screw"))

NOT_USED = {
    "transmission": "<transmission> is ignored: it describes actuators, and joints have motors that apply force or torque.",
    "gazebo": "<gazebo> is ignored: it is for another simulator.",
    "safety_controller": "<safety_controller> is ignored: it is for a controller.",
    "calibration": "<calibration> is ignored: it is for a controller.",
}


def read_links(source: XmlSource) -> dict[str, RobotLink]:
    """The links by name."""
    materials = Materials(source)
    links: dict[str, RobotLink] = {}
    for element in source.root.findall("link"):
        name = _name(source, element)
        if name in links:
            source.fail(element, f"there is a link named '{name}' already, in line {links[name].line}. Give each link a name of its own.")
        source.check_content(element, ("inertial", "visual", "collision"), ("name", "type"))
        visuals = [each for visual in element.findall("visual") if (each := read_shape(source, visual, materials)) is not None]
        links[name] = RobotLink(
            name=name,
            path=source.path,
            line=element.sourceline or 0,
            mass_properties=read_mass_properties(source, element, name),
            visuals=tuple(visuals),
            collisions=read_collisions(source, element),
        )
    return links


def read_joints(source: XmlSource, *, close_loops: bool = False) -> dict[str, RobotJoint]:
    """The joints by name."""
    joints: dict[str, RobotJoint] = {}
    elements = source.root.findall("joint")
    given = {element.get("name") for element in elements}
    for element in elements:
        name = _joint_name(source, element, given)
        if name in joints:
            source.fail(
                element, f"there is a joint named '{name}' already, in line {joints[name].line}. Give each joint a name of its own."
            )
        joints[name] = _joint(source, element, name, close_loops)
    for joint in joints.values():
        if joint.mimic is not None and joint.mimic.joint == Ground.name and Ground.name not in joints:
            joints[joint.name] = replace(joint, mimic=replace(joint.mimic, joint=_not_ground(given)))
    return joints


def note_what_is_not_used(source: XmlSource) -> None:
    for tag in ("transmission", "gazebo"):
        _ignore(source, source.root, tag)
    source.check_content(
        source.root,
        ("link", "joint", "material", "transmission", "gazebo"),
        ("name", "version", "{http://www.w3.org/2001/XMLSchema-instance}schemaLocation"),
    )


def _ignore(source: XmlSource, element: etree._Element, tag: str) -> None:
    for child in element.findall(tag):
        source.ignore(child, NOT_USED[tag])


def _name(source: XmlSource, element: etree._Element) -> str:
    name = source.text(element, "name")
    if any(character in name for character in "'\"\n"):
        source.fail(element, f"the name {name!r} has a quote or a line break, which no name may have.")
    return name


def _joint_name(source: XmlSource, element: etree._Element, given: Collection[str | None]) -> str:
    """The joint's name. A joint named 'ground', which is Ground's name, is renamed; strict findings refuse it."""
    name = _name(source, element)
    if name != Ground.name or source.findings.strict:
        return name
    new = _not_ground(given)
    source.note(element, "name", f"joint '{name}' is called '{new}': '{name}' is the name of Ground.")
    return new


def _not_ground(given: Collection[str | None]) -> str:
    name = f"#{Ground.name}"
    while name in given:
        name = f"#{name}"
    return name


# joints
def _joint(source: XmlSource, element: etree._Element, name: str, closes_loop: bool) -> RobotJoint:
    for tag in ("safety_controller", "calibration"):
        _ignore(source, element, tag)
    source.check_content(
        element,
        ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "safety_controller", "calibration"),
        ("name", "type"),
    )
    kind = _kind(source, element, name)
    parent, child = (source.text(source.needed(element, end), "link") for end in ("parent", "child"))
    if parent == child:
        source.fail(element, f"joint '{name}' connects link '{parent}' with itself.")
    axis = _axis(source, element, name, kind)
    limits = None if axis is None else _limits(source, element, name, kind)
    if axis is None:
        kind, axis = "fixed", np.array([1.0, 0.0, 0.0])
    damping, friction = _dynamics(source, element, name)
    return RobotJoint(
        name=name,
        path=source.path,
        line=element.sourceline or 0,
        kind=kind,
        parent=parent,
        child=child,
        X_PC=read_origin(source, element),
        axis=axis,
        limits=limits,
        damping=damping,
        friction=friction,
        mimic=_mimic(source, element, name),
        closes_loop=closes_loop,
    )


def _kind(source: XmlSource, joint: etree._Element, name: str) -> JointKind:
    kind = source.text(joint, "type")
    if kind in KINDS:
        return kind  # type: ignore[return-value] # mypy does not narrow a str by `in`
    wrong = f"joint '{name}' has the type '{kind}'. There are: {', '.join(KINDS)}."
    if kind not in ("spherical", "ball"):  # names in PyBullet and in Drake
        source.fail(joint, wrong)
    source.mend(joint, "joint-type", wrong, "It is made a ball joint.")
    return "spherical"


def _axis(source: XmlSource, joint: etree._Element, name: str, kind: str) -> np.ndarray | None:
    """The axis, or None for a fixed joint. The axis of a joint kind without axis is not read, because other tools write zeros there."""
    axis = source.only(joint, "axis")
    if axis is None or kind in ("fixed", "floating", "spherical"):
        return np.array([1.0, 0.0, 0.0])  # URDF's default
    source.check_content(axis, (), ("xyz",))
    direction = np.array(source.numbers(axis, "xyz", 3, (1.0, 0.0, 0.0) if not source.findings.strict else None, most=ABSURD))
    if not direction.any():
        source.mend(axis, "axis", f"joint '{name}': its axis is [0, 0, 0], which has no direction.", "The joint is fixed.")
        return None
    scaled = direction / np.abs(direction).max()
    return scaled / np.linalg.norm(scaled)


def _limits(source: XmlSource, joint: etree._Element, name: str, kind: str) -> RobotLimits | None:
    limit = source.only(joint, "limit")
    if limit is None:
        if kind in ("revolute", "prismatic"):
            wrong = f"joint '{name}' is {kind} and has no <limit>." + (" Without limits it is continuous." if kind == "revolute" else "")
            source.mend(joint, "limits", wrong, "It moves without limits.")
        return None
    source.check_content(limit, (), ("lower", "upper", "effort", "velocity"))
    if kind not in ("revolute", "prismatic", "continuous"):
        source.ignore(limit, f"<limit> of a {kind} joint is ignored: it says nothing of its coordinates one by one.")
        return None
    is_bounded = kind != "continuous"
    is_given = limit.get("lower") is not None or limit.get("upper") is not None
    if is_bounded and not is_given and not source.findings.strict:
        source.note(limit, "limits", f"joint '{name}': <limit> has neither lower nor upper. It moves without limits, and not from 0 to 0.")
        is_bounded = False
    lower, upper = (source.bound(limit, "lower", 0.0), source.bound(limit, "upper", 0.0)) if is_bounded else (-np.inf, np.inf)
    if lower > upper or lower == np.inf or upper == -np.inf:
        wrong = f"joint '{name}': its lower limit, {lower:g}, is above its upper limit, {upper:g}."
        source.mend(limit, "limits", wrong, "It moves without limits.")
        lower, upper = -np.inf, np.inf
    effort, velocity = (_bound_of_actuator(source, limit, name, what) for what in ("effort", "velocity"))
    return RobotLimits(lower=lower, upper=upper, effort=effort, velocity=velocity)


def _bound_of_actuator(source: XmlSource, limit: etree._Element, name: str, what: str) -> float:
    """The effort or velocity of a limit; 0 if not given."""
    value = source.bound(limit, what, 0.0)
    if value < 0:
        source.mend(
            limit, "limits", f"joint '{name}': its greatest {what} is {value:g}. It cannot be negative.", "It is taken as not given."
        )
        return 0.0
    return value


def _dynamics(source: XmlSource, joint: etree._Element, name: str) -> tuple[float, float]:
    """(damping, friction)"""
    dynamics = source.only(joint, "dynamics")
    if dynamics is None:
        return 0.0, 0.0
    source.check_content(dynamics, (), ("damping", "friction"))
    values = {each: source.number(dynamics, each, 0.0, most=ABSURD) for each in ("damping", "friction")}
    for what, value in values.items():
        if value < 0:
            source.mend(dynamics, "dynamics", f"joint '{name}': its {what} is {value:g}. It cannot be negative.", "It is taken as 0.")
            values[what] = 0.0
    return values["damping"], values["friction"]


def _mimic(source: XmlSource, joint: etree._Element, name: str) -> RobotMimic | None:
    mimic = source.only(joint, "mimic")
    if mimic is None:
        return None
    source.check_content(mimic, (), ("joint", "multiplier", "offset"))
    try:
        leader = source.text(mimic, "joint")
    except ModelFileError:
        source.mend(mimic, "mimic", "<mimic> has no attribute 'joint'.", f"Joint '{name}' moves by itself.")
        return None
    return RobotMimic(
        joint=leader,
        multiplier=source.number(mimic, "multiplier", 1.0, most=ABSURD),
        offset=source.number(mimic, "offset", 0.0, most=ABSURD),
    )
