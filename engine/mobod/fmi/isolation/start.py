"""Starts the process of an FMU, with all by which it talks to this process."""

import ctypes
import mmap
import os
import secrets
import signal
import subprocess
import sys
import tempfile
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from mobod.child_python import python_command
from mobod.runtime.job_object import end_with_this_process
from mobod.runtime.library import ffi, library_path, runtime

_CHILD = Path(__file__).with_name("child.py")
GRACE = 5.0  # s; a process that still runs so long after it was asked to end is killed


def start_child(resources: ExitStack) -> tuple["subprocess.Popen[bytes]", Any]:
    """The process, and the Side of isolated.h for this one. resources: what frees both is put there"""
    return _on_windows(resources) if os.name == "nt" else _on_posix(resources)


def end_process(process: "subprocess.Popen[bytes]", grace: float) -> int:
    """The exit code of a process. It is ended unless it ends by itself within `grace` seconds; those that it started are ended too."""
    if process.returncode is not None:  # they were ended before; another process may have its number now
        return process.returncode
    with suppress(subprocess.TimeoutExpired):
        process.wait(grace)
    if os.name == "posix":
        with suppress(ProcessLookupError, PermissionError):  # none is left
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    return process.wait()


def _on_posix(resources: ExitStack) -> tuple["subprocess.Popen[bytes]", Any]:
    size = runtime().isolated_memory_size()
    # memory without a name: nothing of it can remain
    file = os.memfd_create("mobod", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING) if sys.platform == "linux" else _unnamed_file()
    resources.callback(os.close, file)
    os.ftruncate(file, size)
    _keep_size(file)
    (child_reads, writes), (reads, child_writes), (output, prints) = os.pipe(), os.pipe(), os.pipe()
    for end in (reads, output):
        resources.callback(os.close, end)
    try:
        inherited = (file, child_reads, child_writes)
        process = _started(*map(str, inherited), stdout=prints, pass_fds=inherited, start_new_session=True)
        resources.callback(end_process, process, GRACE)
    finally:
        resources.callback(os.close, writes)  # closed before the others, which tells the process to end
        for end in (child_reads, child_writes, prints):
            os.close(end)
    os.set_blocking(output, False)
    return process, _side(resources, mmap.mmap(file, size), reads, writes, process.pid, output)


def _on_windows(resources: ExitStack) -> tuple["subprocess.Popen[bytes]", Any]:
    windows: Any = ctypes  # what follows has no types elsewhere
    named_memory: Any = mmap.mmap
    name = f"mobod-{secrets.token_hex(16)}"
    kernel = windows.WinDLL("kernel32")
    events = [kernel.CreateEventW(None, False, False, f"{name}-{of}") for of in ("child", "master")]
    for event in events:
        resources.callback(kernel.CloseHandle, event)
    memory = named_memory(-1, runtime().isolated_memory_size(), tagname=name)
    process: Any = _started(name, f"{name}-child", f"{name}-master", stdout=subprocess.PIPE)
    end_with_this_process(int(process._handle), resources)
    resources.callback(process.stdout.close)
    resources.callback(end_process, process, 0.0)
    import msvcrt

    of_windows: Any = msvcrt
    output = of_windows.get_osfhandle(process.stdout.fileno())
    return process, _side(resources, memory, events[1], events[0], int(process._handle), output)


def _started(*arguments: str, **options: Any) -> "subprocess.Popen[bytes]":
    # the folder of child.py is no place for modules of a Python FMU
    command = python_command(str(_CHILD), str(library_path()), *arguments, str(os.getpid()))
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT, **options)


def _side(resources: ExitStack, memory: mmap.mmap, wakes_me: int, wakes_child: int, process: int, output: int) -> Any:
    resources.callback(memory.close)
    numbers = ffi.from_buffer(memory)
    resources.callback(ffi.release, numbers)
    side = runtime().isolated_open(numbers, 0, wakes_me, wakes_child, process, output)
    if side == ffi.NULL:
        raise MemoryError
    resources.callback(runtime().isolated_close, side)
    return side


def _keep_size(file: int) -> None:
    """Where the system can, forbid every process to change the size of this memory: this process would end when it reads what is gone."""
    if sys.platform == "linux":
        import fcntl

        fcntl.fcntl(file, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)


def _unnamed_file() -> int:
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())
