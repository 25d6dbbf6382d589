"""Plots and diagrams as SVG files, for light pages and for dark ones."""

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import matplotlib as mpl
from cycler import cycler
from matplotlib.figure import Figure

ThemeName = Literal["light", "dark"]


@dataclass(frozen=True)
class Theme:
    """Colours: of text and lines, of what is faint, of boxes, and of curves and accents. The background is transparent."""

    text: str
    faint: str
    box: str
    blue: str
    orange: str
    green: str
    red: str


THEMES: dict[ThemeName, Theme] = {
    "light": Theme("#24292f", "#7d8791", "#eef2f6", "#1f6fb5", "#c2570c", "#2e7d32", "#b3261e"),
    "dark": Theme("#d8dde3", "#96a1ac", "#26303a", "#6cb6ff", "#f0a35e", "#7fcf83", "#ff8a80"),
}

Draw = Callable[[Figure, Theme], None]


def themed_svgs(draw: Draw, width: float, height: float) -> dict[ThemeName, bytes]:
    """The files of what `draw` draws on a figure; width and height in inches of 72 pixels. The same drawing gives the same bytes."""
    return {name: _svg(draw, THEMES[name], width, height) for name in get_args(ThemeName)}


def _svg(draw: Draw, theme: Theme, width: float, height: float) -> bytes:
    colours = dict.fromkeys(("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), theme.text)
    settings: dict[Any, Any] = {
        "svg.fonttype": "none",  # text stays text: small files
        "svg.hashsalt": "mobod",
        "font.family": "sans-serif",
        "font.size": 10,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "legend.frameon": False,
        "lines.linewidth": 1.6,
        "axes.prop_cycle": cycler(color=[theme.blue, theme.orange, theme.green, theme.red]),
        **colours,
    }
    with mpl.rc_context(settings):
        figure = Figure(figsize=(width, height), layout="constrained")
        draw(figure, theme)
        file = io.BytesIO()
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
    return file.getvalue()
