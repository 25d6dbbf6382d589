"""Plots over time, with separate axes for each unit."""

# Decision: docs/decisions/075-plots.md

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend

# inches
WIDTH = 6.4  # width of the figure without legends
HEIGHT = 4.8  # height of a figure with a single pair of axes
LEAST_HEIGHT = 2.2  # smallest height of each of several pairs of axes
LINE = 0.19  # height of a line in the legend
LINES_OF_LEGEND = 20  # lines in a column of the legend
GAP = 0.15  # space on both sides of the legend

_COLOURS, _DASHES = 10, ("-", "--", ":", "-.")  # number of Matplotlib's colours, and the dashes after these are used up
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Curve:
    """A curve with values (m,) at times (m,) in `unit`: '1' for a pure number, None if the unit is unknown."""

    label: str
    unit: str | None
    time: np.ndarray
    values: np.ndarray


def plot_curves(curves: Sequence[Curve]) -> "Axes":
    """Plot the curves in a new figure, those of each unit in axes of their own, one below the other. Returns the first axes.

    The legends are beside the axes, and the figure is wide enough for them.
    """
    from matplotlib import pyplot  # imported here because it is slow to import

    by_unit: dict[str | None, list[Curve]] = {}
    for curve in curves:
        by_unit.setdefault(curve.unit, []).append(curve)
    groups = by_unit or {None: []}
    heights = [max(LEAST_HEIGHT, 0.3 + LINE * min(len(group), LINES_OF_LEGEND)) for group in groups.values()]
    height = HEIGHT if len(heights) == 1 else 0.8 + sum(heights)
    figure, grid = pyplot.subplots(
        len(groups),
        squeeze=False,
        sharex=True,
        figsize=(WIDTH, height),
        height_ratios=heights,
    )
    all_axes = grid[:, 0].tolist()
    legends = [_draw(axes, unit, group) for axes, (unit, group) in zip(all_axes, groups.items(), strict=True)]
    all_axes[-1].set_xlabel("time (s)")
    figure.align_ylabels(all_axes)
    figure.draw_without_rendering()  # computes the sizes of the legends
    figure.set_figwidth(WIDTH + max((legend.get_window_extent().width / figure.dpi + 2 * GAP for legend in legends if legend), default=0.0))
    figure.set_layout_engine("constrained")  # set only now: the layout needs to know the space for the legends
    first: Axes = all_axes[0]
    return first


def _draw(axes: "Axes", unit: str | None, curves: Sequence[Curve]) -> "Legend | None":
    for number, curve in enumerate(curves):
        dashes = _DASHES[number // _COLOURS % len(_DASHES)]
        marker = "o" if len(curve.time) == 1 else None  # a single point needs a marker to be visible
        axes.plot(curve.time, curve.values, dashes, marker=marker, linewidth=1.4, label=curve.label)
    axes.set_ylabel(unit_text(unit) if curves else "")
    axes.margins(x=0)
    axes.grid(alpha=0.3)
    if not curves:
        return None
    # set label texts afterwards: Matplotlib omits labels that begin with '_' and interprets '$' as mathematics
    legend = axes.legend(
        axes.lines,
        ["name"] * len(curves),
        loc="upper left",
        bbox_to_anchor=(1.02, 1.0),
        borderaxespad=0.0,
        ncols=-(-len(curves) // LINES_OF_LEGEND),
        fontsize="small",
        frameon=False,
    )
    for text, curve in zip(legend.get_texts(), curves, strict=True):
        text.set_parse_math(False)
        text.set_text(curve.label)
    return legend


def unit_text(unit: str | None) -> str:
    """The unit as it is printed: 'm/s2' becomes 'm/s²'."""
    if unit is None:
        return "unit not given"
    if unit == "1":
        return "dimensionless"
    raised = re.sub(r"(?<=[A-Za-z])-?\d+", lambda match: match[0].translate(_SUPERSCRIPTS), unit)
    return raised.replace(".", "·").replace("$", r"\$")
