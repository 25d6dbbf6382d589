"""Runs a check in a process of its own, with a time-out: an FMU that crashes, ends the process or never returns harms only its check."""

import os
import pickle
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from threading import Event

from mobod.acceptance.declared_checks import DeclaredCheck
from mobod.acceptance.forked import WorkerProcess, start_worker
from mobod.acceptance.report import Check, Result
from mobod.acceptance.subject import Monitor, Subject
from mobod.acceptance.worker import NOTE, OUTPUT, RESULT, TASK
from mobod.fmi.rules.finding import AcceptanceFinding

_MOST_OUTPUT = 2000  # characters of the process's output in a finding
_LOOK = 0.2  # s between two looks at whether the check was cancelled


def run_check(declared: DeclaredCheck, subject: Subject, timeout: float | None = None, cancelled: Event | None = None) -> Check:
    """Run a check in a new process and wait for its result.

    timeout    s, default: that of the check
    cancelled  the process is ended when it is set

    A process that crashes, ends without a result or takes too long gives a finding that says what it was doing.
    """
    started = time.monotonic()
    limit = declared.timeout if timeout is None else timeout
    with tempfile.TemporaryDirectory(prefix="mobod_", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / TASK).write_bytes(pickle.dumps((declared, subject)))
        process = start_worker(folder)
        try:
            exit_code = _wait(process, limit, cancelled)
        finally:
            _kill(process)
        result = folder / RESULT
        if result.is_file():
            outcome: Result = pickle.loads(result.read_bytes())
        else:
            doing = Monitor.read(folder / NOTE) or "starting"
            text = (folder / OUTPUT).read_bytes()[-_MOST_OUTPUT:].decode(errors="replace").strip()
            outcome = Result([_finding(declared, exit_code, limit, doing, text)])
    return Check(declared.name, declared.claim, outcome, time.monotonic() - started)


def _wait(process: WorkerProcess, limit: float, cancelled: Event | None) -> int | None:
    """The exit code; None after `limit` seconds, or when it is cancelled."""
    end = time.monotonic() + limit
    while not (cancelled is not None and cancelled.is_set()) and (left := end - time.monotonic()) > 0:
        with suppress(subprocess.TimeoutExpired):
            return process.wait(min(left, _LOOK))
    return None


def _kill(process: WorkerProcess) -> None:
    """End the process and those that it started."""
    while True:
        _send_kill(process)
        with suppress(subprocess.TimeoutExpired):  # it may have become the first of its group only after the signal was sent
            process.wait(1.0)
            return


def _send_kill(process: WorkerProcess) -> None:
    if os.name == "posix":
        with suppress(ProcessLookupError, PermissionError):  # all of the group have ended, or there is no group yet
            os.killpg(process.pid, signal.SIGKILL)
            return
    try:
        process.wait(0.0)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            process.kill()


def _finding(declared: DeclaredCheck, exit_code: int | None, limit: float, doing: str, output: str) -> AcceptanceFinding:
    """The finding for a process that ended without a result."""
    tail = f" The process wrote: {output}" if output else ""
    if exit_code is None:
        return AcceptanceFinding("no-answer", f"no answer within {limit:g} s, during: {doing}.{tail}", _CALLS_RETURN, declared.crash)
    if exit_code < 0:
        return AcceptanceFinding(
            "crash", f"the process crashed ({_signal_name(-exit_code)}) during: {doing}.{tail}", _CALLS_RETURN, declared.crash
        )
    if exit_code == 0:
        return AcceptanceFinding("exit", f"the FMU ended the process (exit code 0) during: {doing}.{tail}", _CALLS_RETURN, declared.crash)
    return AcceptanceFinding("crash", f"the process ended with exit code {exit_code} during: {doing}.{tail}", _CALLS_RETURN, declared.crash)


_CALLS_RETURN = "FMI 2.0.5, 2.1.3; FMI 3.0.2, 2.2.4: a function returns a status"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
