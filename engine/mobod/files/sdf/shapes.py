"""<visual> and <collision>: shapes to be drawn, and shapes that touch others."""

from copy import copy
from pathlib import Path
from typing import final

import numpy as np
from lxml import etree

from mobod.contact import Box, Capsule, Cone, ContactShape, Cylinder, Ellipsoid, HalfSpace, Sphere, decorations_of
from mobod.errors import InputError, ModelFileError
from mobod.files.findings import Findings
from mobod.files.robot.collisions import RobotCollision
from mobod.files.robot.height_image import HeightImage
from mobod.files.robot.joints import along
from mobod.files.sdf.models import SdfPart
from mobod.files.sdf.values import direction_in, number_in, numbers_in, pose_in, text_in
from mobod.files.xml_source import XmlSource
from mobod.matter.bodies import decorations
from mobod.matter.bodies.decorations import Geometry, MeshFile, Triple
from mobod.spatial import Transform

Z_TO_Y = Transform([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # cylinders of SDF are along z, those of drawings along y
GREY: Triple = (0.6, 0.6, 0.6)
Look = tuple[Triple, float]  # red, green, blue; opacity
SHAPES = ("box", "sphere", "cylinder", "capsule", "ellipsoid", "cone", "plane", "mesh", "heightmap")
NOT_DRAWN = ("empty", "plane", "heightmap", "image", "polyline")


@final
class SdfShapes:
    """Reads shapes. top: the folder of the first file, in which meshes are given as they are named."""

    def __init__(self, top: Path):
        self._top = top

    def visuals(self, part: SdfPart) -> tuple[tuple[Transform, Geometry], ...]:
        """What is drawn of a link. A shape that cannot be read is left out, with a finding."""
        found = []
        for element in part.element.findall("visual"):
            source = part.scope.source
            try:
                found.extend(self._visual(source, element))
            except ModelFileError as error:
                if source.findings.strict:
                    raise
                source.note(element, "shape", f"{str(error).removeprefix(f'{source.path}, ')} The shape is left out of drawings.")
        return tuple(found)

    def collisions(self, part: SdfPart) -> tuple[RobotCollision, ...]:
        """The shapes of a link that touch others. What is wrong with them is stored: it matters only if contact is asked for."""
        return tuple(self._collision(part.scope.source, element) for element in part.element.findall("collision"))

    def solid(self, source: XmlSource, collision: etree._Element) -> tuple[Transform, ContactShape | MeshFile | HeightImage]:
        """The pose and the shape of a <collision>. Raises ModelFileError."""
        source.check_content(collision, ("pose", "geometry", "surface", "max_contacts", "density", "laser_retro"), ("name",))
        pose, relative_to = pose_in(source, collision)
        if relative_to:
            source.ignore(collision, "relative_to in a <pose> of a shape is ignored: it is given in the frame of its link.")
        geometry = source.needed(collision, "geometry")
        shape = _only_shape(source, geometry)
        try:
            match source.tag(shape):
                case "mesh":
                    return pose, self._mesh(source, shape)
                case "heightmap":
                    return self._height_image(source, shape, pose)
                case _:
                    return _solid(source, shape, pose)
        except ModelFileError:
            raise
        except InputError as error:
            source.fail(shape, str(error))

    def _visual(self, source: XmlSource, element: etree._Element) -> list[tuple[Transform, Geometry]]:
        known = ("pose", "geometry", "material", "transparency", "cast_shadows", "laser_retro", "visibility_flags", "meta", "plugin")
        source.check_content(element, known, ("name",))
        pose, _ = pose_in(source, element)
        shape = _only_shape(source, source.needed(element, "geometry"))
        color, opacity = _look(source, element)
        match source.tag(shape):
            case "box":
                x, y, z = numbers_in(source, shape, "size", 3, (1.0, 1.0, 1.0))
                return [(pose, decorations.Box((x / 2, y / 2, z / 2), color=color, opacity=opacity))]
            case "sphere":
                return [(pose, decorations.Sphere(number_in(source, shape, "radius", 1.0), color=color, opacity=opacity))]
            case "cylinder":
                radius, length = _radius_and_length(source, shape)
                return [(pose @ Z_TO_Y, decorations.Cylinder(radius, length / 2, color=color, opacity=opacity))]
            case "capsule":
                radius, length = _radius_and_length(source, shape)
                end = Transform(p=[0, 0, length / 2])
                ball = decorations.Sphere(radius, color=color, opacity=opacity)
                middle = decorations.Cylinder(radius, length / 2, color=color, opacity=opacity)
                return [(pose @ Z_TO_Y, middle), (pose @ end, ball), (pose @ end.inverse(), ball)]
            case "ellipsoid":
                x, y, z = numbers_in(source, shape, "radii", 3, (1.0, 1.0, 1.0))
                return [(pose, decorations.Ellipsoid((x, y, z), color=color, opacity=opacity))]
            case "cone":
                return [(pose @ X, mesh) for X, mesh in decorations_of(_cone(source, shape), color=color, opacity=opacity)]
            case "mesh":
                mesh = self._mesh(source, shape)
                return [(pose, MeshFile(mesh.path, mesh.scale, color=color, opacity=opacity))]
            case kind if kind in NOT_DRAWN:
                return []
            case kind:
                source.fail(shape, f"the shape <{kind}> is unknown. There are {', '.join(SHAPES)}.")

    def _collision(self, source: XmlSource, element: etree._Element) -> RobotCollision:
        own, line = copy(source), element.sourceline or 0
        own.findings = Findings(source.path, strict=source.findings.strict)
        name = element.get("name", "")
        try:
            X_BS, shape = self.solid(own, element)
            friction, bits = _surface(own, element)
        except ModelFileError as error:
            findings = tuple(own.findings)
            return RobotCollision(path=source.path, line=line, X_BS=Transform(), shape=None, name=name, findings=findings, error=str(error))
        return RobotCollision(
            path=source.path, line=line, X_BS=X_BS, shape=shape, friction=friction, bits=bits, name=name, findings=tuple(own.findings)
        )

    def _mesh(self, source: XmlSource, mesh: etree._Element) -> MeshFile:
        source.check_content(mesh, ("uri", "scale", "submesh", "convex_decomposition"), ("optimization",))
        if (submesh := mesh.find("submesh")) is not None:
            source.ignore(submesh, "<submesh> is ignored: the whole mesh is used.")
        x, y, z = numbers_in(source, mesh, "scale", 3, (1.0, 1.0, 1.0))
        return MeshFile(self._uri(source, mesh), (x, y, z))

    def _height_image(self, source: XmlSource, shape: etree._Element, pose: Transform) -> tuple[Transform, HeightImage]:
        """Its heights are above `pos`."""
        source.check_content(shape, ("uri", "size", "pos", "sampling", "texture", "blend", "use_terrain_paging"))
        x, y, z = numbers_in(source, shape, "size", 3, (1.0, 1.0, 1.0))
        at = numbers_in(source, shape, "pos", 3, (0.0, 0.0, 0.0))
        sampling = number_in(source, shape, "sampling", 1.0)
        return pose @ Transform(p=at), HeightImage(self._uri(source, shape), (x, y, z), sampling)

    def _uri(self, source: XmlSource, element: etree._Element) -> str:
        uri = text_in(source, element, "uri")
        folder = source.path.parent
        if "://" not in uri and not Path(uri).is_absolute() and folder != self._top:
            uri = str(folder / uri)  # of an included file, in whose folder it is
        return uri


def _solid(source: XmlSource, shape: etree._Element, pose: Transform) -> tuple[Transform, ContactShape]:
    match source.tag(shape):
        case "box":
            x, y, z = numbers_in(source, shape, "size", 3, (1.0, 1.0, 1.0))
            return pose, Box((x / 2, y / 2, z / 2))
        case "sphere":
            return pose, Sphere(number_in(source, shape, "radius", 1.0))
        case "cylinder":
            radius, length = _radius_and_length(source, shape)
            return pose, Cylinder(radius, length / 2)
        case "capsule":
            radius, length = _radius_and_length(source, shape)
            return pose, Capsule(radius, length / 2)
        case "ellipsoid":
            x, y, z = numbers_in(source, shape, "radii", 3, (1.0, 1.0, 1.0))
            return pose, Ellipsoid((x, y, z))
        case "cone":
            return pose, _cone(source, shape)
        case "plane":
            normal = direction_in(source, shape, "normal", (0.0, 0.0, 1.0))
            if not normal.any():
                source.fail(shape, "<normal> of <plane> is 0 0 0, which has no direction.")
            return pose @ Transform(along("z", normal)), HalfSpace()
        case kind:
            source.fail(shape, f"the shape <{kind}> touches nothing in mobod. There are {', '.join(SHAPES)}.")


def _cone(source: XmlSource, shape: etree._Element) -> Cone:
    return Cone(number_in(source, shape, "radius", 0.5), number_in(source, shape, "length", 1.0) / 2)


def _only_shape(source: XmlSource, geometry: etree._Element) -> etree._Element:
    shapes = list(source.elements(geometry))
    if not shapes:
        source.fail(geometry, "<geometry> has 0 shapes. One is needed.")
    if len(shapes) > 1:
        source.mend(geometry, "repeated", f"<geometry> has {len(shapes)} shapes. One is needed.", "The first is used.")
    return shapes[0]


def _radius_and_length(source: XmlSource, shape: etree._Element) -> tuple[float, float]:
    return number_in(source, shape, "radius", 1.0), number_in(source, shape, "length", 1.0)


def _look(source: XmlSource, visual: etree._Element) -> Look:
    material = visual.find("material")
    color, opacity = GREY, 1.0 - number_in(source, visual, "transparency", 0.0)
    if material is not None:
        for tag in ("diffuse", "ambient"):
            child = material.find(tag)
            if child is not None and (child.text or "").strip():
                numbers = [source.parsed(child, f"<{tag}>", each, None) for each in str(child.text).split()]
                if len(numbers) in (3, 4) and all(0 <= each <= 1 for each in numbers):
                    red, green, blue = numbers[:3]
                    return (red, green, blue), float(np.clip(opacity * (numbers[3] if len(numbers) == 4 else 1.0), 0.0, 1.0))
                source.note(child, "material", f"<{tag}> is {str(child.text)[:40]!r}. Each of 3 or 4 numbers is from 0 to 1. Grey is used.")
    return color, float(np.clip(opacity, 0.0, 1.0))


def _surface(source: XmlSource, collision: etree._Element) -> tuple[float | None, tuple[int, int] | None]:
    """(coefficient of friction, groups) of a shape."""
    surface = collision.find("surface")
    if surface is None:
        return None, None
    friction, bits = None, None
    for tag in ("ode", "torsional"):
        ode = surface.find(f"friction/{tag}")
        if ode is None:
            continue
        if tag == "torsional":
            source.ignore(ode, "<torsional> friction of a <surface> is ignored: contacts have none about their normal.")
            continue
        friction = number_in(source, ode, "mu", 1.0)
        if friction < 0:
            source.mend(ode, "friction", f"<mu> is {friction:g}. It cannot be negative.", "It is taken as 0.")
            friction = 0.0
        if "mu2" in {child.tag for child in ode} and number_in(source, ode, "mu2", 1.0) != friction:
            source.ignore(ode, "<mu2> of a <surface> is ignored: friction is the same in all directions, that of <mu>.")
        if any(number_in(source, ode, each, 0.0) for each in ("slip1", "slip2")):
            source.ignore(ode, "<slip1> and <slip2> of a <surface> are ignored: friction does not depend on the speed.")
    mask = surface.find("contact/collide_bitmask")
    if mask is not None and (mask.text or "").strip():
        text = str(mask.text).strip()
        try:
            bits = (int(text, 0), int(text, 0))
        except ValueError:
            source.fail(mask, f"<collide_bitmask> is {text[:40]!r}, which is no whole number.")
    text = surface.findtext("contact/collide_without_contact") or ""
    if text.strip().lower() in ("true", "1"):  # it senses others, and touches none
        bits = (0, 0)
    bounce = surface.find("bounce")
    if bounce is not None and number_in(source, bounce, "restitution_coefficient", 0.0):
        source.ignore(surface, "<restitution_coefficient> of a <surface> is ignored: mb.UrdfContact(restitution=...) gives one.")
    return friction, bits
