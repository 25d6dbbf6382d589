"""Progress of work that takes a while: a bar, or a function of the user."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from mobod.errors import InputError

Progress = Callable[[float, float], object] | bool | None
"""Of users' arguments: True for a bar, or a function of (done, total)."""


@contextmanager
def shown_progress(progress: Any, description: str, caller: str) -> Iterator[Callable[[float, float], object] | None]:
    """Gives the function of (done, total) that reports the progress; None if none is wanted.

    progress  see Progress
    caller    for the message of an InputError

    Raises InputError if it is neither a function nor True, False or None.
    """
    if progress is True:
        with progress_bar(description, wanted=True) as bar:
            yield bar
    elif progress is None or progress is False:
        yield None
    elif callable(progress):
        yield progress
    else:
        raise InputError(f"{caller}: progress is {progress!r}. It is True for a bar, or a function of (done, total).")


@contextmanager
def progress_bar(description: str, *, wanted: bool) -> Iterator[Callable[[float, float], None] | None]:
    """Gives a function of (done, total) that draws a bar on standard error, or in a notebook; None if no bar is wanted, or there is no
    terminal.
    """
    from rich.console import Console
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    if not (wanted and (console.is_terminal or console.is_jupyter)):
        yield None
        return
    with Bar(console=console, transient=True) as bar:
        task = bar.add_task(description)
        shown = -1

        def progress(done: float, total: float) -> None:
            nonlocal shown
            percent = int(100 * done / total) if total else 100
            if percent > shown:  # drawing the bar takes longer than a step
                shown = percent
                bar.update(task, completed=percent, total=100)

        yield progress
