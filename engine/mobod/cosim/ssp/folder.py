"""SspFolder: the files of an SSP, unpacked."""

import os
import weakref
from contextlib import ExitStack
from pathlib import Path, PurePosixPath
from typing import final
from urllib.parse import unquote, urlsplit

from lxml import etree

from mobod.cosim.ssp.namespaces import refuse_version
from mobod.cosim.ssp.node import Node
from mobod.cosim.ssp.schemas import validate
from mobod.disk.working_folder import absolute
from mobod.errors import InputError, SspFileError, nearest
from mobod.fmi.archive_budget import ArchiveBudget
from mobod.fmi.checked_xml import checked_xml
from mobod.fmi.checked_zip import CheckedZip
from mobod.fmi.fmu_limits import FmuLimits
from mobod.fmi.run_folder import run_folder

DEFAULT_STRUCTURE = "SystemStructure.ssd"


@final
class SspFolder:
    """The files of a .ssp, unpacked to a folder that is removed with this object; or a folder with the same files, which stays.

    path    as it was given
    root    the folder
    limits  of the size of archives
    budget  of this SSP and all archives in it, or in the SSP in which it is
    allows_outside
            whether files of a folder may name files elsewhere

    Raises SspFileError for a file that is not an SSP, is damaged or malicious, or exceeds the limits; InputError for an archive that shall
    name files elsewhere.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        limits: FmuLimits | None = None,
        budget: ArchiveBudget | None = None,
        *,
        allow_outside: bool = False,
    ) -> None:
        self.path = Path(path)
        self.limits = limits or FmuLimits()
        self.budget = budget or ArchiveBudget(self.path, _size(self.path), self.limits, SspFileError)
        self.allows_outside = allow_outside
        if allow_outside and not self.path.is_dir():
            raise InputError(
                f"{self.path}: allow_outside (--allow-outside) is for folders that you name, and this is a file. Unpack it first."
            )
        if self.path.is_dir():
            self.root = self.path
        else:
            archive = CheckedZip(self.path, self.limits, "an SSP", SspFileError)
            if DEFAULT_STRUCTURE not in archive.names:
                raise SspFileError(f"{self.path}: not an SSP. The archive contains no {DEFAULT_STRUCTURE}.")
            self.budget.add(archive)
            resources = ExitStack()
            weakref.finalize(self, resources.close)
            self.root = run_folder(resources)
            archive.unpack(self.root)
        self._nested: dict[str, SspFolder] = {}
        self.files = sorted(each.relative_to(self.root).as_posix() for each in self.root.rglob("*") if each.is_file())

    def nested(self, file: str) -> "SspFolder":
        """The files of an SSP in this one, which are kept as long as this object. Raises SspFileError."""
        if file not in self._nested:
            self._nested[file] = SspFolder(self.root / file, self.limits, self.budget)
        return self._nested[file]

    def place(self, file: str) -> str:
        """The name of a file for messages: 'system.ssp: resources/a.ssv'"""
        return f"{self.path}: {file}"

    def find(self, source: str, near: str, where: str) -> str:
        """The path in the folder of a file that is given by its URI.

        near   the file that names it, to which the URI is relative
        where  for messages

        Raises SspFileError if it does not exist, or lies elsewhere and may not.
        """
        try:
            parts = urlsplit(source)
        except ValueError as error:
            raise SspFileError(f"{where}: '{source}' is not a URI: {error}.") from error
        if "%00" in source:
            raise SspFileError(f"{where}: '{source}' has a zero byte, which no path can have.")
        if self.allows_outside and parts.scheme in ("", "file") and not parts.netloc:
            file = os.path.normpath(self.root / PurePosixPath(near).parent / unquote(parts.path))
            if not os.path.isfile(file):
                raise SspFileError(f"{where}: '{source}' is no file: {file}.")
            return os.path.relpath(file, self.root).replace(os.sep, "/")
        allow = ", or allow files elsewhere: --allow-outside (allow_outside=True)" if self.path.is_dir() else ""
        if parts.scheme or parts.netloc or parts.path.startswith("/"):
            raise SspFileError(
                f"{where}: '{source}' lies outside of the SSP. Put the file into it, and give the path relative to {near}{allow}."
            )
        file = os.path.normpath(PurePosixPath(near).parent / unquote(parts.path)).replace(os.sep, "/")
        target = absolute(self.root / file).resolve()
        if file.startswith("../") or not target.is_relative_to(absolute(self.root).resolve()):
            raise SspFileError(f"{where}: '{source}' leaves the SSP. Put the file into it{allow}.")
        if not target.is_file():
            near_name = nearest(file, self.files)
            hint = f" Did you mean '{near_name}'?" if near_name else ""
            raise SspFileError(f"{where}: the SSP has no file '{file}'.{hint}")
        return file

    def xml(self, file: str, root: str) -> Node:
        """The root element of a file, which must have this name, such as 'ssv:ParameterSet'. Files of 1.0 are validated.

        Raises SspFileError.
        """
        path = self.root / file
        if not path.is_file():
            raise SspFileError(f"{self.path}: there is no {file}.")
        self.budget.read(path.stat().st_size)
        return read_xml(path.read_bytes(), self.place(file), root)


def _size(path: Path) -> int:
    """Bytes of a file, or of all files in a folder; 0 if there is neither."""
    if path.is_dir():
        return sum(each.stat().st_size for each in path.rglob("*") if each.is_file())
    return path.stat().st_size if path.exists() else 0


def read_xml(content: bytes, file: str, root: str) -> Node:
    """The root element of an SSP file. file: its name, for messages. Raises SspFileError."""
    element = checked_xml(content, file, "an SSP", SspFileError)
    node = Node(element, file)
    return checked_root(node, root)


def checked_root(node: Node, root: str) -> Node:
    """The root element of a file, or the content of an element that may also be a file. Raises SspFileError."""
    if not node.is_a(root):
        raise SspFileError(
            f"{node.where}: <{root.partition(':')[2]}> of SSP was expected, but there is <{etree.QName(node.element).localname}>."
        )
    refuse_version(node.where, node.element.get("version"))
    if node.element.get("version") == "1.0":
        # a copy is validated as a document of its own if it is a part of another one
        validate(node.element if node.element.getparent() is None else _as_document(node.element), node.file)
    return node


def _as_document(element: "etree._Element") -> "etree._Element":
    return etree.fromstring(etree.tostring(element, with_tail=False))
