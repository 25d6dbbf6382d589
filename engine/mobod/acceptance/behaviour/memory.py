"""The memory and the open files of this process."""

import ctypes
import os
import sys
from pathlib import Path


def resident_memory() -> int | None:
    """Bytes of memory that this process uses; None where this cannot be read."""
    if sys.platform != "linux":
        return None
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def allocated_memory() -> int | None:
    """Bytes that C code of this process has allocated and not freed; None where this cannot be read."""
    if sys.platform != "linux":
        return None
    try:
        function = ctypes.CDLL(None).mallinfo2
    except AttributeError:
        return None  # an old or another C library
    function.restype = _Mallinfo2
    information: _Mallinfo2 = function()
    return int(information.uordblks + information.hblkhd)


def open_files() -> int | None:
    """The number of open files of this process; None where this cannot be read."""
    return len(os.listdir("/proc/self/fd")) if sys.platform == "linux" else None


class _Mallinfo2(ctypes.Structure):
    """As in malloc.h of glibc."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")
    ]
