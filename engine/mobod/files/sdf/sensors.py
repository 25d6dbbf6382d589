"""<sensor>: IMUs and force-torque sensors; others are ignored."""

from collections.abc import Iterator

from lxml import etree

from mobod.files.robot.joints import RobotJoint
from mobod.files.robot.sensors import ForceTorqueOfJoint, ImuOnLink, RobotSensor
from mobod.files.sdf.frames import Frames
from mobod.files.sdf.models import SdfPart
from mobod.files.sdf.values import pose_in, text_in
from mobod.files.xml_source import XmlSource
from mobod.spatial import Transform

CHILD_TO_PARENT = "child_to_parent"


def read_sensors(links: list[SdfPart], joints: list[SdfPart], known: dict[str, RobotJoint], frames: Frames) -> Iterator[RobotSensor]:
    """The sensors of links and of joints, named '<link or joint>::<sensor>' where a name is taken."""
    taken = {sensor for part in (*links, *joints) for sensor in [part.name]}
    for part in links:
        for element in part.element.findall("sensor"):
            source = part.scope.source
            if source.text(element, "type") != "imu":
                _ignore(source, element)
                continue
            name = _name(part, element, taken)
            X_LS = _pose(part, element, frames, part.frame)
            yield ImuOnLink(name=name, link=part.name, X_LS=X_LS, line=element.sourceline or 0)
    for part in joints:
        for element in part.element.findall("sensor"):
            source = part.scope.source
            if source.text(element, "type") != "force_torque" or part.name not in known:
                _ignore(source, element)
                continue
            name = _name(part, element, taken)
            joint = known[part.name]
            X_CS = frames.between(joint.child, part.frame) @ _pose(part, element, frames, part.frame)
            yield ForceTorqueOfJoint(name=name, joint=part.name, X_CS=_axes(source, element, X_CS, joint), line=element.sourceline or 0)


def _axes(source: XmlSource, element: etree._Element, X_CS: Transform, joint: RobotJoint) -> Transform:
    """The frame of a force-torque sensor: at its place, along the axes that <frame> chooses."""
    settings = element.find("force_torque")
    frame, direction = "child", CHILD_TO_PARENT
    if settings is not None:
        frame = text_in(source, settings, "frame", "child")
        direction = text_in(source, settings, "measure_direction", CHILD_TO_PARENT)
    if direction == CHILD_TO_PARENT:
        source.note(
            element,
            "sensor",
            f"sensor '{element.get('name')}' shows what the parent of joint '{joint.name}' exerts on the child. Both signs are opposite to "
            "those of measure_direction child_to_parent.",
        )
    if frame == "sensor":
        return X_CS
    if frame != "child":
        source.note(element, "sensor", f"sensor '{element.get('name')}' has the axes of the child, not of its <frame> '{frame}'.")
    return Transform(p=X_CS.p)


def _pose(part: SdfPart, element: etree._Element, frames: Frames, of: str) -> Transform:
    """The pose of a sensor in the frame of its link or joint."""
    pose, relative_to = pose_in(part.scope.source, element)
    if relative_to is None:
        return pose
    return frames.between(of, frames.found(relative_to, part.scope, element, "relative_to of <pose>")) @ pose


def _name(part: SdfPart, element: etree._Element, taken: set[str]) -> str:
    own = part.scope.source.text(element, "name")
    name = f"{part.scope.prefix}{own}"
    if name in taken:
        name = f"{part.name}::{own}"
    taken.add(name)
    return name


def _ignore(source: XmlSource, element: etree._Element) -> None:
    kind = element.get("type", "")
    source.ignore(element, f"<sensor> of type '{kind}' is ignored. There are imu of a link and force_torque of a joint.")
