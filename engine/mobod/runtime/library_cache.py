"""The cache of compiled files: private folders. Each file has its SHA-256 beside it, which is checked at each use."""

import atexit
import hashlib
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import final

from mobod.disk.folder_lock import folder_lock
from mobod.disk.working_folder import absolute

_ABANDONED_AFTER = 86_400.0  # s; age limit for folders of builds that cannot be locked


def cache_directory() -> Path:
    """$MOBOD_CACHE if it is set; otherwise %LOCALAPPDATA%/mobod on Windows, and $XDG_CACHE_HOME/mobod or ~/.cache/mobod elsewhere.

    Raises OSError if none of these is set and the user has no home folder.
    """
    chosen = os.environ.get("MOBOD_CACHE")
    if chosen:
        return absolute(chosen)
    if sys.platform == "win32" and "LOCALAPPDATA" in os.environ:
        return Path(os.environ["LOCALAPPDATA"]) / "mobod"
    of_all_programs = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if sys.platform != "win32" and of_all_programs.is_absolute():  # its specification says: ignore relative paths
        return of_all_programs / "mobod"
    try:
        return Path.home() / ".cache" / "mobod"
    except RuntimeError as error:
        raise FileNotFoundError("the user has no home folder") from error


def checked_content(file: Path) -> bytes | None:
    """The bytes of a file in the cache; None if it is missing, differs from its SHA-256, or is in a folder that others can write to."""
    try:
        _check_private(file.parent)
        content = file.read_bytes()
        expected = _sum_file(file).read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return None
    return content if expected == _sum_line(content, file.name) else None


@final
class LibraryCache:
    """Compiled files below one folder.

    All folders belong to the user and, on POSIX, are closed to others. A folder that belongs to another user, or that others can write to,
    is never used: they could put a library there with a valid SHA-256, and this process would run it. The methods raise OSError for such a
    folder, and for a folder without write permission.
    """

    def __init__(self, root: Path):
        self.root = root

    def content(self, *place: str) -> bytes | None:
        """The checked bytes of the file at root/place..., or None."""
        try:
            for folder in self._levels(place[:-1]):
                _check_private(folder)
        except OSError:
            return None
        return checked_content(self.root.joinpath(*place))

    def has(self, *place: str) -> bool:
        """Whether there is a file at root/place..., which is not checked."""
        return self.root.joinpath(*place).is_file()

    def folder(self, *place: str) -> Path:
        """The folder root/place...; it is made if it is missing."""
        for each in self._levels(place):
            _make_private(each)
            _check_private(each)
            if sys.platform != "win32" and each != self.root:
                each.chmod(0o700)
        return self.root.joinpath(*place)

    def keep(self, content: bytes, build: Path, *place: str) -> Path:
        """Write `content` to root/place... and its SHA-256 beside it. `build` is a folder of this cache for the unfinished files.

        Readers see the old content, no file, or the new content. A reader between the two renames rejects the pair and builds it.
        """
        file = self.folder(*place[:-1]) / place[-1]
        _replace(file, content, build)
        _replace(_sum_file(file), _sum_line(content, file.name).encode("ascii"), build)
        return file

    @contextmanager
    def build_folder(self) -> Iterator[Path]:
        """Context with a new folder to build in. It is removed at the end; if this process is killed, the next build removes it."""
        builds = self.folder("builds")
        with ExitStack() as at_end:
            with folder_lock(builds, wait=True):  # so that no other process removes the folder before it is locked
                _remove_abandoned(builds)
                folder = Path(tempfile.mkdtemp(dir=builds, prefix=f"{os.getpid()}-"))
                at_end.enter_context(folder_lock(folder))
                at_end.callback(shutil.rmtree, folder, ignore_errors=True)
            yield folder

    @contextmanager
    def one_at_a_time(self, *place: str) -> Iterator[None]:
        """Context in which no other process is for the folder root/place.... If the system cannot lock folders, nobody waits."""
        with folder_lock(self.folder(*place), wait=True):
            yield

    def _levels(self, place: tuple[str, ...]) -> list[Path]:
        return [self.root.joinpath(*place[:i]) for i in range(len(place) + 1)]


def temporary_cache() -> LibraryCache:
    """A cache for this process only, removed when the process ends."""
    return LibraryCache(_temporary_root(os.getpid()))


@cache
def _temporary_root(process: int) -> Path:
    root = Path(tempfile.mkdtemp(prefix="mobod-"))

    def remove() -> None:
        if os.getpid() == process:  # not in a forked child, whose parent may still use it
            shutil.rmtree(root, ignore_errors=True)

    atexit.register(remove)
    return root


def _make_private(folder: Path) -> None:
    if not folder.exists():
        if folder.parent != folder:
            _make_private(folder.parent)
        folder.mkdir(0o700, exist_ok=True)


def _check_private(folder: Path) -> None:
    if sys.platform == "win32":
        return
    found = folder.stat()
    if found.st_uid != os.geteuid():
        raise PermissionError(f"'{folder}' belongs to another user (user id {found.st_uid}, not {os.geteuid()})")
    mode = stat.S_IMODE(found.st_mode)
    if mode & 0o022:
        raise PermissionError(f"others can write to '{folder}' (mode {mode:o}). Run: chmod 700 '{folder}'")


def _sum_file(file: Path) -> Path:
    return file.with_name(file.name + ".sha256")


def _sum_line(content: bytes, name: str) -> str:
    """A line as sha256sum writes it, so that sha256sum can check the file."""
    return f"{hashlib.sha256(content).hexdigest()}  {name}\n"


def _replace(file: Path, content: bytes, build: Path) -> None:
    unfinished = build / f"{file.name}.unfinished"
    with unfinished.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    try:
        unfinished.replace(file)
    except PermissionError:
        # on Windows a file in use cannot be replaced: another process wrote it first
        if not file.is_file() or file.read_bytes() != content:
            raise


def _remove_abandoned(builds: Path) -> None:
    """Remove the folders of builds whose processes were killed."""
    for folder in builds.iterdir():
        try:
            with folder_lock(folder) as is_abandoned:
                if is_abandoned or time.time() - folder.stat().st_mtime > _ABANDONED_AFTER:
                    shutil.rmtree(folder, ignore_errors=True)
        except FileNotFoundError:  # its build has just ended
            continue
