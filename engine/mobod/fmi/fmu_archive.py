"""FmuArchive: an FMU of any FMI version on disk. It is checked before anything in it is trusted, then read and unpacked."""

import os
import shutil
import stat
import struct
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import final

import fmpy
from fmpy.model_description import ModelDescription, ValidationError
from lxml import etree

from mobod.errors import FmuFileError, UnsupportedError
from mobod.fmi.fmu_limits import FmuLimits

_CHUNK = 2**20  # bytes that are unpacked at a time
_FOR_PEOPLE = ("sources/", "documentation/")  # what a library of FMI never reads


@final
class FmuArchive:
    """The files of an FMU.

    path          as it was given
    xml           the bytes of modelDescription.xml
    root          its root element
    fmi_version   as the root element gives it, such as "2.0"
    platforms     names of the folders with libraries
    has_python_code
                  whether it is a Python FMU
    is_pythonfmu  whether pythonfmu made it; Python FMUs of mobod have a library of their own beside that of pythonfmu

    Raises FmuFileError for a file that is not an FMU, is damaged or malicious, or exceeds the limits.
    """

    def __init__(self, path: str | os.PathLike[str], limits: FmuLimits | None = None) -> None:
        self.path = Path(path)
        self.limits = limits or FmuLimits()
        self._kept: Path | None = None  # folder with the unpacked files, which are copied from there
        try:
            with zipfile.ZipFile(self.path) as archive:
                entries = self._checked_entries(archive)
                if "modelDescription.xml" not in entries:
                    raise FmuFileError(f"{self.path}: not an FMU. The archive contains no modelDescription.xml.")
                self._check_limit("description", entries["modelDescription.xml"].file_size, "bytes of modelDescription.xml")
                self.xml = archive.read("modelDescription.xml")
        except FileNotFoundError:
            raise FmuFileError(f"{self.path}: the file does not exist.") from None
        except DAMAGE as error:
            raise FmuFileError(f"{self.path}: not an FMU, or a damaged one. An FMU is a ZIP archive, but: {error}.") from error
        self.root = self._checked_root(self.xml)
        self.fmi_version = self.root.get("fmiVersion")
        self._names = set(entries)
        has_loader = any(PurePosixPath(name).stem == "pythonfmu-export" for name in entries)
        self.has_python_code = "resources/slavemodule.txt" in entries
        self.is_pythonfmu = self.has_python_code and not has_loader
        self.platforms = sorted({PurePosixPath(name).parts[1] for name in entries if name.startswith("binaries/") and name.count("/") > 1})

    def description(self, *, validate: bool = True) -> ModelDescription:
        """modelDescription.xml as read by fmpy.

        validate  whether a description that breaks the rules of FMI is refused

        Raises FmuFileError.
        """
        try:
            # FMPy reads only from a folder: give it exactly the bytes that were checked
            with tempfile.TemporaryDirectory(prefix="mobod_") as folder:
                (Path(folder) / "modelDescription.xml").write_bytes(self.xml)
                description = fmpy.read_model_description(folder, validate=validate)
        except ValidationError as error:
            problems = "\n  ".join(error.problems)
            raise FmuFileError(
                f"{self.path}: its modelDescription.xml breaks the rules of FMI {self.fmi_version}:\n  {problems}"
            ) from error
        except Exception as error:  # fmpy may raise anything for an unexpected description
            raise FmuFileError(f"{self.path}: its modelDescription.xml cannot be read: {error!r}.") from error
        for interface in (description.coSimulation, description.modelExchange):
            identifier = "x" if interface is None else interface.modelIdentifier or ""
            if not (identifier.isascii() and identifier.isidentifier()):  # it becomes the name of the library that is loaded
                raise FmuFileError(f"{self.path}: its modelIdentifier {identifier!r} is not a C identifier.")
        return description

    def find_library(self, identifier: str) -> str | None:
        """Path in the archive of the library for this platform; None if there is none."""
        name = identifier + fmpy.sharedLibraryExtension
        # 'linux64' means x86-64, but fmpy also returns it on ARM; the platform tuple is reliable. FMI 3.0 has tuples only
        platforms = (fmpy.platform_tuple,) if self.fmi_version != "2.0" else (fmpy.platform_tuple, fmpy.platform)
        return next((path for path in (f"binaries/{platform}/{name}" for platform in platforms) if path in self._names), None)

    def library(self, identifier: str) -> str:
        """Path in the archive of the library for this platform. Raises UnsupportedError if there is none."""
        path = self.find_library(identifier)
        if path is None:
            raise UnsupportedError(
                f"{self.path}: it has no library for this platform ({fmpy.platform_tuple}, {sys.platform}), only for: "
                f"{', '.join(self.platforms) or 'none'}. Export the model for this platform."
            )
        return path

    def content(self, path: str) -> bytes | None:
        """The bytes of a small file in the archive; None if there is none. Raises FmuFileError."""
        if path not in self._names:
            return None
        with zipfile.ZipFile(self.path) as archive:
            entry = self._checked_entries(archive)[path]
            self._check_limit("description", entry.file_size, f"bytes of {path}")
            return archive.read(entry)

    def unpack(self, folder: Path) -> None:
        """Unpack all files that the FMU may read into the folder: not its sources and documentation."""
        try:
            if self._kept is None:
                self._extract(folder)
            else:
                if not any(self._kept.iterdir()):
                    self._extract(self._kept)
                shutil.copytree(self._kept, folder, dirs_exist_ok=True)
        except DAMAGE as error:
            raise FmuFileError(f"{self.path}: cannot be unpacked into {folder}: {error}.") from error

    def use_unpacked(self, folder: Path) -> None:
        """Have each `unpack` copy the files from a folder that this FMU was unpacked to before."""
        self._kept = folder

    @contextmanager
    def unpacked_once(self) -> Iterator[None]:
        """Context in which the archive is unpacked only once, and each `unpack` copies the files."""
        with tempfile.TemporaryDirectory(prefix="mobod_", ignore_cleanup_errors=True) as folder:
            self._kept = Path(folder)
            try:
                yield
            finally:
                self._kept = None

    def _extract(self, folder: Path) -> None:
        """Write the files and count their bytes, since the archive may declare a smaller size."""
        allowed, written = self.limits.bytes_from(self.path.stat().st_size), 0
        with zipfile.ZipFile(self.path) as archive:
            self._checked_entries(archive)
            for entry in archive.infolist():
                if entry.filename.startswith(_FOR_PEOPLE):
                    continue
                target = folder / entry.filename
                if entry.is_dir():
                    target.mkdir(parents=True, exist_ok=True)
                    continue
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(entry) as source, target.open("wb") as file:
                    while chunk := source.read(_CHUNK):
                        written += len(chunk)
                        if written > allowed:
                            raise FmuFileError(
                                f"{self.path}: the archive unpacks to more than {allowed / 1e9:.3g} GB, although it declares a smaller "
                                "size."
                            )
                        file.write(chunk)

    def _checked_entries(self, archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
        entries = archive.infolist()
        self._check_limit("files", len(entries), "files")
        unpacked, size = sum(entry.file_size for entry in entries), self.path.stat().st_size
        self._check_limit("unpacked", unpacked, "bytes, unpacked")
        if unpacked > self.limits.bytes_from(size):
            self._check_limit("ratio", -(-unpacked // size), "unpacked bytes for each byte of the archive")
        for entry in entries:
            name = entry.orig_filename
            if name.startswith("/") or "\\" in name or ":" in name or "\0" in name or ".." in PurePosixPath(name).parts:
                raise FmuFileError(f"{self.path}: the archive has the path {name!r}, which could leave the folder it is unpacked into.")
            if stat.S_ISLNK(entry.external_attr >> 16):
                raise FmuFileError(f"{self.path}: the archive has the symbolic link {name!r}, which is not allowed in an FMU.")
        return {entry.filename: entry for entry in entries}

    def _check_limit(self, limit: str, found: int, what: str) -> None:
        allowed = getattr(self.limits, limit)
        if found > allowed:
            raise FmuFileError(
                f"{self.path}: it has {found} {what}, and the limit is {allowed}. If you trust the file, raise the limit: "
                f"mobod.FmuLimits({limit}={found}), or --limit {limit}={found}."
            )

    def _checked_root(self, xml: bytes) -> "etree._Element":
        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
        try:
            root = etree.fromstring(xml, parser)
        except etree.XMLSyntaxError as error:
            raise FmuFileError(f"{self.path}: its modelDescription.xml is not well-formed: {error}.") from error
        # entities are the only way in which XML can read other files or grow; a model description needs none
        if root.getroottree().docinfo.doctype:
            raise FmuFileError(f"{self.path}: its modelDescription.xml has a document type declaration, which is not allowed in an FMU.")
        if root.tag != "fmiModelDescription":
            raise FmuFileError(f"{self.path}: its modelDescription.xml is not a model description: the root element is {root.tag!r}.")
        self._check_limit("variables", len(root.findall("ModelVariables/*")), "variables")
        return root


# errors of zipfile for archives that are damaged, encrypted or compressed by an unknown method, and for full disks
DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, UnicodeDecodeError, EOFError, RuntimeError, OSError)
