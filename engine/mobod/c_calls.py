"""Calls of C functions that call back into Python: no exception is lost on the way."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
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

    Ctrl-C waits for the end of the outermost `with`, because its exception could be raised in a callback before or after the code that
    keeps exceptions, or inside a C library that runs Python code of its own. A callback lets it in where its exception is kept, by
    `calls.let_interrupt_in()`. A second Ctrl-C does not wait.
    """

    def __init__(self) -> None:
        self._error: BaseException | None = None
        self._scope: AbstractContextManager[None] | None = None

    def callback(self) -> "_Kept":
        """A context manager that keeps an exception and goes on behind its block."""
        return _Kept(self)

    def let_interrupt_in(self) -> None:
        """Within `callback`: have a Ctrl-C that waits act now."""
        if threading.get_ident() == threading.main_thread().ident:
            _ctrl_c.act()

    def keep(self, error: BaseException) -> None:
        if self._error is None:
            self._error = error

    def __enter__(self) -> Self:
        # Python runs handlers of signals in the main thread alone
        if threading.get_ident() == threading.main_thread().ident:
            if _ctrl_c.handler is None:
                self._scope = interrupts_between_calls()
                self._scope.__enter__()
            _ctrl_c.depth += 1
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        try:
            if threading.get_ident() == threading.main_thread().ident:
                _ctrl_c.leave()
        finally:
            if self._scope is not None and _ctrl_c.depth == 0:
                scope, self._scope = self._scope, None
                scope.__exit__(None, None, None)
        kept, self._error = self._error, None
        if kept is not None and (error is None or isinstance(error, Exception)):  # Ctrl-C goes before
            raise kept


@contextmanager
def interrupts_between_calls() -> Iterator[None]:
    """Ctrl-C raises KeyboardInterrupt between calls of C, not inside them. Around many calls, it makes each of them quicker."""
    is_main = threading.current_thread() is threading.main_thread()
    handler = signal.getsignal(signal.SIGINT) if is_main and _ctrl_c.handler is None else None
    if not callable(handler):
        yield
        return
    _ctrl_c.handler = handler
    try:
        signal.signal(signal.SIGINT, _ctrl_c.arrive)
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        _ctrl_c.handler = None


@final
class _CtrlC:
    """What is known of Ctrl-C in this process.

    handler  the user's, or Python's own, while another one stands in for it
    depth    number of calls of C under way, one inside the other
    """

    def __init__(self) -> None:
        self.handler: Callable[[int, FrameType | None], Any] | None = None
        self.depth = 0
        self._waiting: tuple[int, FrameType | None] | None = None

    def arrive(self, number: int, frame: FrameType | None) -> None:
        if self.depth > 0 and self._waiting is None:
            self._waiting = number, frame
        elif self.handler is not None:
            if self.depth == 0:
                self._waiting = None
            self.handler(number, frame)

    def leave(self) -> None:
        self.depth -= 1
        if self.depth == 0:
            self.act()

    def act(self) -> None:
        """Call the user's handler if one waits to be called."""
        if self._waiting is not None and self.handler is not None:
            arrived, self._waiting = self._waiting, None
            self.handler(*arrived)


_ctrl_c = _CtrlC()


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
