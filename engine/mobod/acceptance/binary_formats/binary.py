"""Binary: the platform of a library, and the functions that it exports."""

import struct
from dataclasses import dataclass
from typing import final

from mobod.acceptance.binary_formats.elf import read_elf
from mobod.acceptance.binary_formats.mach_o import read_mach_o
from mobod.acceptance.binary_formats.pe import read_pe


@final
@dataclass(frozen=True)
class Binary:
    """A library, or one of several in a file.

    system        "linux", "windows" or "darwin"
    architecture  as in a platform tuple; "" for another one
    is_library    whether it is a shared library, and not a program or an object file
    exports       the functions that it exports; None if the file does not tell
    """

    system: str
    architecture: str
    is_library: bool
    exports: frozenset[str] | None


def read_binary(content: bytes) -> list[Binary] | None:
    """The libraries in a file, several for a universal one of macOS; None if the file is not a library, or is damaged."""
    try:
        if content[:4] == b"\x7fELF":
            return [Binary("linux", *read_elf(content))]
        if content[:2] == b"MZ":
            return [Binary("windows", *read_pe(content))]
        return [Binary("darwin", *each) for each in read_mach_o(content)] or None
    except (struct.error, ValueError, IndexError):
        return None
