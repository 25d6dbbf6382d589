"""The messages that FMUs log, sorted by the instance that they come from."""

import ctypes
import weakref
from collections import deque
from dataclasses import dataclass
from itertools import count
from typing import final

import fmpy
from fmpy import fmi2
from fmpy.logging import addLoggerProxy

from mobod.c_calls import CCalls

_STATUS_NAMES = ("ok", "warning", "discard", "error", "fatal", "pending")
DISCARD, FATAL = _STATUS_NAMES.index("discard"), _STATUS_NAMES.index("fatal")


def status_name(status: int) -> str:
    return _STATUS_NAMES[status] if 0 <= status < len(_STATUS_NAMES) else f"status {status} (unknown to FMI 2.0)"


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
    """The last messages of one instance, and the callbacks by which the FMU hands them over.

    calls  to be entered around each call of the FMU, since the callbacks keep their exceptions there
    """

    def __init__(self) -> None:
        self.calls = CCalls()
        self.lines: deque[LogLine] = deque(maxlen=1000)
        # The proxy that formats the messages of C's printf kind keeps one logger for the whole process, the last that was given to it.
        # So all instances have one logger, and each is told by a number of its own.
        number = next(_numbers)
        _logs[number] = self
        self.callbacks = fmi2.fmi2CallbackFunctions()
        self.callbacks.logger = _logger
        # the functions of C themselves, without Python between the FMU and its memory
        self.callbacks.allocateMemory = ctypes.cast(fmpy.calloc, fmi2.fmi2CallbackAllocateMemoryTYPE)
        self.callbacks.freeMemory = ctypes.cast(fmpy.free, fmi2.fmi2CallbackFreeMemoryTYPE)
        self.callbacks.componentEnvironment = number
        addLoggerProxy(ctypes.byref(self.callbacks))

    def __str__(self) -> str:
        if not self.lines:
            return "The FMU logged nothing."
        return "The FMU's log ends with:\n  " + "\n  ".join(map(str, list(self.lines)[-20:]))


_numbers = count(1)
_logs: weakref.WeakValueDictionary[int, FmuLog] = weakref.WeakValueDictionary()


def _text(raw: bytes | None) -> str:
    return "" if raw is None else raw.decode("utf-8", errors="replace")


def _receive(environment: int | None, _instance: bytes, status: int, category: bytes | None, message: bytes | None) -> None:
    log = _logs.get(environment or 0)
    if log is not None:
        with log.calls.callback():
            log.lines.append(LogLine(status_name(status), _text(category), _text(message)))


# never collected: the proxy and FMUs that failed fatally hold its address until the process ends
_logger = fmi2.fmi2CallbackLoggerTYPE(_receive)
