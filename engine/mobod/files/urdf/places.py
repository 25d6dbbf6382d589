"""<origin> of links, shapes and joints."""

from lxml import etree

from mobod.files.robot.sizes import ABSURD
from mobod.files.xml_source import XmlSource
from mobod.spatial import Transform, rotation_x, rotation_y, rotation_z


def read_origin(source: XmlSource, element: etree._Element) -> Transform:
    origin = source.only(element, "origin")
    if origin is None:
        return Transform()
    source.check_content(origin, (), ("xyz", "rpy"))
    roll, pitch, yaw = source.numbers(origin, "rpy", 3, (0.0, 0.0, 0.0), most=ABSURD)
    # about the fixed axes x, y, z in turn
    return Transform(rotation_z(yaw) @ rotation_y(pitch) @ rotation_x(roll), source.numbers(origin, "xyz", 3, (0.0, 0.0, 0.0), most=ABSURD))
