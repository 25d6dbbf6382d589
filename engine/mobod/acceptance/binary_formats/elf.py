"""Reader of ELF libraries, for Linux.

Source: System V ABI, chapters 4 (Object Files) and 5 (Program Loading and Dynamic Linking).
"""

import struct

_ARCHITECTURES = {3: "x86", 40: "aarch32", 62: "x86_64", 183: "aarch64"}  # e_machine
_SHARED = 3  # e_type: ET_DYN
_DYNAMIC_SYMBOLS = 11  # sh_type: SHT_DYNSYM
_BINDINGS = (1, 2, 10)  # global, weak, unique
_VISIBILITIES = (0, 3)  # default, protected


def read_elf(content: bytes) -> tuple[str, bool, frozenset[str] | None]:
    """Architecture, whether it is a shared library, and exported names. Raises struct.error or ValueError for a damaged file."""
    is_64 = content[4] == 2
    order = "<" if content[5] == 1 else ">"
    kind, machine = struct.unpack_from(f"{order}HH", content, 16)
    if is_64:
        (sections_at,) = struct.unpack_from(f"{order}Q", content, 40)
        size, n_sections = struct.unpack_from(f"{order}HH", content, 58)
        section = struct.Struct(f"{order}IIQQQQIIQQ")
        symbol = struct.Struct(f"{order}IBBHQQ")  # name, info, other, section, value, size
    else:
        (sections_at,) = struct.unpack_from(f"{order}I", content, 32)
        size, n_sections = struct.unpack_from(f"{order}HH", content, 46)
        section = struct.Struct(f"{order}IIIIIIIIII")
        symbol = struct.Struct(f"{order}IIIBBH")  # name, value, size, info, other, section
    sections = [section.unpack_from(content, sections_at + i * size) for i in range(n_sections)]
    exports: set[str] | None = None
    for _, section_type, _, _, at, length, linked, *_ in sections:
        if section_type != _DYNAMIC_SYMBOLS:
            continue
        _, _, _, _, names_at, names_length, *_ = sections[linked]
        names = content[names_at : names_at + names_length]
        exports = set()
        for fields in symbol.iter_unpack(content[at : at + length // symbol.size * symbol.size]):
            if is_64:
                name, info, other, index, _, _ = fields
            else:
                name, _, _, info, other, index = fields
            if index and info >> 4 in _BINDINGS and other & 3 in _VISIBILITIES:
                exports.add(names[name : names.index(b"\0", name)].decode("ascii", errors="replace"))
    return _ARCHITECTURES.get(machine, ""), kind == _SHARED, None if exports is None else frozenset(exports)
