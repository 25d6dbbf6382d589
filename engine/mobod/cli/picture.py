"""The option --plot: a picture of curves in a file."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mobod.disk.whole_file import whole_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def check_plot(path: Path | None) -> None:
    """Raise click.UsageError for a file name that is not of a picture."""
    if path is None:
        return
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    known = sorted(FigureCanvasAgg.filetypes)
    if path.suffix[1:].lower() not in known:
        raise click.UsageError(f"--plot {path}: the file name must end with the type of picture: {', '.join(known)}.")


def write_plot(plotted: Callable[[], "Axes"], title: str, path: Path) -> None:
    """Write the figure that a function makes."""
    from matplotlib import pyplot

    pyplot.switch_backend("Agg")  # write a file, open no window
    axes = plotted()
    axes.set_title(title, parse_math=False)
    try:
        with whole_file(path) as temporary:
            pyplot.savefig(temporary, format=path.suffix[1:].lower())
    finally:
        pyplot.close()
