"""Pictures of elements for the pages of public names: drawings of a small mechanism, or plots."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from constraint_drawings import constraint_drawings
from element_plots import plot_of
from force_drawings import force_drawing
from joint_drawings import coupling_drawings, mobilizer_drawings
from themed_plots import themed_svgs


@dataclass(frozen=True)
class Picture:
    """An SVG file.

    text   what it shows, for readers who do not see it
    pages  which pages show it; those of both kinds have one picture for each, or one for all
    """

    svg: bytes
    text: str
    pages: Literal["all", "light", "dark"] = "all"


@dataclass(frozen=True)
class Pictures:
    """What lies side by side, or one for light pages and one for dark ones; title: said above them."""

    title: str
    pictures: tuple[Picture, ...]


Drawings = Callable[[type], list[bytes]]


def element_pictures(cls: type) -> Pictures | None:
    """The pictures of an element; None for a class that has none."""
    both: tuple[tuple[Drawings, str], ...] = (
        (mobilizer_drawings, "A body at rest, and moved. Frames F and M: x is red, y green, z blue"),
        (coupling_drawings, "A body at rest, and moved. Frames D and C: x is red, y green, z blue"),
        (constraint_drawings, "At the start, and after a motion that the constraint allows"),
    )
    for drawings, title in both:
        if made := drawings(cls):
            times = ("at rest", "moved")
            return Pictures(title, tuple(Picture(svg, text) for svg, text in zip(made, times, strict=True)))
    if (drawing := force_drawing(cls)) is not None:
        return Pictures("Forces and torques are red, velocities are green", (Picture(drawing, "the forces on a body"),))
    if (plot := plot_of(cls)) is not None:
        plots = themed_svgs(plot.draw, 5.4, 2.6)
        return Pictures(plot.title, tuple(Picture(svg, plot.title, pages) for pages, svg in plots.items()))
    return None
