"""Pictures of concepts for the handbook: docs/conf.py writes them before each build, and shows them where a page has a mark.

A page has the line `<!-- picture: stages: what is in it -->`.
"""

import re
from pathlib import Path

from concept_diagrams import fmi, frames, kernels, recording, stages
from concept_plots import limits, pendulum, redundancy, steps
from themed_plots import THEMES, Draw, themed_svgs

PICTURES: dict[str, tuple[Draw, float, float]] = {
    "pendulum": (pendulum, 5.2, 2.4),
    "stages": (stages, 8.0, 5.0),
    "frames": (frames, 8.0, 4.5),
    "redundancy": (redundancy, 8.0, 2.9),
    "limits": (limits, 7.6, 4.0),
    "recording": (recording, 8.0, 3.5),
    "kernels": (kernels, 8.0, 3.9),
    "steps": (steps, 8.0, 3.2),
    "fmi": (fmi, 8.0, 3.9),
}
"""What draws a picture, its width and its height in inches."""

_FITS_PHONES = 5.5  # inches: a picture that wide has text of 9 pixels in the column of a phone; wider ones scroll there

_MARK = re.compile(r"^<!-- picture: (\w+): (.+) -->$", re.MULTILINE)


def write_pictures(folder: Path) -> None:
    """Write each picture as two SVG files, for light pages and for dark ones."""
    folder.mkdir(exist_ok=True)
    for name, (draw, width, height) in PICTURES.items():
        for theme, svg in themed_svgs(draw, width, height).items():
            (folder / f"{name}_{theme}.svg").write_bytes(svg)


def with_pictures(text: str, folder: str) -> str:
    """A page in which the marks are images of files in a folder. Raises KeyError for a picture that there is not."""

    def images(mark: re.Match[str]) -> str:
        name, what = mark.groups()
        inches = PICTURES[name][1]
        width, kind = f"{100 * inches / 8.0:.0f}%", "plot" if inches <= _FITS_PHONES else "diagram"
        lines = (
            f"```{{image}} {folder}/{name}_{theme}.svg\n:alt: {what}\n:class: only-{theme} {kind}\n:width: {width}\n```" for theme in THEMES
        )
        return "\n\n".join(lines)

    return _MARK.sub(images, text)
