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

STATUS_NAMES = ("ok", "warning", "discard", "error", "fatal", "pending")
DISCARD, FATAL = STATUS_NAMES.index("discard"), STATUS_NAMES.index("fatal")


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
    """The last messages of one instance, and the callbacks by which the FMU hands them over."""

    def __init__(self) -> None:
        self.lines: deque[LogLine] = deque(maxlen=1000)
        # The proxy that formats the messages of C's printf kind keeps one logger for the whole process, the last that was given to it.
        # So all instances have one logger, and each is told by a number of its own.
        number = next(_numbers)
        _logs[number] = self
        self.callbacks = fmi2.fmi2CallbackFunctions()
        self.callbacks.logger = _logger
        self.callbacks.allocateMemory = fmi2.fmi2CallbackAllocateMemoryTYPE(fmpy.calloc)
        self.callbacks.freeMemory = fmi2.fmi2CallbackFreeMemoryTYPE(fmpy.free)
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
        name = STATUS_NAMES[status] if 0 <= status < len(STATUS_NAMES) else f"status {status}"
        log.lines.append(LogLine(name, _text(category), _text(message)))


_logger = fmi2.fmi2CallbackLoggerTYPE(_receive)
