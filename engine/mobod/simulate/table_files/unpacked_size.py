"""How much a compressed file of results may contain."""

import os
from os import PathLike

from mobod.errors import InputError

FREE = 10**8  # bytes that a file of any size may contain
_RATIO = 100  # of bytes in the memory to bytes of the file


def check_unpacked(path: str | PathLike[str], found: int, place: str = "") -> None:
    """Raise InputError if a file declares more bytes than it can reasonably contain. place: of what is too large: ', /energy'"""
    size = os.path.getsize(path)
    allowed = most_unpacked(size)
    if found > allowed:
        raise InputError(
            f"{path}{place}: it declares {found} bytes, but the file has {size}, and at most {_RATIO} times as many are read. Save a file "
            "that you trust without compression."
        )


def most_unpacked(size: int) -> int:
    """The bytes that a file of this size may contain."""
    return max(FREE, _RATIO * size)
