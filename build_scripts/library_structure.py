"""The structure of shared libraries of Linux, macOS and Windows, read by lief: which libraries they need, and what they export."""

import hashlib
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import lief

X86_64, ARM64 = "x86_64", "aarch64"
# addresses of the file itself, which zig's linker exports from every macOS library; no functions
OF_THE_LINKER = {"_mh_dylib_header", "__dso_handle"}

lief.logging.disable()  # which notes that libraries of macOS for x86_64 have no signature


@dataclass
class Structure:
    """A library for one processor.

    system         linux, windows or darwin
    needs          names of the libraries that it needs
    imports        names of functions that these must have; of Linux alone
    exports        names of functions and data, as in C
    install_name   the other fields are those of macOS: the name by which the library is linked
    oldest_system  the least version on which it loads
    signature      'ad hoc', if it has a signature without a certificate whose hashes are those of the file; 'invalid'; None
    """

    system: str
    processor: str
    needs: set[str]
    exports: set[str]
    imports: frozenset[str] = frozenset()
    install_name: str = ""
    oldest_system: tuple[int, ...] = ()
    signature: str | None = None

    @property
    def platform(self) -> str:
        return f"{self.processor}-{self.system}"


def structures(library: bytes) -> list[Structure]:
    """The structure of a library: of each part, if it is a universal library of macOS. Raises ValueError for other files."""
    if library[:4] == b"\x7fELF":
        return [_linux(library)]
    if library[:2] == b"MZ":
        return [_windows(library)]
    return list(_macos(library))


def _linux(library: bytes) -> Structure:
    binary = _parsed(lief.ELF.parse(library))
    processor = {lief.ELF.ARCH.X86_64: X86_64, lief.ELF.ARCH.AARCH64: ARM64}[binary.header.machine_type]
    weak = lief.ELF.Symbol.BINDING.WEAK  # may be missing
    imports = frozenset(str(each.name) for each in binary.imported_symbols if each.name and each.binding != weak)
    return Structure(
        "linux", processor, {str(name) for name in binary.libraries}, {str(each.name) for each in binary.exported_symbols}, imports
    )


def _windows(library: bytes) -> Structure:
    binary = _parsed(lief.PE.parse(library))
    machines = lief.PE.Header.MACHINE_TYPES
    processor = {machines.AMD64: X86_64, machines.ARM64: ARM64}[binary.header.machine]
    exports = _parsed(binary.get_export()).entries
    return Structure("windows", processor, {str(each.name) for each in binary.imports}, {str(each.name) for each in exports})


def _macos(library: bytes) -> Iterator[Structure]:
    parts = _parsed(lief.MachO.parse(library))  # the binaries live as long as this
    types = lief.MachO.Header.CPU_TYPE
    for binary in parts:
        processor = {types.X86_64: X86_64, types.ARM64: ARM64}[binary.header.cpu_type]
        names = {kind: [str(each.name) for each in binary.libraries if each.command == kind] for kind in lief.MachO.LoadCommand.TYPE}
        build = _parsed(binary.build_version)
        start = binary.fat_offset
        yield Structure(
            "darwin",
            processor,
            set(names[lief.MachO.LoadCommand.TYPE.LOAD_DYLIB]),
            {str(each.name).removeprefix("_") for each in binary.exported_symbols} - OF_THE_LINKER,
            install_name=names[lief.MachO.LoadCommand.TYPE.ID_DYLIB][0],
            oldest_system=tuple(build.minos),
            signature=_signature(library[start:], binary.code_signature.data_offset) if binary.has_code_signature else None,
        )


def _signature(library: bytes, at: int) -> str:
    """Compares each page with its hash. Source: Apple, xnu, osfmk/kern/cs_blobs.h: CS_SuperBlob and CS_CodeDirectory."""
    _, _, n_blobs = struct.unpack_from(">III", library, at)
    for i in range(n_blobs):
        _, offset = struct.unpack_from(">II", library, at + 12 + 8 * i)
        directory = at + offset
        magic, _, _, flags, hashes_at, _, _, n_pages, limit = struct.unpack_from(">9I", library, directory)
        if magic != 0xFADE0C02:
            continue
        hash_size, hash_type, _, page_bits = struct.unpack_from(">4B", library, directory + 36)
        if hash_type != 2 or limit != at:  # SHA-256 of all that is before the signature
            return "invalid"
        page = 1 << page_bits
        actual = b"".join(hashlib.sha256(library[start : min(start + page, limit)]).digest() for start in range(0, limit, page))
        expected_at = directory + hashes_at
        is_valid = actual == library[expected_at : expected_at + n_pages * hash_size]
        return "ad hoc" if is_valid and flags & 2 else "invalid"
    return "invalid"


def _parsed(found: Any) -> Any:
    if found is None:
        raise ValueError("no library, or a damaged one")
    return found
