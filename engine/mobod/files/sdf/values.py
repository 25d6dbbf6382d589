"""Numbers, names and poses in the elements of an SDF file."""

from math import inf, radians

import numpy as np
from lxml import etree

from mobod.files.robot.sizes import ABSURD
from mobod.files.xml_source import XmlSource
from mobod.spatial import Transform, from_quaternion, rotation_x, rotation_y, rotation_z

NO_BOUND = 1e16  # from this size on a limit is none, as sdformat writes and reads them


def text_in(source: XmlSource, element: etree._Element, tag: str, default: str | None = None) -> str:
    """The text of a child. Raises ModelFileError if it has none and there is no default."""
    child = source.only(element, tag) if default is not None else source.needed(element, tag)
    text = "" if child is None else (child.text or "").strip()
    if text:
        return text
    if default is None:
        assert child is not None
        source.fail(child, f"<{tag}> of <{source.tag(element)}> is empty.")
    return default


def number_in(source: XmlSource, element: etree._Element, tag: str, default: float | None = None) -> float:
    """A finite number in a child."""
    child, text = _content(source, element, tag, required=default is None)
    return default if child is None and default is not None else source.parsed(_known(child), _what(element, tag), text, ABSURD)


def bound_in(source: XmlSource, element: etree._Element, tag: str, default: float) -> float:
    """A number in a child that may be infinite."""
    child, text = _content(source, element, tag, required=False)
    if child is None:
        return default
    value = source.parsed_bound(child, _what(element, tag), text, default)
    return float(np.sign(value)) * inf if abs(value) >= NO_BOUND else value


def numbers_in(source: XmlSource, element: etree._Element, tag: str, n: int, default: tuple[float, ...] | None = None) -> list[float]:
    """(n,) numbers in a child."""
    child, text = _content(source, element, tag, required=default is None)
    if child is None and default is not None:
        return list(default)
    return source.parsed_numbers(_known(child), _what(element, tag), text, n, ABSURD)


def truth_in(source: XmlSource, element: etree._Element, tag: str, *, default: bool) -> bool:
    """true or false in a child."""
    child, text = _content(source, element, tag, required=False)
    return default if child is None else _truth(source, child, _what(element, tag), text, default=default)


def truth_of(source: XmlSource, element: etree._Element, name: str) -> bool:
    """true or false in an attribute; false if it is not given."""
    text = element.get(name)
    return False if text is None else _truth(source, element, f"attribute '{name}' of <{source.tag(element)}>", text, default=False)


def pose_in(source: XmlSource, element: etree._Element) -> tuple[Transform, str | None]:
    """(pose, the frame that it is relative to, or None) of the child <pose>."""
    child = source.only(element, "pose")
    if child is None:
        return Transform(), None
    source.check_content(child, (), ("relative_to", "frame", "degrees", "rotation_format"))
    relative_to = (child.get("relative_to") or child.get("frame") or "").strip() or None
    return read_pose(source, child), relative_to


def read_pose(source: XmlSource, pose: etree._Element) -> Transform:
    """x y z roll pitch yaw, about the fixed axes x, y, z in turn; or with rotation_format="quat_xyzw" a quaternion after x y z."""
    kind, text = pose.get("rotation_format", "euler_rpy"), (pose.text or "").strip()
    if kind not in ("euler_rpy", "quat_xyzw"):
        source.fail(pose, f"rotation_format is '{kind}'. There are: euler_rpy, quat_xyzw.")
    if not text:
        return Transform()
    what = f"<pose> of {_parent(pose)}"
    if kind == "quat_xyzw":
        x, y, z, *q = source.parsed_numbers(pose, what, text, 7, ABSURD)
        if not any(q):
            source.fail(pose, f"{what}: its quaternion is 0, which is no rotation.")
        return Transform(from_quaternion([q[3], *q[:3]]), [x, y, z])
    x, y, z, *angles = source.parsed_numbers(pose, what, text, 6, ABSURD)
    if truth_of(source, pose, "degrees"):
        angles = [radians(each) for each in angles]
    roll, pitch, yaw = angles
    return Transform(rotation_z(yaw) @ rotation_y(pitch) @ rotation_x(roll), [x, y, z])


def direction_in(source: XmlSource, element: etree._Element, tag: str, default: tuple[float, float, float]) -> np.ndarray:
    """(3,) a unit vector in a child; zeros if it is one of zeros."""
    given = np.array(numbers_in(source, element, tag, 3, default))
    if not given.any():
        return given
    scaled = given / np.abs(given).max()
    return scaled / np.linalg.norm(scaled)


def _content(source: XmlSource, element: etree._Element, tag: str, *, required: bool) -> tuple[etree._Element | None, str]:
    """The child and its text; None for one that is not there, or is empty and not required."""
    child = source.needed(element, tag) if required else source.only(element, tag)
    text = "" if child is None else (child.text or "").strip()
    if child is not None and not text:
        if required:
            source.fail(child, f"{_what(element, tag)} is empty.")
        return None, ""
    return child, text


def _known(child: etree._Element | None) -> etree._Element:
    assert child is not None
    return child


def _what(element: etree._Element, tag: str) -> str:
    name = _named(element)
    return f"<{tag}> of <{element.tag!s}>{name}"


def _parent(element: etree._Element) -> str:
    parent = element.getparent()
    assert parent is not None
    return f"<{parent.tag!s}>{_named(parent)}"


def _named(element: etree._Element) -> str:
    name = str(element.get("name", ""))
    return f" '{name}'" if name else ""


def _truth(source: XmlSource, element: etree._Element, what: str, text: str, *, default: bool) -> bool:
    found = {"true": True, "1": True, "false": False, "0": False}.get(text.strip().lower())
    if found is None:
        source.mend(
            element, "number", f"{what} is {text[:40]!r}, which is neither true nor false.", f"It is taken as {str(default).lower()}."
        )
        return default
    return found
