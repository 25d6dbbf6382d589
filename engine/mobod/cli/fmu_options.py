"""Options of the commands that run FMUs: processes of their own, and a file for their messages."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import click

from mobod.cli.models.settings import CommandFunction, fmu_option, with_options
from mobod.cli.options import OutputFile, byte_count

if TYPE_CHECKING:
    from mobod.fmi.isolation.isolation import Isolation
    from mobod.fmi.log_file import LogFile

_LEVELS = ["ok", "warning", "discard", "error", "fatal"]
_LOG_LIMIT = "10MB"
_ISOLATION = (
    fmu_option(
        "--isolate/--no-isolate",
        "isolate",
        default=True,
        show_default=True,
        help="Run each FMU in a process of its own, or all in this process.",
    ),
    fmu_option("--call-limit", default=300.0, show_default=True, metavar="SECONDS", help="Time that a call of such an FMU may take."),
)
_LOG = (
    fmu_option("--log", "log_path", type=OutputFile(), help="Write what FMUs log, and what isolated ones print, to a file."),
    fmu_option(
        "--log-category", "log_categories", multiple=True, metavar="NAME", help="Of this category alone; may be repeated.  [default: all]"
    ),
    fmu_option("--log-level", type=click.Choice(_LEVELS), default="ok", show_default=True, help="Of this status, or a worse one."),
    fmu_option(
        "--log-limit",
        default=_LOG_LIMIT,
        show_default=True,
        metavar="BYTES",
        help="Of more than this the first and the last messages are kept.",
    ),
)


def isolation_options(command: CommandFunction) -> CommandFunction:
    """Adds the options that `read_isolation` reads."""
    return with_options(command, _ISOLATION)


def log_options(command: CommandFunction) -> CommandFunction:
    """Adds the options that `read_log` reads."""
    return with_options(command, _LOG)


def fmu_run_options(command: CommandFunction) -> CommandFunction:
    """Adds the options of FMUs that run, which the functions below read."""
    return isolation_options(log_options(command))


def read_isolation(isolate: bool, call_limit: float) -> "Isolation | None":
    """How FMUs run in processes of their own; None: they do not. Raises InputError."""
    from mobod.fmi.isolation.isolation import Isolation

    return Isolation(call_limit) if isolate else None


def read_log(path: Path | None, categories: tuple[str, ...], level: str, limit: str) -> "LogFile | None":
    """Raises InputError, click.UsageError."""
    from mobod.fmi.log_file import LogFile

    if path is None:
        if categories or level != "ok" or limit != _LOG_LIMIT:
            raise click.UsageError("--log-category, --log-level and --log-limit choose what is written to a file: --log FILE")
        return None
    return LogFile(path, categories, level, byte_count("--log-limit", limit))


@contextmanager
def ended_by_sigterm() -> Iterator[None]:
    """Have SIGTERM end the program as an exception does, so that files are finished."""

    def end(number: int, frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
