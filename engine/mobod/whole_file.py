"""Writing a file so that it is there whole, or not at all."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from mobod.errors import WriteError


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Gives the name of a temporary file in the folder of `path`; the file written there becomes `path` when the block ends.

        with whole_file("run.csv") as temporary:
            temporary.write_text(text)

    After any error in the block `path` is what it was before, and the temporary file is gone. A device or a pipe is written directly.
    Raises WriteError, which names `path`, in place of any OSError.
    """
    wanted = Path(path)
    # a link keeps pointing to its file, which is the one that is replaced
    target = Path(os.path.realpath(wanted))
    if _is_written_directly(wanted):
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
    """Raise WriteError if no file can be made beside `path`, so that `whole_file` would fail after the work."""
    wanted = Path(path)
    if _is_written_directly(wanted):
        return
    temporary = _temporary(Path(os.path.realpath(wanted)))
    with _write_errors(wanted, "Nothing was changed."):
        try:
            temporary.touch(exist_ok=False)
        finally:
            temporary.unlink(missing_ok=True)


def _is_written_directly(path: Path) -> bool:
    """Whether it is a device or a pipe, which no other file can replace: /dev/stdout, /dev/null."""
    is_special = os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path))
    return is_special or path.absolute().is_relative_to("/dev")


def _temporary(target: Path) -> Path:
    # of a length of its own: the name of the target may be as long as the file system allows
    return target.parent / f".mobod-{uuid4().hex}.part"


def _flush(path: Path) -> None:
    """Wait until the content is on the disk: some file systems find out only then that it does not fit."""
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
