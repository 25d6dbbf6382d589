"""A progress bar on the terminal for work that reports its progress by a callback."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(description: str, *, wanted: bool) -> Iterator[Callable[[float, float], None] | None]:
    """Gives a function of (done, total); None if no bar is wanted or standard error is not a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    if not (wanted and console.is_terminal):
        yield None
        return
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task(description)
        shown = -1

        def progress(done: float, total: float) -> None:
            nonlocal shown
            percent = int(100 * done / total) if total else 100
            if percent > shown:  # drawing the bar takes longer than a step
                shown = percent
                bar.update(task, completed=percent, total=100)

        yield progress
