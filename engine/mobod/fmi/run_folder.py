"""Folders into which FMUs are unpacked. Those of processes that were killed are removed by the next one."""

import os
import shutil
import tempfile
import time
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path

from mobod.disk.folder_lock import folder_lock

_PREFIX = "mobod_fmu_"
_NEW = 60.0  # s, in which a folder may not be locked yet
_OLD = 7 * 86400.0  # s, after which a folder is removed where folders cannot be locked


def run_folder(resources: ExitStack) -> Path:
    """A new folder. resources: what removes it is put there"""
    _remove_abandoned(tempfile.gettempdir())
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    # a virus scanner may still hold a file; a later process removes what remains
    resources.callback(shutil.rmtree, folder, ignore_errors=True)
    resources.enter_context(folder_lock(folder))
    return folder


@cache
def _remove_abandoned(parent: str) -> None:
    now = time.time()
    for folder in Path(parent).glob(f"{_PREFIX}*"):
        with suppress(OSError):  # removed in between, or that of another user
            age = now - folder.stat().st_mtime
            if age < _NEW or (os.name == "posix" and folder.stat().st_uid != os.geteuid()):
                continue
            with folder_lock(folder) as is_abandoned:
                if is_abandoned or age > _OLD:
                    shutil.rmtree(folder, ignore_errors=True)
