"""start_worker: starts the process of a check, by the fork server where processes can fork."""

import os
import subprocess
import threading
from contextlib import suppress
from pathlib import Path
from typing import final

from mobod.acceptance.worker import OUTPUT
from mobod.child_python import python_command, python_environment

_PACKAGE = Path(__file__).resolve().parents[2]


@final
class ForkedProcess:
    """A process of the fork server, with those methods of Popen that are used."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._ended = threading.Event()
        self._code = -1

    def wait(self, timeout: float | None = None) -> int:
        if not self._ended.wait(timeout):
            raise subprocess.TimeoutExpired("the process of a check", timeout or 0.0)
        return self._code

    def end(self, code: int) -> None:
        """It has ended."""
        self._code = code
        self._ended.set()

    def kill(self) -> None:
        os.kill(self.pid, 9)


WorkerProcess = ForkedProcess | subprocess.Popen[bytes]


def start_worker(folder: Path) -> WorkerProcess:
    """The process of the check in this folder. It is the first of a process group, and writes its output to a file there."""
    (folder / OUTPUT).touch()
    if hasattr(os, "fork"):
        process = _server.start(folder)
        if process is not None:
            return process
    with (folder / OUTPUT).open("wb") as output:
        return subprocess.Popen(
            python_command("-m", "mobod.acceptance.worker", str(folder)),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=_environment(**dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))),
            start_new_session=True,
        )


def _environment(**variables: str) -> dict[str, str]:
    inherited = os.environ.get("PYTHONPATH")
    places = os.pathsep.join([str(_PACKAGE), *([inherited] if inherited else [])])
    return python_environment(PYTHONPATH=places, **variables)


@final
class _ForkServer:
    """The fork server of this process, which is started when it is needed and ends by itself."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._answered = threading.Condition(self._lock)
        self._started: dict[str, ForkedProcess] = {}
        self._running: dict[int, ForkedProcess] = {}

    def start(self, folder: Path) -> ForkedProcess | None:
        """None if there is no server."""
        for _ in range(2):  # it may just have ended
            with self._lock:
                if self._process is None:
                    self._process = subprocess.Popen(
                        python_command("-m", "mobod.acceptance.fork_server"),
                        stdin=subprocess.PIPE,
                        stdout=subprocess.PIPE,
                        env=_environment(),
                        start_new_session=True,
                    )
                    threading.Thread(target=self._listen, args=(self._process,), daemon=True).start()
                server = self._process
                assert server.stdin is not None
                try:
                    server.stdin.write(os.fsencode(folder) + b"\n")
                    server.stdin.flush()
                except (OSError, ValueError):  # it has just ended
                    self._process = None
                    continue
                while str(folder) not in self._started and self._process is server:
                    self._answered.wait()
                process = self._started.pop(str(folder), None)
                if process is not None:
                    return process
        return None

    def _listen(self, server: "subprocess.Popen[bytes]") -> None:
        assert server.stdout is not None
        for line in server.stdout:
            kind, _, rest = os.fsdecode(line).rstrip("\n").partition(" ")
            name, _, number = rest.rpartition(" ")
            with self._lock:
                if kind == "started":
                    self._started[name] = self._running[int(number)] = ForkedProcess(int(number))
                elif int(name) in self._running:
                    self._running.pop(int(name)).end(int(number))
                self._answered.notify_all()
        server.wait()
        with self._lock:
            if self._process is server:
                self._process = None
            if server.stdin is not None:
                with suppress(OSError):  # what could not be written
                    server.stdin.close()
            server.stdout.close()
            for process in self._running.values():
                process.end(1)
            self._running.clear()
            self._answered.notify_all()


_server = _ForkServer()
