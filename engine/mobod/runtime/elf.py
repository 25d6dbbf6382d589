"""The version of glibc that a Linux library requires."""

import re
import struct

_VERSIONS_NEEDED = 0x6FFFFFFE  # SHT_GNU_verneed
_SECTION = struct.Struct("<IIQQQQIIQQ")
_NEEDED = struct.Struct("<HHIII")
_NEEDED_VERSION = struct.Struct("<IHHII")
# relative relocations in short form: the first glibc that can read them
_OF_NAME = {"GLIBC_ABI_DT_RELR": (2, 36)}


def required_glibc(library: bytes) -> tuple[int, ...] | None:
    """The highest version of glibc, such as (2, 17), that a 64-bit ELF library requires; None for other files, and if it requires none.

    Source: System V ABI, chapter 4 (Sections); Linux Standard Base Core 5.0, section 10.7 (Symbol Versioning).
    """
    if library[:6] != b"\x7fELF\x02\x01":
        return None
    (sections_at,) = struct.unpack_from("<Q", library, 40)
    n_sections = struct.unpack_from("<H", library, 60)[0]
    sections = [_SECTION.unpack_from(library, sections_at + i * _SECTION.size) for i in range(n_sections)]
    versions = []
    for section in sections:
        if section[1] != _VERSIONS_NEEDED:
            continue
        names_at, at = sections[section[6]][4], section[4]
        for _ in range(section[7]):
            _, n_versions, _, first, following = _NEEDED.unpack_from(library, at)
            version_at = at + first
            for _ in range(n_versions):
                *_, name, next_version = _NEEDED_VERSION.unpack_from(library, version_at)
                versions.append(_text(library, names_at + name))
                version_at += next_version
            at += following
    return max((number for name in versions if (number := _glibc_version(name))), default=None)


def _glibc_version(name: str) -> tuple[int, ...] | None:
    numbers = re.fullmatch(r"GLIBC_(\d+(?:\.\d+)*)", name)
    return tuple(map(int, numbers[1].split("."))) if numbers else _OF_NAME.get(name)


def _text(content: bytes, at: int) -> str:
    return content[at : content.index(b"\0", at)].decode("ascii", errors="replace")
