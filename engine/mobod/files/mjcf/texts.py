"""The texts of an MJCF file and of the files that it includes, checked before MuJoCo reads them: sizes, entities, and where files lie."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import final

from lxml import etree

from mobod.errors import ModelFileError
from mobod.files.findings import Findings
from mobod.files.xml_source import XmlSource

MAX_FILES = 500  # included files of one model
MAX_MESH_BYTES = 512 * 2**20  # of one mesh or height field
_FOLDERS = {
    "mesh": ("meshdir", "assetdir"),
    "hfield": ("meshdir", "assetdir"),
    "skin": ("meshdir", "assetdir"),
    "flexcomp": ("meshdir", "assetdir"),
}
_INCLUDED = ("include", "model")
_DRAWN = ("texture",)  # is left out before MuJoCo looks for the file


@final
class MjcfTexts:
    """The parsed texts: that of the file, then those that it includes.

    folders  where includes and meshes may lie, beside the folder of the file

    Raises ModelFileError for a text that is too large, nested too deeply or declares entities, for too many included files, and for a
    file outside of these folders.
    """

    def __init__(self, path: Path, folders: Sequence[str | Path] = ()):
        self.path, self.folders = path, (path.parent, *map(Path, folders))
        self._allowed = [folder.resolve() for folder in self.folders]
        self.roots: dict[Path, etree._Element] = {}
        self._read(path)
        root = self.roots[path]
        if root.tag != "mujoco":
            raise ModelFileError(f"{path}: it is not an MJCF file. The root element is <{root.tag!s}>, not <mujoco>.")
        for place, element in self._elements():
            if str(element.tag) in _FOLDERS and element.get("file"):
                self._check_size(self.inside(self._folder(str(element.tag)) / element.get("file", ""), place, element), place, element)

    def inside(self, path: Path, place: Path, element: etree._Element) -> Path:
        """The path, if it lies in one of the folders. Raises ModelFileError otherwise."""
        found = (self.path.parent / path).resolve()
        if not any(found.is_relative_to(folder) for folder in self._allowed):
            raise ModelFileError(
                f"{place}, line {element.sourceline}: <{element.tag!s}> names the file '{element.get('file')!s}', outside of the folder "
                f"{self.path.parent}. Allow its folder by folders=[...]."
            )
        return found

    def _read(self, path: Path) -> None:
        if path in self.roots:
            return
        if len(self.roots) > MAX_FILES:
            raise ModelFileError(f"{self.path}: it includes more than {MAX_FILES} files.")
        root = XmlSource(path, Findings(path, strict=False)).root
        self.roots[path] = root
        for element in root.iter(*_INCLUDED):
            file = element.get("file")
            if file and (element.tag == "include" or _is_asset(element)):
                found = self.inside(Path(file), path, element)
                beside = self.inside(path.parent / file if path.parent.is_absolute() else path.parent.resolve() / file, path, element)
                for each in dict.fromkeys((found, beside)):
                    if each.is_file():
                        self._read(each)
                        break

    def _elements(self) -> Iterator[tuple[Path, etree._Element]]:
        for path, root in self.roots.items():
            yield from ((path, element) for element in root.iter() if isinstance(element.tag, str))

    def _folder(self, tag: str) -> Path:
        for name in _FOLDERS[tag]:
            for _, element in self._elements():
                if element.tag == "compiler" and element.get(name):
                    return Path(element.get(name, ""))
        return Path()

    def _check_size(self, file: Path, place: Path, element: etree._Element) -> None:
        if file.is_file() and file.stat().st_size > MAX_MESH_BYTES:
            raise ModelFileError(
                f"{place}, line {element.sourceline}: the file {file} has {file.stat().st_size} bytes, and the limit is {MAX_MESH_BYTES}."
            )


def _is_asset(element: etree._Element) -> bool:
    parent = element.getparent()
    return parent is not None and parent.tag == "asset"
