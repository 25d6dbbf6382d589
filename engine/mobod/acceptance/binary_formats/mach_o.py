"""Reader of Mach-O libraries, for macOS.

Source: Apple, mach-o/loader.h, mach-o/nlist.h and mach-o/fat.h.
"""

import struct

_UNIVERSAL, _UNIVERSAL_64 = 0xCAFEBABE, 0xCAFEBABF
_MAGICS = {b"\xce\xfa\xed\xfe": False, b"\xcf\xfa\xed\xfe": True}  # little-endian: whether it has 64 bits
_ARCHITECTURES = {7: "x86", 12: "aarch32", 0x01000007: "x86_64", 0x0100000C: "aarch64"}
_LIBRARIES = (6, 8)  # MH_DYLIB, MH_BUNDLE
_SYMBOL_TABLE = 2  # LC_SYMTAB
_EXTERNAL, _TYPE, _IN_SECTION, _DEBUGGING = 0x01, 0x0E, 0x0E, 0xE0
_MOST_PARTS = 32


def read_mach_o(content: bytes) -> list[tuple[str, bool, frozenset[str] | None]]:
    """Architecture, whether it is a shared library, and exported names, for each part of the file; none for a file of another format.

    Raises struct.error or ValueError for a damaged file.
    """
    if content[:4] in _MAGICS:
        return [_read(content)]
    magic, n_parts = struct.unpack_from(">II", content)
    if magic not in (_UNIVERSAL, _UNIVERSAL_64) or n_parts > _MOST_PARTS:
        return []
    part = struct.Struct(">IIQQII" if magic == _UNIVERSAL_64 else ">IIIII")
    places = [part.unpack_from(content, 8 + i * part.size)[2:4] for i in range(n_parts)]
    return [_read(content[at : at + size]) for at, size in places]


def _read(content: bytes) -> tuple[str, bool, frozenset[str] | None]:
    if content[:4] not in _MAGICS:
        raise ValueError("not a Mach-O file")
    is_64 = _MAGICS[content[:4]]
    _, cpu, _, kind, n_commands, _, _ = struct.unpack_from("<IIIIIII", content)
    at, exports = 32 if is_64 else 28, None
    for _ in range(n_commands):
        command, size = struct.unpack_from("<II", content, at)
        if size < 8:
            raise ValueError("an empty command")
        if command == _SYMBOL_TABLE:
            exports = _symbols(content, at, is_64)
        at += size
    # a library without symbols has only the export trie, which is not read
    return _ARCHITECTURES.get(cpu, ""), kind in _LIBRARIES, exports or None


def _symbols(content: bytes, command_at: int, is_64: bool) -> frozenset[str]:
    symbols_at, n_symbols, names_at, names_size = struct.unpack_from("<IIII", content, command_at + 8)
    symbol = struct.Struct("<IBBHQ" if is_64 else "<IBBHI")
    names = content[names_at : names_at + names_size]
    exports = set[str]()
    for name, kind, *_ in symbol.iter_unpack(content[symbols_at : symbols_at + n_symbols * symbol.size]):
        if not kind & _DEBUGGING and kind & _EXTERNAL and kind & _TYPE == _IN_SECTION:
            text = names[name : names.index(b"\0", name)].decode("ascii", errors="replace")
            exports.add(text.removeprefix("_"))
    return frozenset(exports)
