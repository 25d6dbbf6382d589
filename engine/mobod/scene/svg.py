"""Drawings as SVG."""

from lxml import etree

from mobod.matter.bodies.decorations import Triple
from mobod.scene.patches import Drawing, Patch

NAMESPACE = "http://www.w3.org/2000/svg"


def svg_element(drawing: Drawing, title: str) -> etree._Element:
    """The drawing as an element, which scales to the width of its container. A part shows its name when pointed at."""
    root = etree.Element(
        f"{{{NAMESPACE}}}svg", {"viewBox": f"0 0 {drawing.width} {drawing.height}", "role": "img"}, nsmap={None: NAMESPACE}
    )
    etree.SubElement(root, f"{{{NAMESPACE}}}title").text = title
    group = etree.SubElement(root, f"{{{NAMESPACE}}}g", {"stroke-linejoin": "round", "stroke-linecap": "round"})
    for name, patches in drawing.parts:
        parent = group
        if name:
            parent = etree.SubElement(group, f"{{{NAMESPACE}}}g")
            etree.SubElement(parent, f"{{{NAMESPACE}}}title").text = name
        for patch in patches:
            etree.SubElement(parent, f"{{{NAMESPACE}}}path", _attributes(patch))
    return root


def svg(drawing: Drawing, title: str) -> bytes:
    """The file."""
    return etree.tostring(svg_element(drawing, title), xml_declaration=True, encoding="UTF-8")


def _attributes(patch: Patch) -> dict[str, str]:
    attributes = {
        "d": _path(patch),
        "fill": "none" if patch.fill is None else _colour(patch.fill),
        "stroke": _colour(patch.stroke),
        "stroke-width": f"{patch.width:g}",
    }
    if patch.opacity < 1:
        attributes["opacity"] = f"{patch.opacity:g}"
    if patch.is_dashed:
        attributes["stroke-dasharray"] = f"{2.5 * patch.width:g} {2 * patch.width:g}"
    return attributes


def _path(patch: Patch) -> str:
    # + 0.0 makes -0.0 positive, so that round-off does not show
    points = [" ".join(f"{round(each, 1) + 0.0:g}" for each in point) for point in patch.points.tolist()]
    if patch.has_pairs:
        return "".join(f"M{start}L{end}" for start, end in zip(points[::2], points[1::2], strict=True))
    return "M" + "L".join(points) + ("Z" if patch.fill is not None else "")


def _colour(colour: Triple) -> str:
    return "#" + "".join(f"{round(255 * part):02x}" for part in colour)
