"""Python's garbage collector waits while many objects are made that all stay."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_waits() -> Iterator[None]:
    """A context, also a decorator, without garbage collections: these look at each new object, and find that it is needed.

    They take a third of the time in which the tables of a large System are made.
    """
    if not gc.isenabled():  # by the user, or by a caller
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
