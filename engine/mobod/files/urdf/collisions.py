"""<collision>: shapes that touch others, if contact is asked for."""

from copy import copy

from lxml import etree

from mobod.contact import Box, Capsule, ContactShape, Cylinder, Sphere
from mobod.errors import InputError, ModelFileError
from mobod.files.findings import Findings
from mobod.files.robot.collisions import RobotCollision
from mobod.files.robot.sizes import ABSURD
from mobod.files.urdf.places import read_origin
from mobod.files.xml_source import XmlSource
from mobod.matter.bodies.decorations import MeshFile, Triple
from mobod.spatial import Transform


def read_collisions(source: XmlSource, link: etree._Element) -> tuple[RobotCollision, ...]:
    """The shapes of a link. What is wrong with them is stored: it matters only if contact is asked for."""
    return tuple(_collision(source, element) for element in link.findall("collision"))


def _collision(source: XmlSource, element: etree._Element) -> RobotCollision:
    own, line = copy(source), element.sourceline or 0
    own.findings = Findings(source.path, strict=source.findings.strict)
    try:
        X_BS, shape = _placed(own, element)
    except ModelFileError as error:
        return RobotCollision(path=source.path, line=line, X_BS=Transform(), shape=None, findings=tuple(own.findings), error=str(error))
    return RobotCollision(path=source.path, line=line, X_BS=X_BS, shape=shape, findings=tuple(own.findings))


def _placed(source: XmlSource, collision: etree._Element) -> tuple[Transform, ContactShape | MeshFile]:
    source.check_content(collision, ("origin", "geometry"), ("name",))
    X_BS, geometry = read_origin(source, collision), source.needed(collision, "geometry")
    shapes = list(source.elements(geometry))
    if not shapes:
        source.fail(geometry, "<geometry> has 0 shapes. One is needed.")
    if len(shapes) > 1:
        source.mend(geometry, "repeated", f"<geometry> has {len(shapes)} shapes. One is needed.", "The first is used.")
    try:
        return X_BS, _shape(source, shapes[0])
    except ModelFileError:
        raise
    except InputError as error:
        source.fail(shapes[0], str(error))


def _shape(source: XmlSource, shape: etree._Element) -> ContactShape | MeshFile:
    match source.tag(shape):
        case "box":
            x, y, z = source.numbers(shape, "size", 3, most=ABSURD)
            return Box((x / 2, y / 2, z / 2))
        case "sphere":
            return Sphere(source.number(shape, "radius", most=ABSURD))
        case "cylinder" | "capsule" as kind:
            radius, length = (source.number(shape, each, most=ABSURD) for each in ("radius", "length"))
            return Cylinder(radius, length / 2) if kind == "cylinder" else Capsule(radius, length / 2)
        case "mesh":
            x, y, z = source.numbers(shape, "scale", 3, (1.0, 1.0, 1.0), most=ABSURD)
            scale: Triple = (x, y, z)
            return MeshFile(source.text(shape, "filename"), scale)
        case kind:
            source.fail(shape, f"the shape <{kind}> is unknown. There are box, capsule, cylinder, sphere and mesh.")
