"""FmuArchive: an FMU of any FMI version on disk. It is checked before anything in it is trusted, then read and unpacked."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import final

import fmpy
from fmpy.model_description import ModelDescription, ValidationError
from lxml import etree

from mobod.errors import FmuFileError, UnsupportedError
from mobod.fmi.checked_xml import checked_xml
from mobod.fmi.checked_zip import DAMAGE, CheckedZip
from mobod.fmi.fmu_limits import FmuLimits
from mobod.fmi.isolation.isolation import Isolation

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
    isolation     how its library runs in a process of its own; None: in this process
    is_pythonfmu  whether pythonfmu made it; Python FMUs of mobod have a library of their own beside that of pythonfmu

    Raises FmuFileError for a file that is not an FMU, is damaged or malicious, or exceeds the limits.
    """

    def __init__(self, path: str | os.PathLike[str], limits: FmuLimits | None = None, isolation: Isolation | None = None) -> None:
        self.path = Path(path)
        self.limits = limits or FmuLimits()
        self._kept: Path | None = None  # folder with the unpacked files, which are copied from there
        self._zip = CheckedZip(self.path, self.limits, "an FMU", FmuFileError)
        if "modelDescription.xml" not in self._zip.names:
            raise FmuFileError(f"{self.path}: not an FMU. The archive contains no modelDescription.xml.")
        self.xml = self._zip.read("modelDescription.xml")
        self.root = self._checked_root(self.xml)
        self.fmi_version = self.root.get("fmiVersion")
        self._names = self._zip.names
        has_loader = any(PurePosixPath(name).stem == "pythonfmu-export" for name in self._names)
        self.has_python_code = "resources/slavemodule.txt" in self._names
        self.isolation = isolation
        self.is_pythonfmu = self.has_python_code and not has_loader
        self.platforms = sorted(
            {PurePosixPath(name).parts[1] for name in self._names if name.startswith("binaries/") and name.count("/") > 1}
        )

    def description(self, xml: bytes | None = None, *, validate: bool = True) -> ModelDescription:
        """modelDescription.xml as read by fmpy. `read_description` reads it also where it breaks rules.

        xml       in place of that of the FMU
        validate  whether a description is refused that breaks a rule which fmpy knows

        Raises FmuFileError.
        """
        try:
            # FMPy reads only from a folder: give it exactly the bytes that were checked
            with tempfile.TemporaryDirectory(prefix="mobod_") as folder:
                (Path(folder) / "modelDescription.xml").write_bytes(self.xml if xml is None else xml)
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
        return self._zip.read(path)

    def unpack(self, folder: Path) -> None:
        """Unpack all files that the FMU may read into the folder: not its sources and documentation."""
        try:
            if self._kept is None:
                self._zip.unpack(folder, leave_out=_FOR_PEOPLE)
            else:
                if not any(self._kept.iterdir()):
                    self._zip.unpack(self._kept, leave_out=_FOR_PEOPLE)
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

    def _checked_root(self, xml: bytes) -> "etree._Element":
        root = checked_xml(xml, f"{self.path}: its modelDescription.xml", "an FMU", FmuFileError)
        if root.tag != "fmiModelDescription":
            raise FmuFileError(f"{self.path}: its modelDescription.xml is not a model description: the root element is {root.tag!r}.")
        self._zip.check_limit("variables", len(root.findall("ModelVariables/*")), "variables")
        return root
