"""Builds a library in a process of its own, at a low priority, which ends with this one, also if this one is killed.

Its compilers are in its process group, or on Windows in its job object, and end with it. It takes no Ctrl-C.
"""

import atexit
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, suppress
from pathlib import Path

from mobod.child_python import python_command
from mobod.errors import CompileError
from mobod.runtime.compiler import LibraryOrder, built, use_builder
from mobod.runtime.job_object import end_with_this_process
from mobod.runtime.library_cache import LibraryCache

_EVERY = 0.1  # s, between two looks at the parent
_LOWER = 5  # by which the priority is lower than that of the parent: nice
_OF_WINDOWS = 0x4200  # BELOW_NORMAL_PRIORITY_CLASS, CREATE_NEW_PROCESS_GROUP
_running: dict["subprocess.Popen[bytes]", int] = {}  # -> the process that started it


def can_build_apart() -> bool:
    """Whether this Python can start another one: a program that contains Python would start itself."""
    name = Path(sys.executable or "").stem.lower()
    return name.startswith(("python", "pypy")) and not getattr(sys, "frozen", False)


def build_all_apart() -> None:
    """Have `build_library` build everything apart from now on, in a process that may be ended at any time."""
    if can_build_apart():
        use_builder(_in_its_process)


def build_apart(order: LibraryOrder) -> Path:
    """Build a library as `build_library` does. Raises CompileError also if the process is ended."""
    return built(order, _in_its_process)


def _in_its_process(order: LibraryOrder, cache: LibraryCache) -> Path:
    # mobod is found where this program has found it
    program = f"import sys; sys.path[:] = {sys.path!r}; from mobod.runtime.build_process import main; main({os.getpid()})"
    with ExitStack() as resources:
        try:
            process = subprocess.Popen(
                python_command("-c", program),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=os.name == "posix",
                creationflags=_OF_WINDOWS if os.name == "nt" else 0,
            )
        except OSError as error:
            raise CompileError(f"{sys.executable} cannot be started: {error}") from error
        _running[process] = os.getpid()
        resources.callback(_running.pop, process, None)
        if sys.platform == "win32":
            end_with_this_process(int(process._handle), resources)
        said, errors = process.communicate(pickle.dumps((order, cache.root)))
    try:
        answer = json.loads(said)
    except ValueError:  # it was ended, or could not begin
        last = errors.decode(errors="replace").strip().rpartition("\n")[2]
        raise CompileError(f"the process that compiles has ended: {last or f'exit code {process.returncode}'}") from None
    if "cache" in answer:
        raise OSError(answer["cache"])
    if "error" in answer:
        raise CompileError(answer["error"])
    return Path(answer["library"])


def _end_all() -> None:
    """End those that this process has started; not a forked child, which has only their names."""
    for process, parent in list(_running.items()):
        if parent == os.getpid():
            _end(process)


def _end(process: "subprocess.Popen[bytes]") -> None:
    with suppress(ProcessLookupError, PermissionError):  # it has ended
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()


atexit.register(_end_all)


# ---- in the process ----


def main(parent: int) -> None:
    """Build the library of the standard input, and write its path or an error. parent: id of the process that started this one"""
    if os.name == "posix":
        threading.Thread(target=_end_after, args=(parent,), daemon=True).start()
        os.nice(_LOWER)
    order, root = pickle.load(sys.stdin.buffer)
    try:
        answer = {"library": str(order.library(LibraryCache(root)))}
    except CompileError as error:
        answer = {"error": str(error)}
    except OSError as error:
        answer = {"cache": str(error)}
    print(json.dumps(answer), flush=True)


def _end_after(parent: int) -> None:
    """End this process with its group as soon as the parent has ended: another process adopts an orphan."""
    while os.getppid() == parent:
        time.sleep(_EVERY)
    os.killpg(0, signal.SIGKILL)
