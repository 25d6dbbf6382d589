"""FmuArchive: an FMU of any FMI version on disk. It is checked before anything in it is trusted, then read and unpacked."""

import os
import shutil
import sys
import tempfile
from pathlib import Path, PurePosixPath
from typing import final

import fmpy
from fmpy.model_description import ModelDescription, ValidationError
from lxml import etree

from mobod.errors import FmuFileError, UnsupportedError, first_of
from mobod.fmi.checked_xml import checked_xml
from mobod.fmi.checked_zip import DAMAGE, CheckedZip
from mobod.fmi.fmu_limits import FmuLimits
from mobod.fmi.isolation.isolation import Isolation
from mobod.fmi.version_1.description import Description1, check_schema_1, description_1

_MOST_LISTED = 8  # names in a message
_FOR_PEOPLE = ("sources/", "documentation/")  # what a library of FMI never reads


@final
class FmuArchive:
    """The files of an FMU.

    path          as it was given
    xml           the bytes of modelDescription.xml
    root          its root element; of FMI 1.0 in the form of FMI 2.0
    fmi_version   as the root element gives it, such as "2.0"
    of_fmi_1      what an FMU of FMI 1.0 says in its own way; None: it is of a later version
    binaries      files of each folder of binaries/, by the name of the folder
    platforms     names of those folders that are not empty
    has_python_code
                  whether it is a Python FMU
    isolation     how its library runs in a process of its own; None: in this process
    is_pythonfmu  whether pythonfmu made it; Python FMUs of mobod have a library of their own beside that of pythonfmu
    may_share     whether its instances in this process may share a library (loaded_fmu.py), which the owner may set

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
        self.of_fmi_1 = self._description_1() if self.fmi_version == "1.0" else None
        self.root = self.root if self.of_fmi_1 is None else self.of_fmi_1.root
        self._names = self._zip.names
        has_loader = any(PurePosixPath(name).stem == "pythonfmu-export" for name in self._names)
        self.has_python_code = "resources/slavemodule.txt" in self._names
        self.isolation = isolation
        self.may_share = True
        self.is_pythonfmu = self.has_python_code and not has_loader
        self.binaries: dict[str, list[str]] = {}
        for name in sorted(self._names | self._zip.folders):
            if name.startswith("binaries/") and name.count("/") > 1:
                _, folder, file = name.split("/", 2)
                self.binaries.setdefault(folder, []).extend([file] if file and not file.endswith("/") else [])
        self.platforms = [folder for folder, files in self.binaries.items() if files]

    @property
    def shares_library(self) -> bool:
        """Whether its instances share a library. Those of FMI 1.0 and of Python code do not, since many keep data of an instance in it."""
        return self.may_share and self.isolation is None and self.of_fmi_1 is None and not self.has_python_code

    def description(self, xml: bytes | None = None, *, validate: bool = True) -> ModelDescription:
        """modelDescription.xml as read by fmpy. `read_description` reads it also where it breaks rules.

        xml       in place of that of the FMU
        validate  whether a description is refused that breaks a rule which fmpy knows

        Raises FmuFileError.
        """
        try:
            # FMPy reads only from a folder: give it exactly the bytes that were checked
            with tempfile.TemporaryDirectory(prefix="mobod_") as folder:
                file = Path(folder) / "modelDescription.xml"
                if self.of_fmi_1 is None:
                    file.write_bytes(self.xml if xml is None else xml)
                    description = fmpy.read_model_description(folder, validate=validate)
                else:
                    if validate:
                        check_schema_1(self.xml)
                    file.write_bytes(etree.tostring(self.root, encoding="UTF-8", xml_declaration=True))
                    description = fmpy.read_model_description(folder, validate=False)
                    description.numberOfContinuousStates = self.of_fmi_1.n_states
        except ValidationError as error:
            problems = "\n  ".join(error.problems)
            raise FmuFileError(
                f"{self.path}: its modelDescription.xml breaks the rules of FMI {self.fmi_version}:\n  {problems}"
            ) from error
        except Exception as error:  # fmpy may raise anything for an unexpected description
            raise FmuFileError(f"{self.path}: its modelDescription.xml cannot be read: {_reason(error)}.") from error
        for interface in (description.coSimulation, description.modelExchange):
            identifier = "x" if interface is None else interface.modelIdentifier or ""
            if not (identifier.isascii() and identifier.isidentifier()):  # it becomes the name of the library that is loaded
                raise FmuFileError(f"{self.path}: its modelIdentifier {identifier!r} is not a C identifier.")
        return description

    def find_library(self, identifier: str) -> str | None:
        """Path in the archive of the library for this platform; None if there is none."""
        name = identifier + fmpy.sharedLibraryExtension
        return next((path for path in (f"binaries/{folder}/{name}" for folder in self._folders_here()) if path in self._names), None)

    def library(self, identifier: str) -> str:
        """Path in the archive of the library for this platform. Raises UnsupportedError if there is none."""
        path = self.find_library(identifier)
        if path is None:
            here, there_is = f"{fmpy.platform_tuple}, {sys.platform}", self.what_there_is(identifier)
            raise UnsupportedError(
                f"{self.path}: it has no library for this platform ({here}). {there_is}. Export the model for this platform."
            )
        return path

    def _folders_here(self) -> tuple[str, ...]:
        """Names of the folders of binaries/ for this platform."""
        # 'linux64' means x86-64, but fmpy also returns it on ARM; the platform tuple is reliable. FMI 3.0 has tuples only
        return (fmpy.platform_tuple, fmpy.platform) if self.fmi_version in ("1.0", "2.0") else (fmpy.platform_tuple,)

    def what_there_is(self, identifier: str) -> str:
        """What binaries/ has in place of a library for this platform, as a sentence without its dot."""
        here = [folder for folder in self._folders_here() if folder in self.binaries]
        if here:
            files = self.binaries[here[0]]
            listed = f"has no {identifier}{fmpy.sharedLibraryExtension}, only: {first_of(files, _MOST_LISTED)}" if files else "is empty"
            return f"The folder binaries/{here[0]} {listed}"
        if not self.binaries:
            return "The archive has no folder binaries with libraries"
        empty = [folder for folder, files in self.binaries.items() if not files]
        also = f"; empty: {first_of([f'binaries/{folder}' for folder in empty], _MOST_LISTED)}" if empty else ""
        return f"It is only for: {first_of(self.platforms, _MOST_LISTED) or 'none'}{also}"

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

    def _description_1(self) -> Description1:
        try:
            return description_1(self.root)
        except ValueError as error:
            raise FmuFileError(f"{self.path}: its modelDescription.xml of FMI 1.0 cannot be read: {error}.") from error

    def _checked_root(self, xml: bytes) -> "etree._Element":
        root = checked_xml(xml, f"{self.path}: its modelDescription.xml", "an FMU", FmuFileError)
        if root.tag != "fmiModelDescription":
            raise FmuFileError(f"{self.path}: its modelDescription.xml is not a model description: the root element is {root.tag!r}.")
        self._zip.check_limit("variables", len(root.findall("ModelVariables/*")), "variables")
        return root


def _reason(error: Exception) -> str:
    """Why fmpy could not read a file: its own sentence, or the kind of an error that it did not foresee."""
    text = str(error).rstrip(".")
    return text if type(error) is Exception and text else f"FMPy stopped with {type(error).__name__}: {text}"
