"""From the XML of a URDF file to plain data. Lengths in m, angles in rad, masses in kg.

Source: the URDF specification at wiki.ros.org/urdf/XML, as urdfdom reads it.
"""

from typing import get_args

import numpy as np
from lxml import etree

from mobod.errors import InputError
from mobod.files.urdf_elements import JointKind, UrdfJoint, UrdfLimits, UrdfLink, UrdfMimic
from mobod.files.xml_source import XmlSource
from mobod.matter import decorations
from mobod.matter.decorations import Geometry, Triple
from mobod.spatial import Inertia, MassProperties, Transform, rotation_x, rotation_y, rotation_z

KINDS: tuple[str, ...] = get_args(JointKind)
ABSURD = 1e12  # m, kg, kg m^2, ...: what is larger is a slip of the pen, and its squares would lose all digits of the rest
Z_TO_Y = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # its y axis is z: URDF's cylinders are along z, ours along y
GREY: Triple = (0.6, 0.6, 0.6)
Color = tuple[Triple, float]

NOT_USED = {
    "transmission": "<transmission> is ignored: it describes actuators, and joints have motors that apply force or torque.",
    "gazebo": "<gazebo> is ignored: it is for another simulator.",
    "collision": "<collision> is ignored: shapes do not touch each other here.",
    "safety_controller": "<safety_controller> is ignored: it is for a controller.",
    "calibration": "<calibration> is ignored: it is for a controller.",
}


def read_links(source: XmlSource) -> dict[str, UrdfLink]:
    """By name."""
    colors = {source.text(each, "name"): _color(source, each) for each in source.root.findall("material")}
    links: dict[str, UrdfLink] = {}
    for element in source.root.findall("link"):
        name = _name(source, element)
        if name in links:
            source.fail(element, f"there is a link named '{name}' already, in line {links[name].line}. Give each link a name of its own.")
        _ignore(source, element, "collision")
        source.check_content(element, ("inertial", "visual", "collision"), ("name", "type"))
        visuals = [each for visual in element.findall("visual") if (each := _visual(source, visual, colors)) is not None]
        links[name] = UrdfLink(
            name=name,
            place=source.place(element),
            line=element.sourceline or 0,
            mass_properties=_mass_properties(source, element, name),
            visuals=tuple(visuals),
        )
    return links


def read_joints(source: XmlSource, *, close_loops: bool = False) -> dict[str, UrdfJoint]:
    """By name."""
    joints: dict[str, UrdfJoint] = {}
    for element in source.root.findall("joint"):
        name = _name(source, element)
        if name in joints:
            source.fail(
                element, f"there is a joint named '{name}' already, in line {joints[name].line}. Give each joint a name of its own."
            )
        joints[name] = _joint(source, element, name, close_loops)
    return joints


def tell_what_is_not_used(source: XmlSource) -> None:
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


def _origin(source: XmlSource, element: etree._Element) -> Transform:
    origin = source.only(element, "origin")
    if origin is None:
        return Transform()
    source.check_content(origin, (), ("xyz", "rpy"))
    roll, pitch, yaw = source.numbers(origin, "rpy", 3, (0.0, 0.0, 0.0), most=ABSURD)
    # about the fixed axes x, y, z in turn
    return Transform(rotation_z(yaw) @ rotation_y(pitch) @ rotation_x(roll), source.numbers(origin, "xyz", 3, (0.0, 0.0, 0.0), most=ABSURD))


def _mass_properties(source: XmlSource, link: etree._Element, name: str) -> MassProperties:
    inertial = source.only(link, "inertial")
    if inertial is None:
        return MassProperties.massless()
    source.check_content(inertial, ("origin", "mass", "inertia"))
    X_BI = _origin(source, inertial)
    of_mass, of_inertia = source.needed(inertial, "mass"), source.needed(inertial, "inertia")
    source.check_content(of_mass, (), ("value",))
    source.check_content(of_inertia, (), ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
    mass = source.number(of_mass, "value", most=ABSURD)
    xx, xy, xz, yy, yz, zz = (source.number(of_inertia, entry, most=ABSURD) for entry in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
    try:
        about_com = Inertia([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]).rotated(X_BI.R)
        return MassProperties(mass, X_BI.p, about_com.shifted(X_BI.p, mass=mass))
    except InputError as error:
        source.fail(inertial, f"link '{name}': {error}")


# joints
def _joint(source: XmlSource, element: etree._Element, name: str, closes_loop: bool) -> UrdfJoint:
    for tag in ("safety_controller", "calibration"):
        _ignore(source, element, tag)
    source.check_content(
        element,
        ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "safety_controller", "calibration"),
        ("name", "type"),
    )
    kind = source.text(element, "type")
    if kind not in KINDS:
        source.fail(element, f"joint '{name}' has the type '{kind}'. There are: {', '.join(KINDS)}.")
    parent, child = (source.text(source.needed(element, end), "link") for end in ("parent", "child"))
    if parent == child:
        source.fail(element, f"joint '{name}' connects link '{parent}' with itself.")
    damping, friction = _dynamics(source, element, name)
    return UrdfJoint(
        name=name,
        place=source.place(element),
        line=element.sourceline or 0,
        kind=kind,  # type: ignore[arg-type] # it is one of them
        parent=parent,
        child=child,
        X_PC=_origin(source, element),
        axis=_axis(source, element, name, kind),
        limits=_limits(source, element, name, kind),
        damping=damping,
        friction=friction,
        mimic=_mimic(source, element, name),
        closes_loop=closes_loop,
    )


def _axis(source: XmlSource, joint: etree._Element, name: str, kind: str) -> np.ndarray:
    """The one of a fixed or floating joint is not read: other tools write zeros there."""
    axis = source.only(joint, "axis")
    if axis is None or kind in ("fixed", "floating"):
        return np.array([1.0, 0.0, 0.0])  # URDF's default
    source.check_content(axis, (), ("xyz",))
    direction = np.array(source.numbers(axis, "xyz", 3, most=ABSURD))
    if not direction.any():
        source.fail(axis, f"joint '{name}': its axis is [0, 0, 0], which has no direction.")
    scaled = direction / np.abs(direction).max()
    return scaled / np.linalg.norm(scaled)


def _limits(source: XmlSource, joint: etree._Element, name: str, kind: str) -> UrdfLimits | None:
    limit = source.only(joint, "limit")
    if limit is None:
        if kind in ("revolute", "prismatic"):
            source.fail(
                joint, f"joint '{name}' is {kind} and has no <limit>." + (" Without limits it is continuous." if kind == "revolute" else "")
            )
        return None
    source.check_content(limit, (), ("lower", "upper", "effort", "velocity"))
    if kind not in ("revolute", "prismatic", "continuous"):
        source.ignore(limit, f"<limit> of a {kind} joint is ignored: it says nothing of its coordinates one by one.")
        return None
    is_bounded = kind != "continuous"
    limits = UrdfLimits(
        lower=source.number(limit, "lower", 0.0) if is_bounded else -np.inf,
        upper=source.number(limit, "upper", 0.0) if is_bounded else np.inf,
        effort=source.number(limit, "effort", 0.0),
        velocity=source.number(limit, "velocity", 0.0),
    )
    if limits.lower > limits.upper:
        source.fail(limit, f"joint '{name}': its lower limit, {limits.lower:g}, is above its upper limit, {limits.upper:g}.")
    for what, value in (("effort", limits.effort), ("velocity", limits.velocity)):
        if value < 0:
            source.fail(limit, f"joint '{name}': its greatest {what} is {value:g}. It cannot be negative.")
    return limits


def _dynamics(source: XmlSource, joint: etree._Element, name: str) -> tuple[float, float]:
    """(damping, friction)"""
    dynamics = source.only(joint, "dynamics")
    if dynamics is None:
        return 0.0, 0.0
    source.check_content(dynamics, (), ("damping", "friction"))
    damping, friction = (source.number(dynamics, each, 0.0, most=ABSURD) for each in ("damping", "friction"))
    for what, value in (("damping", damping), ("friction", friction)):
        if value < 0:
            source.fail(dynamics, f"joint '{name}': its {what} is {value:g}. It cannot be negative.")
    return damping, friction


def _mimic(source: XmlSource, joint: etree._Element, name: str) -> UrdfMimic | None:
    mimic = source.only(joint, "mimic")
    if mimic is None:
        return None
    source.check_content(mimic, (), ("joint", "multiplier", "offset"))
    return UrdfMimic(
        joint=source.text(mimic, "joint"),
        multiplier=source.number(mimic, "multiplier", 1.0, most=ABSURD),
        offset=source.number(mimic, "offset", 0.0, most=ABSURD),
    )


# shapes
def _color(source: XmlSource, material: etree._Element) -> Color:
    """(red, green, blue), opacity; grey for a material of a texture."""
    if (texture := source.only(material, "texture")) is not None:
        source.ignore(texture, "<texture> is ignored: shapes have one color.")
    color = source.only(material, "color")
    if color is None:
        return GREY, 1.0
    red, green, blue, opacity = source.numbers(color, "rgba", 4)
    if not all(0 <= part <= 1 for part in (red, green, blue, opacity)):
        source.fail(color, f"rgba is {color.get('rgba')!r}. Each number is from 0 to 1.")
    return (red, green, blue), opacity


def _visual(source: XmlSource, visual: etree._Element, colors: dict[str, Color]) -> tuple[Transform, Geometry] | None:
    source.check_content(visual, ("origin", "geometry", "material"), ("name",))
    X_BD, geometry = _origin(source, visual), source.needed(visual, "geometry")
    color, opacity = _color_of(source, visual, colors)
    shapes = list(source.elements(geometry))
    if len(shapes) != 1:
        source.fail(geometry, f"<geometry> has {len(shapes)} shapes. One is needed.")
    (shape,) = shapes
    try:
        match source.tag(shape):
            case "box":
                half_lengths = [each / 2 for each in source.numbers(shape, "size", 3, most=ABSURD)]
                return X_BD, decorations.Box(_triple(half_lengths), color=color, opacity=opacity)
            case "sphere":
                return X_BD, decorations.Sphere(source.number(shape, "radius", most=ABSURD), color=color, opacity=opacity)
            case "cylinder":
                radius, length = (source.number(shape, each, most=ABSURD) for each in ("radius", "length"))
                return X_BD @ Transform(Z_TO_Y), decorations.Cylinder(radius, length / 2, color=color, opacity=opacity)
            case "mesh":
                scale = _triple(source.numbers(shape, "scale", 3, (1.0, 1.0, 1.0), most=ABSURD))
                return X_BD, decorations.MeshFile(source.text(shape, "filename"), scale, color=color, opacity=opacity)
    except InputError as error:
        source.fail(shape, str(error))
    source.ignore(shape, f"the shape <{source.tag(shape)}> is unknown and ignored. There are box, cylinder, sphere and mesh.")
    return None


def _color_of(source: XmlSource, visual: etree._Element, colors: dict[str, Color]) -> Color:
    material = source.only(visual, "material")
    if material is None:
        return GREY, 1.0
    if material.find("color") is not None or material.find("texture") is not None:
        return _color(source, material)
    name = material.get("name", "")
    if name not in colors:
        source.fail(material, f"there is no <material> named '{name}' with a color.")
    return colors[name]


def _triple(values: list[float]) -> Triple:
    x, y, z = values
    return x, y, z
