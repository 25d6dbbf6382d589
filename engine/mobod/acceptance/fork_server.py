"""A process that has imported everything and forks one process for each check, which saves the second that the imports take.

`python -m mobod.acceptance.fork_server` reads the folders of checks from the standard input, a line each. It writes "started FOLDER PID"
and "ended PID CODE". It ends when it has nothing to do for some seconds, and with its input. Only where processes can fork.
"""

import os
import select
import signal
import sys
import tempfile
import traceback
from contextlib import suppress
from pathlib import Path

from mobod.acceptance.declared_checks import CHECKS
from mobod.acceptance.worker import OUTPUT, work
from mobod.late_imports import late_import

_IDLE = 10.0  # s


def serve() -> None:
    _import_all()
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that asked decides
    running, rest = set[int](), b""
    while True:
        ready, _, _ = select.select([0, reading], [], [], None if running else _IDLE)
        if not ready:
            return
        if reading in ready:
            os.read(reading, 1024)
        for pid in list(running):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                running.remove(pid)
                _say(f"ended {pid} {os.waitstatus_to_exitcode(status)}")
        if 0 in ready:
            received = os.read(0, 65536)
            if not received:
                return
            *lines, rest = (rest + received).split(b"\n")
            for line in lines:
                pid = _start(Path(os.fsdecode(line)))
                running.add(pid)
                _say(f"started {os.fsdecode(line)} {pid}")


def _import_all() -> None:
    for check in CHECKS:
        late_import(check.place)
    with suppress(ImportError, OSError):  # there is no SUNDIALS for some platforms
        import mobod.importer.cvode  # noqa: F401 # so that the forks have it


def _start(folder: Path) -> int:
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        for descriptor, path, flags in ((0, os.devnull, os.O_RDONLY), (1, str(folder / OUTPUT), os.O_WRONLY | os.O_APPEND)):
            opened = os.open(path, flags)
            os.dup2(opened, descriptor)
            os.close(opened)
        os.dup2(1, 2)
        os.environ.update(dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder)))
        tempfile.tempdir = None  # found again
        work(folder)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _say(text: str) -> None:
    os.write(1, os.fsencode(text) + b"\n")


if __name__ == "__main__":
    serve()
