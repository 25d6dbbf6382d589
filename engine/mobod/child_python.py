"""Commands and environments of the Pythons that mobod starts. None of them imports modules of the working folder."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_SAFE = "PYTHONSAFEPATH"


def python_command(*arguments: str) -> list[str]:
    """The command of another Python with these arguments. Without -P, the first place of its imports would be the working folder."""
    return [sys.executable, "-P", *arguments]


def python_environment(**variables: str) -> dict[str, str]:
    """The environment of this process, for Pythons whose commands are made by others: those of libraries, and those that children start.

    variables  to be set in it
    """
    return {**os.environ, _SAFE: "1", **variables}


@contextmanager
def safe_environment() -> Iterator[None]:
    """Processes that libraries start here have the environment of `python_environment`."""
    before = os.environ.get(_SAFE)
    os.environ[_SAFE] = "1"
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(_SAFE, None)
        else:
            os.environ[_SAFE] = before
