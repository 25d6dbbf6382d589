"""Progress of work that takes a while: a bar, or a function of the user."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from typing import Any

from mobod.errors import InputError

Progress = Callable[[float, float], object] | bool | None
"""Of users' arguments: True for a bar, or a function of (done, total)."""


@contextmanager
def shown_progress(progress: object, description: str, caller: str) -> Iterator[Callable[[float, float], object] | None]:
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

    console = Console(stderr=True)
    if not (wanted and (console.is_terminal or console.is_jupyter)):
        yield None
        return
    with _notebook_bar(description) if console.is_jupyter else _terminal_bar(console, description) as draw:
        shown = -1

        def progress(done: float, total: float) -> None:
            nonlocal shown
            percent = int(100 * done / total) if total else 100
            if percent > shown:  # drawing the bar takes longer than a step
                shown = percent
                draw(percent)

        yield progress


@contextmanager
def _terminal_bar(console: Any, description: str) -> Iterator[Callable[[int], None]]:
    """Gives a function that draws so many percent. The bar disappears at the end."""
    from rich.progress import Progress as Bar

    with Bar(console=console, transient=True) as bar:
        task = bar.add_task(description)
        yield lambda percent: bar.update(task, completed=percent, total=100)


@contextmanager
def _notebook_bar(description: str) -> Iterator[Callable[[int], None]]:
    """The same in a notebook, as HTML: the bar of rich needs ipywidgets there."""
    from IPython.display import HTML, display

    shown = display(HTML(_bar(description, 0)), display_id=True)
    try:
        yield lambda percent: shown.update(HTML(_bar(description, percent)))
    finally:
        shown.update(HTML(""))


def _bar(description: str, percent: int) -> str:
    return f'{escape(description)} <progress max="100" value="{percent}"></progress> {percent} %'
