"""Shared libraries of Linux, macOS and Windows, read byte by byte: their platform, their exports, and the libraries that they need."""

import struct
from dataclasses import dataclass, field

X86_64, ARM64 = "x86_64", "aarch64"


@dataclass
class Binary:
    """needs: names of the libraries that it needs. The other fields are for macOS only."""

    processor: str
    exports: set[str] = field(default_factory=set)
    needs: set[str] = field(default_factory=set)
    install_name: str | None = None
    oldest_system: tuple[int, int] | None = None
    is_signed: bool = False


def text(content: bytes, at: int) -> str:
    return content[at : content.index(b"\0", at)].decode()


# ------------------------------------------------------------------------------------------------------------------- Linux: ELF


def elf(content: bytes) -> Binary:
    assert content[:6] == b"\x7fELF\x02\x01"
    machine, sections_at, n_sections = *struct.unpack_from("<H", content, 18), *struct.unpack_from("<Q", content, 40), content[60]
    binary = Binary({62: X86_64, 183: ARM64}[machine])
    sections = [struct.unpack_from("<IIQQQQIIQQ", content, sections_at + 64 * i) for i in range(n_sections)]
    for _, kind, _, _, at, size, link, _, _, entry_size in sections:
        names = sections[link][4]
        if kind == 11:  # SHT_DYNSYM
            for i in range(1, size // entry_size):
                name, _, visibility, section, _, _ = struct.unpack_from("<IBBHQQ", content, at + entry_size * i)
                if section and not visibility & 3:
                    binary.exports.add(text(content, names + name))
        if kind == 6:  # SHT_DYNAMIC
            entries = [struct.unpack_from("<QQ", content, at + 16 * i) for i in range(size // 16)]
            binary.needs |= {text(content, names + value) for tag, value in entries if tag == 1}
    return binary


# ----------------------------------------------------------------------------------------------------------------- macOS: Mach-O


def mach_o(content: bytes) -> list[Binary]:
    """One binary for each processor of a universal library."""
    if content[:4] != b"\xca\xfe\xba\xbe":
        return [_one_mach_o(content)]
    (n,) = struct.unpack_from(">I", content, 4)
    slices = []
    for i in range(n):
        processor, variant, at, size, alignment = struct.unpack_from(">IIIII", content, 8 + 20 * i)
        assert at % (1 << alignment) == 0
        assert alignment == 14
        assert at + size <= len(content)
        assert struct.unpack_from("<II", content, at + 4) == (processor, variant)
        slices.append(_one_mach_o(content[at : at + size]))
    return slices


def _one_mach_o(content: bytes) -> Binary:
    magic, processor, _, kind, n_commands = struct.unpack_from("<IIIII", content)
    assert (magic, kind) == (0xFEEDFACF, 6)  # 64 bits, a dylib
    binary = Binary({0x01000007: X86_64, 0x0100000C: ARM64}[processor])
    at = 32
    for _ in range(n_commands):
        command, size = struct.unpack_from("<II", content, at)
        if command in (0xC, 0xD):  # LC_LOAD_DYLIB, LC_ID_DYLIB
            name = text(content, at + struct.unpack_from("<I", content, at + 8)[0])
            if command == 0xC:
                binary.needs.add(name)
            else:
                binary.install_name = name
        elif command == 0x32:  # LC_BUILD_VERSION
            (oldest,) = struct.unpack_from("<I", content, at + 12)
            binary.oldest_system = (oldest >> 16, oldest >> 8 & 0xFF)
        elif command == 0x24:  # LC_VERSION_MIN_MACOSX
            (oldest,) = struct.unpack_from("<I", content, at + 8)
            binary.oldest_system = (oldest >> 16, oldest >> 8 & 0xFF)
        elif command == 0x1D:  # LC_CODE_SIGNATURE
            (signature_at,) = struct.unpack_from("<I", content, at + 8)
            binary.is_signed = content[signature_at : signature_at + 4] == b"\xfa\xde\x0c\xc0"
        elif command in (0x22, 0x80000022):  # LC_DYLD_INFO, LC_DYLD_INFO_ONLY
            trie_at, trie_size = struct.unpack_from("<II", content, at + 40)
            binary.exports |= _names_of_trie(content[trie_at : trie_at + trie_size])
        elif command == 0x80000033:  # LC_DYLD_EXPORTS_TRIE
            trie_at, trie_size = struct.unpack_from("<II", content, at + 8)
            binary.exports |= _names_of_trie(content[trie_at : trie_at + trie_size])
        at += size
    return binary


def _names_of_trie(trie: bytes, at: int = 0, prefix: str = "") -> set[str]:
    """Names of a Mach-O export trie, without the underscore that C names have there."""
    terminal_size, at = _uleb128(trie, at)
    names = {prefix.removeprefix("_")} if terminal_size else set()
    at += terminal_size
    n_children = trie[at]
    at += 1
    for _ in range(n_children):
        edge = text(trie, at)
        child, at = _uleb128(trie, at + len(edge) + 1)
        names |= _names_of_trie(trie, child, prefix + edge)
    return names


def _uleb128(content: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = content[at]
        value |= (byte & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if byte < 0x80:
            return value, at


# ------------------------------------------------------------------------------------------------------------------- Windows: PE


def pe(content: bytes) -> Binary:
    (header,) = struct.unpack_from("<I", content, 60)
    assert content[header : header + 4] == b"PE\0\0"
    machine, n_sections = struct.unpack_from("<HH", content, header + 4)
    (optional_size,) = struct.unpack_from("<H", content, header + 20)
    optional = header + 24
    assert struct.unpack_from("<H", content, optional) == (0x20B,)  # PE32+
    sections = [struct.unpack_from("<8sIIII", content, optional + optional_size + 40 * i) for i in range(n_sections)]

    def offset(address: int) -> int:
        for _, size, start, raw_size, raw_at in sections:
            if start <= address < start + max(size, raw_size):
                return raw_at + address - start
        raise AssertionError(f"no section has the address {address}")

    exports_at, _, imports_at, _ = struct.unpack_from("<IIII", content, optional + 112)
    binary = Binary({0x8664: X86_64, 0xAA64: ARM64}[machine])
    n_names, _, names_at = struct.unpack_from("<III", content, offset(exports_at) + 24)
    for i in range(n_names):
        (name_at,) = struct.unpack_from("<I", content, offset(names_at) + 4 * i)
        binary.exports.add(text(content, offset(name_at)))
    entry = offset(imports_at)
    while (name_at := struct.unpack_from("<5I", content, entry)[3]) != 0:
        binary.needs.add(text(content, offset(name_at)))
        entry += 20
    return binary
