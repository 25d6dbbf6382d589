"""<visual> and <material>: shapes to be drawn. A shape that cannot be read is left out, since it does not affect the motion."""

from typing import final

from lxml import etree

from mobod.errors import InputError, ModelFileError
from mobod.files.robot.sizes import ABSURD
from mobod.files.urdf.places import read_origin
from mobod.files.xml_source import XmlSource
from mobod.matter.bodies import decorations
from mobod.matter.bodies.decorations import Geometry, Triple
from mobod.spatial import Transform

Z_TO_Y = [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]  # turns y into z: URDF's cylinders are along z, mobod's along y
GREY: Triple = (0.6, 0.6, 0.6)
Color = tuple[Triple, float]  # red, green, blue; opacity


@final
class Materials:
    """Colors by names of materials: materials of <robot>, and materials defined in shapes."""

    def __init__(self, source: XmlSource):
        self._source = source
        self._colors: dict[str, Color] = {}
        lines: dict[str, int] = {}
        for element in source.root.findall("material"):
            if not source.findings.strict and not element.get("name", "").strip():
                source.note(element, "material", "<material> has no attribute 'name'. It is ignored.")
                continue
            name = source.text(element, "name")
            color = self.color(element)
            if name not in self._colors:
                self._colors[name], lines[name] = color, element.sourceline or 0
                continue
            wrong = f"the <material> '{name}' is defined already, in line {lines[name]}."
            if color == self._colors[name]:
                source.note(element, "material", f"{wrong} Both have the same color.")
            else:
                source.mend(element, "material", wrong[:-1] + " with another color.", "The first is used.")
        self._of_shapes = {
            name: element
            for element in reversed(source.root.findall("link/visual/material"))
            if (name := element.get("name", "")) and _is_defined(element)
        }

    def color(self, material: etree._Element) -> Color:
        """The color of a material; grey for textures."""
        source = self._source
        if (texture := source.only(material, "texture")) is not None:
            source.ignore(texture, "<texture> is ignored: shapes have one color.")
        color = source.only(material, "color")
        if color is None:
            return GREY, 1.0
        try:
            return _rgba(source, color)
        except ModelFileError as error:
            if source.findings.strict:
                raise
            source.note(color, "material", f"{_without_path(source, error)} Grey is used.")
            return GREY, 1.0

    def of(self, visual: etree._Element) -> Color:
        source = self._source
        material = source.only(visual, "material")
        if material is None:
            return GREY, 1.0
        if _is_defined(material):
            return self.color(material)
        name = material.get("name", "")
        if name in self._colors:
            return self._colors[name]
        wrong = f"there is no <material> named '{name}' with a color."
        if name not in self._of_shapes:
            source.mend(material, "material", wrong, "Grey is used.")
            return GREY, 1.0
        place = self._of_shapes[name]
        source.mend(material, "material", wrong, f"That of the shape in line {place.sourceline} is used.")
        return self.color(place)


def read_shape(source: XmlSource, visual: etree._Element, materials: Materials) -> tuple[Transform, Geometry] | None:
    """The pose and geometry of a shape; None for an omitted shape."""
    try:
        return _shape(source, visual, materials)
    except ModelFileError as error:
        if source.findings.strict:
            raise
        source.note(visual, "shape", f"{_without_path(source, error)} The shape is left out of drawings.")
        return None


def _shape(source: XmlSource, visual: etree._Element, materials: Materials) -> tuple[Transform, Geometry] | None:
    source.check_content(visual, ("origin", "geometry", "material"), ("name",))
    X_BD, geometry = read_origin(source, visual), source.needed(visual, "geometry")
    color, opacity = materials.of(visual)
    shapes = list(source.elements(geometry))
    if len(shapes) != 1:
        wrong = f"<geometry> has {len(shapes)} shapes. One is needed."
        if not shapes:
            source.fail(geometry, wrong)
        source.mend(geometry, "repeated", wrong, "The first is used.")
    shape = shapes[0]
    try:
        match source.tag(shape):
            case "box":
                x, y, z = source.numbers(shape, "size", 3, most=ABSURD)
                return X_BD, decorations.Box((x / 2, y / 2, z / 2), color=color, opacity=opacity)
            case "sphere":
                return X_BD, decorations.Sphere(source.number(shape, "radius", most=ABSURD), color=color, opacity=opacity)
            case "cylinder":
                radius, length = (source.number(shape, each, most=ABSURD) for each in ("radius", "length"))
                return X_BD @ Transform(Z_TO_Y), decorations.Cylinder(radius, length / 2, color=color, opacity=opacity)
            case "mesh":
                return X_BD, decorations.MeshFile(source.text(shape, "filename"), _scale(source, shape), color=color, opacity=opacity)
    except ModelFileError:
        raise
    except InputError as error:
        source.fail(shape, str(error))
    source.ignore(shape, f"the shape <{source.tag(shape)}> is unknown and ignored. There are box, cylinder, sphere and mesh.")
    return None


def _scale(source: XmlSource, mesh: etree._Element) -> Triple:
    text = mesh.get("scale", "")
    if len(text.split()) == 1:
        source.mend(mesh, "number", f"attribute 'scale' of <mesh> has 1 numbers, {text!r}; 3 are needed.", "It is used for all three.")
        scale = source.number(mesh, "scale", most=ABSURD)
        return scale, scale, scale
    x, y, z = source.numbers(mesh, "scale", 3, (1.0, 1.0, 1.0), most=ABSURD)
    return x, y, z


def _rgba(source: XmlSource, color: etree._Element) -> Color:
    red, green, blue, opacity = source.numbers(color, "rgba", 4)
    if not all(0 <= part <= 1 for part in (red, green, blue, opacity)):
        source.fail(color, f"rgba is {color.get('rgba')!r}. Each number is from 0 to 1.")
    return (red, green, blue), opacity


def _is_defined(material: etree._Element) -> bool:
    return material.find("color") is not None or material.find("texture") is not None


def _without_path(source: XmlSource, error: ModelFileError) -> str:
    return str(error).removeprefix(f"{source.path}, ")
