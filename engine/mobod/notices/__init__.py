"""Notices of what mobod bundles and others have written: in its pages, its libraries, and so in its wheels and FMUs.

A notice is a text beside this file, as its authors ask for it. Libraries by zig contain parts of zig and, for Windows, of the C
library that zig compiles. Other compilers allow the use of what they add to a library without a notice.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import final


@final
@dataclass(frozen=True)
class Notice:
    """The notice of one work.

    work  its name
    use   where mobod bundles it
    file  with the text
    """

    work: str
    use: str
    file: str

    @property
    def text(self) -> str:
        return _text_of(self.file)


THREE = Notice("three.js", "pages draw with it", "three.txt")
FMI = Notice("the headers of FMI", "libraries of FMUs are compiled with them", "fmi.txt")
ZIG = Notice("Zig", "libraries that it compiles contain parts of its runtime", "zig.txt")
MUSL = Notice("musl", "libraries by Zig for Windows contain parts of it", "musl.txt")
MINGW = Notice("mingw-w64", "libraries by Zig for Windows contain parts of its runtime", "mingw-w64.txt")

NOTICES = (THREE, FMI, ZIG, MUSL, MINGW)
"""All of them."""

OF_WEB = (ZIG,)
"""Of the runtime as WebAssembly."""

_OF_SUFFIX = {".so": (FMI, ZIG), ".dylib": (FMI, ZIG), ".dll": (FMI, ZIG, MUSL, MINGW)}


def notices_of_libraries(names: Iterable[str]) -> tuple[Notice, ...]:
    """The notices of the libraries of an FMU with these names. Raises KeyError for a suffix that no platform has."""
    found = {notice for name in names for notice in _OF_SUFFIX[name[name.rindex(".") :]]}
    return tuple(notice for notice in NOTICES if notice in found)


def joined(notices: Iterable[Notice]) -> str:
    """The texts, each after a line that says what it is about."""
    return "\n".join(f"{each.work}: {each.use}.\n\n{each.text.strip()}\n" for each in notices)


@cache
def _text_of(file: str) -> str:
    return files("mobod.notices").joinpath(file).read_text(encoding="utf-8")
