"""Atomic writing of files: either the whole file is written or nothing changes."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from mobod.disk.working_folder import absolute
from mobod.errors import WriteError


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Context that gives the name of a temporary file in the folder of `path`. At its end the temporary file replaces `path`.

        with whole_file("run.csv") as temporary:
            temporary.write_text(text)

    After any error in the block `path` is unchanged and the temporary file is deleted. A device or a pipe is written directly.
    Raises WriteError, which names `path`, instead of any OSError.
    """
    wanted = Path(path)
    # a symbolic link is kept: the file that it points to is replaced
    target = Path(os.path.realpath(absolute(wanted)))
    if is_written_directly(wanted):
        with _write_errors(wanted, "Part of it may have been written."):
            yield wanted
        return
    kept = "The file that was there is unchanged." if os.path.exists(target) else "No part of it was kept."
    temporary = _temporary(target)
    try:
        with _write_errors(wanted, kept):
            yield temporary
            _flush(temporary)
            if target.exists():
                shutil.copymode(target, temporary)
            temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def check_can_write(path: str | os.PathLike[str]) -> None:
    """Raise WriteError if no file can be made in the folder of `path`, so that this is known before the work."""
    wanted = Path(path)
    if is_written_directly(wanted):
        return
    temporary = _temporary(Path(os.path.realpath(absolute(wanted))))
    with _write_errors(wanted, "Nothing was changed."):
        try:
            temporary.touch(exist_ok=False)
        finally:
            temporary.unlink(missing_ok=True)


def is_written_directly(path: Path) -> bool:
    """Whether the path is a device or a pipe, such as /dev/stdout or /dev/null, which a file cannot replace."""
    is_special = os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path))
    return is_special or absolute(path).is_relative_to("/dev")


def _temporary(target: Path) -> Path:
    # a name of fixed length: the target's name may already be as long as the file system allows
    return target.parent / f".mobod-{uuid4().hex}.part"


def _flush(path: Path) -> None:
    """Wait until the content is on the disk. Some file systems report a full disk only then."""
    with path.open("r+b") as file:
        os.fsync(file.fileno())


@contextmanager
def _write_errors(path: Path, kept: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        raise WriteError(
            f"'{path}' was not written: {why}. {kept} Give a path on a disk that has room and can be written to.", error
        ) from error
