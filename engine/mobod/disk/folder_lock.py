"""Locks of folders, which the system releases when a process dies."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform != "win32":
    import fcntl


@contextmanager
def folder_lock(folder: Path, *, wait: bool = False) -> Iterator[bool]:
    """Hold the lock of a folder. Gives False if the lock is not available, as always on Windows."""
    if sys.platform == "win32":
        yield False
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            is_held = True
        except OSError:  # another process holds it, or the file system has no locks
            is_held = False
        yield is_held
    finally:
        os.close(descriptor)
