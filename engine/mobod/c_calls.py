"""Calls of C functions that call back into Python: no exception is lost on the way."""

# Decision: docs/decisions/018-ctrl-c.md

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from types import FrameType, TracebackType
from typing import ClassVar, Self, final

Handler = Callable[[int, FrameType | None], object]  # of a signal
_numbers = count()


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
    `calls.let_interrupt_in()`. A second Ctrl-C does not wait. The same holds for SIGTERM if it has a handler in Python.
    """

    last_kept: ClassVar[int] = -1  # a number of the exception that was kept last, by any of them, which no other one has

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
        CCalls.last_kept = next(_numbers)

    def __enter__(self) -> Self:
        # Python runs handlers of signals in the main thread alone
        if threading.get_ident() == threading.main_thread().ident:
            if not _ctrl_c.handlers:
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
        self.raise_kept()

    def raise_kept(self) -> None:
        """Raise the exception that a callback has kept, if there is one. The end of a `with` does so."""
        kept, self._error = self._error, None
        if kept is not None:
            raise kept


@contextmanager
def interrupts_between_calls() -> Iterator[None]:
    """Ctrl-C raises KeyboardInterrupt between calls of C, not inside them; so does a handler of SIGTERM. Around many calls, it makes each
    of them quicker.
    """
    is_free = threading.current_thread() is threading.main_thread() and not _ctrl_c.handlers
    handlers: dict[int, Handler] = {}
    for each in (signal.SIGINT, signal.SIGTERM) if is_free else ():
        present = signal.getsignal(each)
        if callable(present):
            handlers[each] = present
    if not handlers:
        yield
        return
    _ctrl_c.handlers = handlers
    try:
        for number in handlers:
            signal.signal(number, _ctrl_c.arrive)
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        _ctrl_c.handlers = {}


@final
class _CtrlC:
    """What is known of Ctrl-C and SIGTERM in this process.

    handlers  the user's, or Python's own, by signal, while another one stands in for them
    depth     number of calls of C under way, one inside the other
    """

    def __init__(self) -> None:
        self.handlers: dict[int, Handler] = {}
        self.depth = 0
        self._waiting: tuple[int, FrameType | None] | None = None

    def arrive(self, number: int, frame: FrameType | None) -> None:
        if self.depth > 0 and self._waiting is None:
            self._waiting = number, frame
        elif number in self.handlers:
            if self.depth == 0:
                self._waiting = None
            self.handlers[number](number, frame)

    def leave(self) -> None:
        self.depth -= 1
        if self.depth == 0:
            self.act()

    def act(self) -> None:
        """Call the user's handler if one waits to be called."""
        if self._waiting is not None and self._waiting[0] in self.handlers:
            (number, frame), self._waiting = self._waiting, None
            self.handlers[number](number, frame)


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
