"""Ends a process of a sweep with the process that started it, also if that is killed."""

import ctypes
import os
import threading
import time
from typing import Any

from mobod.runtime.build_process import build_all_apart

_EVERY = 0.5  # s


def end_with_parent(parent: int) -> None:
    """Have this process end as soon as its parent has ended. Semaphores of the pool are then removed by its resource tracker.

    parent  id of the process that started this one
    """
    build_all_apart()  # so that compilers end with it too
    threading.Thread(target=_end_after, args=(parent,), name="end with parent", daemon=True).start()


def _end_after(parent: int) -> None:
    if os.name == "nt":
        _wait_on_windows(parent)
    else:
        while os.getppid() == parent:  # another process adopts an orphan
            time.sleep(_EVERY)
    os._exit(1)


def _wait_on_windows(parent: int) -> None:
    of_windows: Any = ctypes
    kernel = of_windows.WinDLL("kernel32")
    kernel.OpenProcess.restype = ctypes.c_void_p
    process = kernel.OpenProcess(0x100000, False, parent)  # SYNCHRONIZE
    if process:
        kernel.WaitForSingleObject(ctypes.c_void_p(process), 0xFFFFFFFF)
