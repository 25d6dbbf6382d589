"""Libraries of FMUs that instances in this process share.

FMI means several instances to use one library. Loaded from folders of their own, 100 instances would have 100 copies of its code, which
the caches of a processor do not hold.
"""

import hashlib
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from threading import RLock
from typing import final


@final
class SharedLibrary:
    """A library that was unpacked with all files of its FMU; its folder is removed when its last user is gone."""

    def __init__(self, path: Path, key: str, remove_folder: Callable[[], None]) -> None:
        self.path = path
        self._key = key
        self._remove_folder = remove_folder
        self._n_users = 0

    def use(self, resources: ExitStack) -> bool:
        """Keep its folder until the resources are closed. Returns False if it has been removed."""
        self._n_users += 1
        if _of_key.get(self._key) is not self:  # its last user was collected in between
            return False
        resources.callback(self._leave)
        return True

    def give_to_no_more(self) -> None:
        """Later instances get a library of their own: what has failed fatally may have left it in any state."""
        with _lock:
            if _of_key.get(self._key) is self:
                del _of_key[self._key]

    def _leave(self) -> None:
        with _lock:
            self._n_users -= 1
            if self._n_users > 0:
                return
            if _of_key.get(self._key) is self:
                del _of_key[self._key]
        self._remove_folder()


def shared_library(folder: Path, library: Path, of_folder: ExitStack, resources: ExitStack) -> SharedLibrary:
    """The loaded library of an FMU with the same files, or else `library`, which later instances share.

    folder     with the unpacked files of an FMU, of which `library` is one
    of_folder  removes the folder. If others may use the library, the last of them does so instead
    resources  of the instance, which ends the use of the library when they are closed
    """
    key = _sha256_of_files(folder, library)
    with _lock:
        shared = _of_key.get(key)
        if shared is None or not shared.use(resources):
            shared = _of_key[key] = SharedLibrary(library, key, of_folder.pop_all().close)
            shared.use(resources)
    return shared


def _sha256_of_files(folder: Path, library: Path) -> str:
    """Of the paths and the contents of all files; equal binaries may depend on files beside them."""
    found = hashlib.sha256(library.relative_to(folder).as_posix().encode())
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
        found.update(f"\n{path.relative_to(folder).as_posix()}\n{content}".encode())
    return found.hexdigest()


_of_key: dict[str, SharedLibrary] = {}
_lock = RLock()  # the collector may end a use within another one
