"""Names of the folders in binaries/.

Source: FMI 2.0.5, section 2.3; FMI 3.0.2, section 2.5.1.4.1.
"""

import re
from dataclasses import dataclass
from typing import Literal, final

from mobod.fmi.rules.rule import Version

System = Literal["darwin", "linux", "windows"]

SUFFIXES: dict[System, str] = {"darwin": ".dylib", "linux": ".so", "windows": ".dll"}

_FMI2_NAMES = {
    "win32": "x86-windows", "win64": "x86_64-windows", "linux32": "x86-linux", "linux64": "x86_64-linux",
    "darwin32": "x86-darwin", "darwin64": "x86_64-darwin",
}  # fmt: skip
_SYSTEMS: tuple[System, ...] = ("darwin", "linux", "windows")
_ARCHITECTURES = ("aarch32", "aarch64", "x86", "x86_64")
_TUPLE = re.compile(r"(?P<architecture>[a-z0-9_]+)-(?P<system>[a-z]+)(-(?P<abi>[a-z][a-z0-9_]*))?", re.ASCII)


@final
@dataclass(frozen=True)
class BinariesFolder:
    """A platform.

    abi  "" for shared libraries; the ABI of static libraries
    """

    architecture: str
    system: System
    abi: str


def platform(folder: str, version: Version) -> BinariesFolder | None:
    """The platform of a folder in binaries/; None if its name is not standardized."""
    match = _TUPLE.fullmatch(_FMI2_NAMES.get(folder, folder) if version == "2" else folder)
    if match is None or match["architecture"] not in _ARCHITECTURES:
        return None
    system: System | None = next((each for each in _SYSTEMS if each == match["system"]), None)
    return None if system is None else BinariesFolder(match["architecture"], system, match["abi"] or "")


def is_platform_tuple(name: str) -> bool:
    return platform(name, "3") is not None
