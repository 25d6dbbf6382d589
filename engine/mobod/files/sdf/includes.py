"""Files that an SDF file includes: found in its folder and in folders that the user gives, never by a network."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import final
from urllib.parse import unquote

from lxml import etree

from mobod.disk.working_folder import absolute
from mobod.errors import ModelFileError
from mobod.files.findings import Findings
from mobod.files.xml_source import MAX_BYTES, XmlSource

MOST_DEEP, MOST_FILES = 16, 1000
CONFIG, USUAL = "model.config", "model.sdf"
_SCHEMES = ("model://", "package://")
_OF_SERVER = re.compile(r"https?://.*/models/([^/]+)(?:/\d+|/tip)?/?")  # a model of a server, which may lie in a folder of its name


@final
class Includes:
    """paths  folders of models, in which model://NAME is looked for beside the folder of the file"""

    def __init__(self, path: Path, paths: Sequence[str | Path], findings: Findings):
        folder = absolute(path).parent
        self._folders = [folder, *(absolute(each) for each in paths)]
        if (folder / CONFIG).is_file():  # a folder of a model: its neighbours are models too
            self._folders.append(folder.parent)
        self._findings = findings
        self._known: dict[Path, XmlSource] = {}
        self._bytes = 0

    @property
    def folders(self) -> list[Path]:
        """The folders of the files that were read, for meshes."""
        return list(dict.fromkeys([*self._folders, *(each.parent for each in self._known)]))

    def source(self, include: etree._Element, uri: str, of: XmlSource, depth: int) -> XmlSource:
        """The file that an <include> names. Raises ModelFileError at its place for one that is not found or not allowed."""
        if depth > MOST_DEEP:
            of.fail(include, f"<include>: files include each other more than {MOST_DEEP} deep.")
        path = self._found(include, uri, of)
        if path not in self._known:
            if len(self._known) == MOST_FILES:
                of.fail(include, f"<include>: more than {MOST_FILES} files are included.")
            self._bytes += path.stat().st_size
            if self._bytes > MAX_BYTES:
                of.fail(include, f"<include>: the files that are included have more than {MAX_BYTES} bytes.")
            self._known[path] = XmlSource(path, self._findings)
        return self._known[path]

    def _found(self, include: etree._Element, uri: str, of: XmlSource) -> Path:
        named = _OF_SERVER.match(uri)
        if named is not None:
            uri = f"model://{named[1]}"
        on_network = re.match(r"[a-z][a-z0-9+.-]*://", uri) and not uri.startswith((*_SCHEMES, "file://"))
        candidates = [] if on_network else [self._file_of(each) for each in self._candidates(uri, of)]
        inside = [each for each in candidates if each is not None and self._is_inside(each)]
        if inside:
            return inside[0]
        if on_network or named is not None:
            uri = uri if named is None else named[0]
            of.fail(include, f"<include>: '{uri}' is on a network, which is not used. Load it into a folder, and give it as paths=[...].")
        where = ", ".join(map(str, self._folders))
        if any(each is not None for each in candidates):
            of.fail(include, f"<include>: '{uri}' is outside of {where}. Give its folder as one of paths=[...].")
        of.fail(include, f"<include>: '{uri}' is not in {where}. Give the folder of its models as one of paths=[...].")

    def _candidates(self, uri: str, of: XmlSource) -> Iterator[Path]:
        for scheme in _SCHEMES:
            if uri.startswith(scheme):
                name = unquote(uri.removeprefix(scheme))
                yield from (each / name for each in self._folders)
                yield from (each.parent / name for each in self._folders if each.name == name.partition("/")[0])
                return
        own = absolute(of.path).parent
        yield from (each / unquote(uri.removeprefix("file://")) for each in dict.fromkeys([own, *self._folders]))

    def _file_of(self, path: Path) -> Path | None:
        """The SDF file at a path: itself, or the one that the model.config of a folder names."""
        try:
            if path.is_file():
                return path
            config = path / CONFIG
            if config.is_file():
                return self._named_in(config)
            return path / USUAL if (path / USUAL).is_file() else None
        except (OSError, ValueError):  # names that no file can have
            return None

    def _named_in(self, config: Path) -> Path:
        root = XmlSource(config, self._findings).root
        files = [each for each in root.iter("sdf") if (each.text or "").strip()]
        if not files:
            raise ModelFileError(f"{config}: it has no <sdf> that names the file of the model.")
        newest = max(files, key=lambda each: [int(part) for part in re.findall(r"\d+", each.get("version", "0"))])
        return config.parent / str(newest.text).strip()

    def _is_inside(self, path: Path) -> bool:
        """By its name; links that the user has made may lead elsewhere."""
        parts: list[str] = []
        for part in path.parts:
            if part == "..":
                parts = parts[:-1]
            elif part != ".":
                parts.append(part)
        return any(Path(*parts).is_relative_to(folder) for folder in self._folders) and path.is_file()
