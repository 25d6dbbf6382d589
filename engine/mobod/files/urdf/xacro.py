"""Macros of xacro in a file: expanded by the package of that name, if the user allows the code that they contain."""

from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from mobod.errors import ModelFileError
from mobod.files.findings import Findings
from mobod.files.xml_text import parse_xml
from mobod.late_imports import optional_package

_DEFINING = {"macro", "include", "property"}
_SUBSTITUTIONS = ("${", "$(")


def expand_macros(root: etree._Element, path: Path, findings: Findings, *, allow_macros: bool) -> etree._Element:
    """The root element with all macros expanded; the same one if there are none.

    allow_macros  whether xacro may expand them. It executes the Python expressions of the file, which no check can confine

    Raises ModelFileError if this is not allowed, the package is not installed, or cannot expand them, or findings are strict.
    """
    elements, has_substitutions = list(_elements(root)), _has_substitutions(root, path)
    if not elements and not has_substitutions:
        return root
    is_defined = any(_split(element)[1] in _DEFINING for element in elements)
    if not findings.strict and not has_substitutions and not is_defined:
        _drop(elements, path, findings)
        return root
    first = elements[0] if elements else root
    what = f"<xacro:{_split(first)[1]}>" if elements else "this file"
    needed = f"{path}, line {first.sourceline}: {what} must first be expanded by xacro"
    if findings.strict:
        raise ModelFileError(
            f"{needed}, since strict reading changes nothing: `xacro FILE.xacro > FILE.urdf`, which runs code of the file."
        )
    if not allow_macros:
        raise ModelFileError(
            f"{needed}, which runs Python code of the file and reads the files that it names. If you trust the file, write "
            "load_urdf(..., allow_macros=True), or --allow-macros."
        )
    xacro = optional_package("xacro")
    if xacro is None:
        raise ModelFileError(f"{needed}. Install it: python -m pip install xacro.")
    try:
        text = xacro.process_file(str(path)).toxml()
    except Exception as error:  # xacro evaluates Python expressions of the file, which can raise anything
        raise ModelFileError(f"{path}: xacro cannot expand it: {type(error).__name__}: {error}") from error
    findings.note("xacro", "xacro expanded the file. Lines are those of what it wrote.", path=path)
    return parse_xml(text.encode(), path, findings)


def _drop(elements: list[etree._Element], path: Path, findings: Findings) -> None:
    """Remove elements that remain after an expansion because nothing defines them."""
    for element in elements:
        name = f"<xacro:{_split(element)[1]}>"
        findings.note("ignored", f"{name} is defined nowhere in the file and ignored.", element.sourceline or 1, path=path)
        parent = element.getparent()
        assert parent is not None  # it is not the root, which is <robot>
        parent.remove(element)


def _elements(root: etree._Element) -> Iterator[etree._Element]:
    """The elements in a namespace of xacro, which has had several: http://www.ros.org/wiki/xacro, http://ros.org/wiki/xacro."""
    return (each for each in root.iter("*") if "xacro" in _split(each)[0])


def _split(element: etree._Element) -> tuple[str, str]:
    """(namespace or a prefix that is not declared, name)"""
    tag = str(element.tag)
    namespace, _, name = tag.rpartition("}" if "}" in tag else ":")
    return namespace, name


def _has_substitutions(root: etree._Element, path: Path) -> bool:
    """Whether attributes have expressions of xacro. $(find ...) can occur in other files too, but not in numbers and names."""
    if path.suffix == ".xacro":
        return True
    if not any("xacro" in uri for uri in root.nsmap.values()):
        return False
    return any(mark in str(value) for each in root.iter("*") for value in each.attrib.values() for mark in _SUBSTITUTIONS)
