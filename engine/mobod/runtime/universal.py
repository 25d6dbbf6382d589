"""Joins macOS libraries for several processors into one."""

import struct
from collections.abc import Sequence

_MAGIC = 0xCAFEBABE
_ALIGNMENT = 14  # 2^14 bytes: the page size on arm64


def universal_library(libraries: Sequence[bytes]) -> bytes:
    """Join 64-bit Mach-O libraries, each for another processor, into a universal ("fat") library.

    Source: Apple, <mach-o/fat.h>: a header in big-endian numbers, then each library at a multiple of the alignment.
    """
    page = 1 << _ALIGNMENT
    header, body = struct.pack(">II", _MAGIC, len(libraries)), b""
    for library in libraries:
        processor, variant = struct.unpack_from("<II", library, 4)
        body += bytes(-len(body) % page)
        header += struct.pack(">IIIII", processor, variant, page + len(body), len(library), _ALIGNMENT)
        body += library
    return header.ljust(page, b"\0") + body
