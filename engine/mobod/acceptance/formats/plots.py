"""The plots of an acceptance report as SVG."""

import io
from collections.abc import Iterable, Sequence

from lxml import etree
from matplotlib import rc_context
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from mobod.acceptance.report import PlottedCurve

_GREY = "#808080"  # readable on white and on black
_STYLES = ("-", "--", ":", "-.")


def plots(curves: Iterable[PlottedCurve]) -> list[etree._Element]:
    """One SVG element for each plot, in the order of the curves."""
    by_plot: dict[str, list[PlottedCurve]] = {}
    for curve in curves:
        by_plot.setdefault(curve.plot, []).append(curve)
    return [_svg(name, each) for name, each in by_plot.items()]


def _svg(name: str, curves: Sequence[PlottedCurve]) -> etree._Element:
    figure = Figure(figsize=(6.4, 2.6), layout="constrained")
    FigureCanvasSVG(figure)
    figure.patch.set_alpha(0.0)
    axes = figure.add_subplot()
    axes.patch.set_alpha(0.0)
    for number, curve in enumerate(curves):
        axes.plot(curve.time, curve.values, _STYLES[number % len(_STYLES)], label=_plain(curve.label), linewidth=1.2)
    unit = curves[0].unit
    axes.set_ylabel(_plain(f"{name} [{unit}]" if unit else name))
    axes.set_xlabel("time [s]")
    axes.grid(color=_GREY, alpha=0.3)
    for part in (axes.xaxis, axes.yaxis):
        part.label.set_color(_GREY)
        part.set_tick_params(colors=_GREY)
    for spine in axes.spines.values():
        spine.set_color(_GREY)
    axes.legend(loc="best", framealpha=0.0, labelcolor=_GREY, fontsize="small")
    text = io.BytesIO()
    # text stays text, which is smaller, and can be searched
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": name}):
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    root = etree.fromstring(text.getvalue(), etree.XMLParser(remove_comments=True, load_dtd=False, no_network=True))
    for metadata in root.findall("{*}metadata"):
        root.remove(metadata)
    for attribute in ("width", "height"):  # the page sets the size
        root.attrib.pop(attribute, None)
    return root


def _plain(text: str) -> str:
    """The text as it is: matplotlib would read a formula between two dollar signs."""
    return text.replace("$", r"\$")
