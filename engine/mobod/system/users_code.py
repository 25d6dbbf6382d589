"""Errors of users' functions, with what failed and when."""

from collections.abc import Iterator
from contextlib import contextmanager

from mobod.errors import ElementError, EventError, MobodError, StageError


@contextmanager
def told_of(what: str, time: float) -> Iterator[None]:
    """Errors of a user's function within, with whose it is and the time."""
    try:
        yield
    except StageError as error:
        raise StageError(f"at {time:.9g} s {what} failed: {error}") from error
    except MobodError as error:
        raise EventError(f"at {time:.9g} s {what} failed: {error}") from error
    except Exception as error:  # whatever a user's function raises
        raise ElementError(f"at {time:.9g} s {what} failed: {type(error).__name__}: {error}") from error
