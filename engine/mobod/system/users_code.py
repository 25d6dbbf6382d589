"""Errors in users' functions, with the name of the function and the time."""

from collections.abc import Iterator
from contextlib import contextmanager

from mobod.errors import ElementError, EventError, MobodError, StageError


@contextmanager
def errors_of(what: str, time: float) -> Iterator[None]:
    """Context that adds the function's name and the time to errors in a user's function."""
    try:
        yield
    except StageError as error:
        raise StageError(f"at {time:.9g} s {what} failed: {error}") from error
    except MobodError as error:
        raise EventError(f"at {time:.9g} s {what} failed: {error}") from error
    except Exception as error:  # a user's function may raise anything
        raise ElementError(f"at {time:.9g} s {what} failed: {type(error).__name__}: {error}") from error
