"""Calls of C functions that call back into Python: no exception is lost on the way."""

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, Self, final


@final
class CCalls:
    """A context manager around calls of C functions; the code of callbacks runs within `calls.callback()`.

        calls = CCalls()

        def hook(number):                  # called by C
            with calls.callback():
                return users_function(number)
            return 0                       # an exception was kept

        with calls:
            library.run(hook)              # raises the kept exception after C has returned

    An exception cannot pass through C: ctypes prints it and goes on. So a callback keeps the first one, of any kind, and the end of the
    outer `with` raises it.

    Ctrl-C waits for the end of the outer `with`, because its exception could be raised in a callback before or after the code that keeps
    exceptions, or inside a C library that runs Python code of its own. A second Ctrl-C does not wait.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._error: BaseException | None = None
        self._handler: Callable[[int, FrameType | None], Any] | None = None  # that waits for C to return
        self._signal: tuple[int, FrameType | None] | None = None  # that arrived meanwhile

    def callback(self) -> "_Kept":
        """A context manager that keeps an exception and goes on behind its block."""
        return _Kept(self)

    def keep(self, error: BaseException) -> None:
        if self._error is None:
            self._error = error

    def _wait(self, number: int, frame: FrameType | None) -> None:
        if self._signal is not None and self._handler is not None:
            self._handler(number, frame)
        self._signal = number, frame

    def __enter__(self) -> Self:
        self._depth += 1
        # Python runs handlers of signals in the main thread alone
        if self._depth == 1 and threading.current_thread() is threading.main_thread():
            handler = signal.getsignal(signal.SIGINT)
            if callable(handler):
                self._handler = handler
                signal.signal(signal.SIGINT, self._wait)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self._depth -= 1
        if self._depth > 0:
            return
        handler, self._handler = self._handler, None
        if handler is not None:
            signal.signal(signal.SIGINT, handler)
        kept, self._error = self._error, None
        arrived, self._signal = self._signal, None
        if handler is not None and arrived is not None:
            handler(*arrived)
        if kept is not None:
            raise kept


@final
class _Kept:
    def __init__(self, calls: CCalls) -> None:
        self._calls = calls

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> bool:
        if error is not None:
            self._calls.keep(error)
        return True
