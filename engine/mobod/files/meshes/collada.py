"""DAE files of unknown origin (COLLADA), checked before pycollada reads them."""

import re
from math import inf, isfinite
from pathlib import Path

from lxml import etree

from mobod.errors import ModelFileError

_MOST_NESTED = 200
_MOST_WORK = 2**28  # bytes of indices of all geometries with their repetitions
_WORK_OF_INSTANCE = 1000
_ENCODING = re.compile(rb"""^(?:\xef\xbb\xbf)?\s*<\?xml\b[^>]*?\bencoding\s*=\s*["']([\w.-]+)["']""")
_ENCODINGS = re.compile(r"utf-?8|us-ascii|ascii|iso-8859-\d+|windows-125\d|latin-?1", re.IGNORECASE)


def check_collada(data: bytes, path: Path) -> float:
    """The unit of its lengths, m.

    Raises ModelFileError if it is not COLLADA, has a document type or is nested too deeply, or if its nodes contain each other,
    directly or so often that the whole is too large.
    """
    root = _parsed(data, path)
    name = etree.QName(root)
    if name.localname != "COLLADA" or not name.namespace:
        raise ModelFileError(f"{path}: it is not a DAE file. The root element is <{name.localname}>, not <COLLADA> with a namespace.")
    _check_work(root, path)
    unit = root.find("{*}asset/{*}unit")
    given = "1" if unit is None else unit.get("meter", "1")
    try:
        meters = float(given)
    except ValueError:
        meters = inf
    if not (isfinite(meters) and meters > 0):
        raise ModelFileError(f"{path}: the unit of its lengths, {given!r} m, is not a positive number.")
    return meters


def _parsed(data: bytes, path: Path) -> etree._Element:
    """The root element. Document types are refused before parsing, since entities in attributes are always expanded."""
    declared = _ENCODING.search(data)
    if declared is not None and not _ENCODINGS.fullmatch(declared[1].decode("ascii")):
        raise ModelFileError(f"{path}: its encoding, {declared[1].decode('ascii')}, is not supported. Save it as UTF-8.")
    if b"\0" in data or not data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<"):
        raise ModelFileError(f"{path}: it is not an XML file in UTF-8.")
    if b"<!DOCTYPE" in data:
        raise ModelFileError(f"{path}: it has a document type declaration, which is not allowed. Remove it.")
    # huge_tree: without it texts end at 10 MB
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True, huge_tree=True)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise ModelFileError(f"{path}, line {error.lineno}: it is not well-formed XML: {error.msg}.") from error
    depth = 0
    for event, element in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        if depth > _MOST_NESTED:
            raise ModelFileError(f"{path}, line {element.sourceline}: elements are nested deeper than {_MOST_NESTED}.")
    return root


def _check_work(root: etree._Element, path: Path) -> None:
    """Refuse nodes that contain themselves, or each other so often that the geometries would not fit into the memory."""
    of_geometry = {each.get("id", ""): sum(len(p.text or "") for p in each.iter("{*}p")) for each in root.iter("{*}geometry")}
    nodes = {each.get("id", ""): each for each in root.iter("{*}node")}
    known: dict[etree._Element, int] = {}
    open_nodes: set[etree._Element] = set()

    def work(element: etree._Element) -> int:
        if element in known:
            return known[element]
        if element in open_nodes:
            raise ModelFileError(f"{path}, line {element.sourceline}: node '{element.get('id', '')}' contains itself.")
        open_nodes.add(element)
        total = 0
        for child in element:
            match etree.QName(child).localname:
                case "node":
                    total += work(child)
                case "instance_geometry":
                    total += _WORK_OF_INSTANCE + of_geometry.get(_target(child), 0)
                case "instance_node" if _target(child) in nodes:
                    total += work(nodes[_target(child)])
        open_nodes.remove(element)
        if total > _MOST_WORK:
            raise ModelFileError(f"{path}, line {element.sourceline}: node '{element.get('id', '')}' has too many geometries.")
        known[element] = total
        return total

    try:
        for scene in root.iter("{*}visual_scene"):
            work(scene)
    except RecursionError as error:
        raise ModelFileError(f"{path}: its nodes contain each other in a chain that is too long.") from error


def _target(instance: etree._Element) -> str:
    return instance.get("url", "").removeprefix("#")
