"""FmuLog: the log messages of each FMU instance."""

# Decision: docs/decisions/142-log-of-fmus.md

import ctypes
import threading
import weakref
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from math import nan
from typing import final

import fmpy
from fmpy import fmi2
from fmpy.logging import addLoggerProxy

from mobod.c_calls import CCalls
from mobod.fmi.isolation.process import FmuProcess
from mobod.fmi.log_file import PRINTED
from mobod.fmi.message_file import MessageFile

_STATUS_NAMES = ("ok", "warning", "discard", "error", "fatal", "pending")
OK, WARNING, DISCARD, FATAL = (_STATUS_NAMES.index(name) for name in ("ok", "warning", "discard", "fatal"))


def status_name(status: int) -> str:
    return _STATUS_NAMES[status] if 0 <= status < len(_STATUS_NAMES) else f"status {status} (unknown to FMI)"


@dataclass(frozen=True)
class LogLine:
    status: str
    category: str
    message: str

    def __str__(self) -> str:
        indented = self.message.rstrip().replace("\n", "\n    ")
        return f"[{self.status}] {self.category}: {indented}" if self.category else f"[{self.status}] {indented}"


@final
class FmuLog:
    """The last messages of one instance, and the callbacks for the FMU.

    calls      a context to enter around each call of the FMU; exceptions in callbacks are raised at its end
    callbacks  of FMI 2.0; those of FMI 1.0 are the same functions
    source     the process of an isolated FMU, which keeps its messages until they are read here
    time_in_c  the time of the FMU, s, which C may set; NaN before it has one
    file       to which the messages are written too, if the run has one
    n_warnings how many had the status 'warning'

    name       of the FMU in the file
    """

    def __init__(self, name: str = "", file: MessageFile | None = None) -> None:
        self.time_in_c = ctypes.c_double(nan)
        self.file = file
        self.n_warnings = 0
        self._name = name
        self.calls = CCalls()
        self.source: FmuProcess | None = None
        self.lines: deque[LogLine] = deque(maxlen=1000)
        # FMPy's proxy, which formats printf messages, keeps one logger for the whole process, the last one that it was given.
        # So all instances share one logger, and a number identifies each instance.
        number = next(_numbers)
        _logs[number] = self
        self.callbacks = fmi2.fmi2CallbackFunctions()
        self.callbacks.logger = _logger
        # the C functions themselves, without Python between the FMU and its memory
        self.callbacks.allocateMemory = ctypes.cast(fmpy.calloc, fmi2.fmi2CallbackAllocateMemoryTYPE)
        self.callbacks.freeMemory = ctypes.cast(fmpy.free, fmi2.fmi2CallbackFreeMemoryTYPE)
        self.callbacks.componentEnvironment = number
        addLoggerProxy(ctypes.byref(self.callbacks))

    @property
    def time(self) -> float | None:
        """s, of the FMU, for the messages; None before it has one"""
        time = self.time_in_c.value
        return None if time != time else time

    @time.setter
    def time(self, time: float | None) -> None:
        self.time_in_c.value = nan if time is None else time

    def receive(self, _environment: int | None, status: int, category: bytes | None, message: bytes | None) -> None:
        """The callback for messages of FMI 3.0."""
        with self.calls.callback():
            line = LogLine(status_name(status), _text(category), _text(message))
            self.lines.append(line)
            self.n_warnings += status == WARNING
            self._write(status, line.category, line.message)

    def read_source(self) -> None:
        """Take what the process of an isolated FMU logged and printed."""
        if self.source is None:
            return
        for status, category, message, n_lost in self.source.log():
            if n_lost:
                self._lose(_text(category), n_lost)
            else:
                self.receive(None, status, category, message)
        printed, n_lost = self.source.printed()
        if printed:
            line = LogLine(status_name(OK), PRINTED, _text(printed))
            self.lines.append(line)
            if n_lost and self.file is not None and self.file.wanted.takes_category(PRINTED):
                self.file.leave_out(self._name, PRINTED, n_lost, "bytes")
            for text in line.message.splitlines():
                self._write(OK, PRINTED, text)

    def _lose(self, category: str, count: int) -> None:
        """Note messages that the process did not keep."""
        line = LogLine(status_name(OK), category, f"({count} messages of this category were not kept here)")
        self.lines.append(line)
        self._write(OK, category, line.message)
        if self.file is not None and self.file.wanted.takes_category(category):
            self.file.leave_out(self._name, category, count)

    def _write(self, status: int, category: str, message: str) -> None:
        if self.file is not None and self.file.wanted.takes(status, category):
            self.file.write(self.time, self._name, status_name(status), category, message)

    def __str__(self) -> str:
        self.read_source()
        if not self.lines:
            return "The FMU logged nothing."
        return "The FMU's log ends with:\n  " + "\n  ".join(map(str, list(self.lines)[-20:]))


_numbers = count(1)
_logs: weakref.WeakValueDictionary[int, FmuLog] = weakref.WeakValueDictionary()


class _OfThread(threading.local):
    log: FmuLog | None = None  # that of an FMU of FMI 1.0 which is being called: it logs with its instance, and without an environment


_of_thread = _OfThread()


@contextmanager
def log_of_fmi_1(log: FmuLog | None) -> Iterator[None]:
    """Context of a call of an FMU of FMI 1.0: what is logged in it belongs to this log."""
    before, _of_thread.log = _of_thread.log, log
    try:
        yield
    finally:
        _of_thread.log = before


def _text(raw: bytes | None) -> str:
    return "" if raw is None else raw.decode("utf-8", errors="replace")


def _receive(environment: int | None, _instance: bytes, status: int, category: bytes | None, message: bytes | None) -> None:
    log = _of_thread.log or _logs.get(environment or 0)
    if log is not None:
        log.receive(environment, status, category, message)


# never freed: the proxy and FMUs that failed fatally keep its address until the process ends
_logger = fmi2.fmi2CallbackLoggerTYPE(_receive)
