"""Reader of PE libraries, for Windows.

Source: Microsoft, PE Format, sections "COFF File Header", "Optional Header" and "The .edata Section".
"""

import struct

_ARCHITECTURES = {0x14C: "x86", 0x1C0: "aarch32", 0x1C4: "aarch32", 0x8664: "x86_64", 0xAA64: "aarch64"}
_LIBRARY = 0x2000  # characteristic IMAGE_FILE_DLL
_MOST_NAMES = 1_000_000


def read_pe(content: bytes) -> tuple[str, bool, frozenset[str] | None]:
    """Architecture, whether it is a shared library, and exported names. Raises struct.error or ValueError for a damaged file."""
    (header,) = struct.unpack_from("<I", content, 60)
    if content[header : header + 4] != b"PE\0\0":
        raise ValueError("not a PE file")
    machine, n_sections, _, _, _, optional_size, characteristics = struct.unpack_from("<HHIIIHH", content, header + 4)
    optional = header + 24
    (magic,) = struct.unpack_from("<H", content, optional)
    directories = optional + (112 if magic == 0x20B else 96)
    (n_directories,) = struct.unpack_from("<I", content, directories - 4)
    exports_at = struct.unpack_from("<I", content, directories)[0] if n_directories else 0
    sections = []
    for i in range(n_sections):
        virtual_size, address, size, at = struct.unpack_from("<IIII", content, optional + optional_size + 40 * i + 8)
        sections.append((address, max(virtual_size, size), at))

    def offset(address: int) -> int:
        for start, size, at in sections:
            if start <= address < start + size:
                return address - start + at
        raise ValueError("an address outside all sections")

    exports = set[str]()
    if exports_at:
        table = offset(exports_at)
        n_names, _, names = struct.unpack_from("<III", content, table + 24)
        if n_names > _MOST_NAMES:
            raise ValueError("too many names")
        for (address,) in struct.iter_unpack("<I", content[(at := offset(names) if n_names else 0) : at + 4 * n_names]):
            start = offset(address)
            exports.add(content[start : content.index(b"\0", start)].decode("ascii", errors="replace"))
    return _ARCHITECTURES.get(machine, ""), bool(characteristics & _LIBRARY), frozenset(exports)
