"""Says during an export for which platform is being compiled: the first one on a machine takes minutes."""

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import final

Progress = Callable[[str], object]
"""Called with a line: "compiling arm for win64 (2 of 5)"."""

NOTICES = "mobod.compilation"  # the log of slow operations
CURRENT = "mobod.compilation.current"  # and of the work in progress


@contextmanager
def export_progress(progress: Progress | bool | None, *, several_platforms: bool) -> Iterator[None]:
    """Context in which each platform that is compiled, and each C library, is a line.

    progress  what takes the lines; True: they are printed to standard error; None: the same, if it is a terminal and there are several
              platforms
    """
    if progress is None:
        progress = several_platforms and sys.stderr is not None and sys.stderr.isatty()
    if progress is False:
        yield
        return
    notices, handler = logging.getLogger(NOTICES), _LogAsLines(_print if progress is True else progress)
    level = notices.level
    notices.addHandler(handler)
    notices.setLevel(logging.INFO)
    try:
        yield
    finally:
        notices.removeHandler(handler)
        notices.setLevel(level)


@final
class _LogAsLines(logging.Handler):
    def __init__(self, progress: Progress) -> None:
        super().__init__()
        self._progress = progress

    def emit(self, record: logging.LogRecord) -> None:
        self._progress(record.getMessage())


def _print(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
