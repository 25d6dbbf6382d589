"""FmuProcess: a process in which the library of one FMU is loaded and called."""

import signal
import sys
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, final

from mobod.errors import UnsupportedError
from mobod.fmi.isolation.messages import read_answer, request
from mobod.fmi.isolation.start import GRACE, end_process, start_child
from mobod.runtime.library import enumerators, ffi, runtime

_LONGEST_LINE, _LONGEST_OUTPUT = 8192, 1 << 16
_MOST_LINES = 1 << 16  # that are read at a time: a process may log without end
AT_EACH_STEP = {  # the functions that pass in C, by the ChildRequest of isolated.h
    "CHILD_GET": ("fmi2GetReal", "fmi3GetFloat64"),
    "CHILD_SET": ("fmi2SetReal", "fmi3SetFloat64"),
    "CHILD_STEP": ("fmi2DoStep", "fmi3DoStep"),
}


@final
class FmuProcess:
    """A process with the library of an FMU. It ends with `close`, or with this process.

    seconds      s   that a call may take; None: any time
    is_interrupted   called when a signal arrives during a call: whether the user ends the call
    update           sets the inputs to their values at a time, s, within a step of FMI 3.0; None: they are held

    The first call without an answer ends it. Raises UnsupportedError, OSError.
    """

    def __init__(self, seconds: float | None, is_interrupted: Callable[[], bool], update: Callable[[float], None] | None = None) -> None:
        if not sys.executable:
            raise UnsupportedError("sys.executable is empty: Python does not know the program with which a process for an FMU starts.")
        self._seconds = seconds
        self._is_closed = False
        self._status, self._n_lost = ffi.new("int *"), ffi.new("uint64_t *")
        self._text = ffi.new("char[]", max(_LONGEST_LINE, _LONGEST_OUTPUT))
        self._resources = ExitStack()
        try:
            self._process, self._side = start_child(self._resources)
        except BaseException:
            self._resources.close()
            raise
        self._is_interrupted = ffi.callback("int(void *)", lambda _: int(is_interrupted()))
        self._side.is_interrupted = self._is_interrupted
        if update is not None:
            self._update = ffi.callback("void(void *, double)", lambda _, time: update(time))
            self._side.update = self._update
        self._side.time_limit = seconds or 0.0

    @property
    def address(self) -> int:
        """Of its Side, which the functions of isolated.h take in place of an instance."""
        return int(ffi.cast("intptr_t", self._side))

    @property
    def is_alive(self) -> bool:
        return not self._is_closed and bool(self._side.end == enumerators("SideEnd")["SIDE_WAITS"])

    def load(self, library: str) -> None:
        """Load the library of the FMU. Raises OSError."""
        error = self._request("load", library)
        if error != b"":
            raise OSError(self.end() if error is None else error.decode(errors="replace"))

    def knows(self, function: str) -> bool:
        """Whether the library has the function."""
        return bool(self._request("knows", function))

    def set_values(self) -> int:
        """Set values that go with the next function of those that are called at each step. Returns its status."""
        return int(runtime().isolated_set_values(self._side))

    def answer(self, message: bytes) -> bytes | None:
        """The answer to a message; None if none came: see `end`."""
        size = runtime().isolated_exchange(self._side, message, len(message))
        return None if size < 0 else bytes(ffi.buffer(self._side.received, size))

    def last_function(self, called: str) -> str:
        """The FMI function that failed in a call of `called`: possibly one before, which was passed on with it."""
        doing = runtime().isolated_doing(self._side)
        names = next((names for request, names in AT_EACH_STEP.items() if enumerators("ChildRequest")[request] == doing), ())
        return next((name for name in names if name[:4] == called[:4]), called)

    def end(self) -> str:
        """How a process ended that did not answer, for a message."""
        ends, reason = enumerators("SideEnd"), self._side.end
        code = end_process(self._process, GRACE if reason == ends["SIDE_HAS_ENDED"] else 0.0)
        if reason == ends["SIDE_IS_TOO_LATE"]:
            return f"did not return within {self._seconds:g} s. Its process was ended"
        if reason == ends["SIDE_IS_INTERRUPTED"]:
            return "was interrupted. Its process was ended"
        if code < 0:
            return f"crashed. Its process was ended by {signal.Signals(-code).name} ({signal.strsignal(-code)})"
        return f"crashed. Its process ended with code {code:#x}" if code > 255 else f"ended its process with exit code {code}"

    def log(self) -> list[tuple[int, bytes, bytes, int]]:
        """Status, category and text of each message of the FMU since the last call, and 0; or the number of messages of this category that
        were not kept.
        """
        lines: list[tuple[int, bytes, bytes, int]] = []
        if self._is_closed:
            return lines
        status, n_lost, text = self._status, self._n_lost, self._text
        while len(lines) < _MOST_LINES and (size := runtime().isolated_log_line(self._side, status, text, n_lost)):
            category, message, *_ = ffi.buffer(text, size)[:].split(b"\0")
            lines.append((status[0], category, message, n_lost[0]))
        return lines

    def printed(self) -> tuple[bytes, int]:
        """What the process wrote to its standard output and error since the last call, at most the last 64 kB, and the number of bytes
        before it that were not kept.
        """
        if self._is_closed:
            return b"", 0
        before = self._side.n_read
        size = runtime().isolated_printed(self._side, self._text, _LONGEST_OUTPUT)
        return bytes(ffi.buffer(self._text, size)), self._side.n_read - before - size

    def close(self) -> None:
        """End the process, and free what belongs to it. A second call does nothing."""
        self._is_closed = True
        self._resources.close()

    def kill(self) -> None:
        """End the process at once."""
        end_process(self._process, 0.0)
        self._side.end = enumerators("SideEnd")["SIDE_HAS_ENDED"]

    def _request(self, name: str, argument: str) -> Any:
        answer = self.answer(request(name, argument))
        return None if answer is None else read_answer(answer)
