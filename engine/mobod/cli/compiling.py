"""Says on the terminal what is compiled, since the first run of a model takes longer."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import final

import click


@contextmanager
def compilations_shown() -> Iterator[None]:
    """Context in which a line on standard error names each library that is compiled: on a terminal, without --quiet and --json."""
    builds, handler = logging.getLogger("mobod.builds"), _Lines()
    level = builds.level
    builds.addHandler(handler)
    builds.setLevel(logging.INFO)
    try:
        yield
    finally:
        builds.removeHandler(handler)
        builds.setLevel(level)


@final
class _Lines(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        context = click.get_current_context(silent=True)  # of the command; another thread has none
        if context is None or not _is_terminal():
            return
        if not (context.params.get("quiet") or context.params.get("as_json")):
            print(record.getMessage(), file=sys.stderr, flush=True)  # not click.echo, which writes into a progress bar


def _is_terminal() -> bool:
    return sys.stderr.isatty()
