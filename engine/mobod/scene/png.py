"""Drawings as PNG, and as pixels."""

from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np

from mobod.matter.bodies.decorations import Triple
from mobod.scene.patches import Drawing, Patch

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

_FINER = 3  # pixels in each direction that are averaged to one
_COLOURS = 128


def png(drawing: Drawing) -> bytes:
    """The file, with a transparent background. The same drawing gives the same bytes."""
    from PIL import Image

    file = BytesIO()
    small = _painted(drawing, (0, 0, 0, 0))
    small.quantize(_COLOURS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
    return file.getvalue()


def pixels(drawing: Drawing) -> np.ndarray:
    """(height, width, 3) uint8: red, green and blue on white."""
    return np.asarray(_painted(drawing, (255, 255, 255, 255)).convert("RGB"))


def _painted(drawing: Drawing, background: tuple[int, int, int, int]) -> "Image":
    import PIL.Image  # imported here because few commands need it
    from PIL import ImageDraw

    image = PIL.Image.new("RGBA", (drawing.width * _FINER, drawing.height * _FINER), background)
    for _, patches in drawing.parts:
        for patch in patches:
            if patch.opacity == 1:
                _paint(ImageDraw.Draw(image), patch)
            else:
                layer = PIL.Image.new("RGBA", image.size)
                _paint(ImageDraw.Draw(layer), patch)
                image.alpha_composite(layer)
    return image.convert("RGBa").reduce(_FINER).convert("RGBA")  # averaged with premultiplied colours


def _paint(paper: "ImageDraw", patch: Patch) -> None:
    points: list[tuple[float, float]] = [(x, y) for x, y in (np.round(patch.points, 1) * _FINER).tolist()]
    width = max(1, round(patch.width * _FINER))
    stroke = _rgba(patch.stroke, patch.opacity)
    if patch.fill is not None:
        paper.polygon(points, fill=_rgba(patch.fill, patch.opacity))
        points = [*points, points[0], points[1]]  # so that the first corner is rounded too
    elif patch.has_pairs:
        for pair in zip(points[::2], points[1::2], strict=True):
            paper.line(pair, fill=stroke, width=width)
        return
    elif patch.is_dashed:
        for start, end in _dashes(np.array(points), patch.width * _FINER):
            paper.line([(start[0], start[1]), (end[0], end[1])], fill=stroke, width=width)
        return
    paper.line(points, fill=stroke, width=width, joint="curve")


def _dashes(ends: np.ndarray, width: float) -> list[tuple[np.ndarray, np.ndarray]]:
    start, end = ends[0], ends[1]
    length = float(np.linalg.norm(end - start))
    if length == 0:
        return []
    on, period = 2.5 * width / length, 4.5 * width / length
    firsts = [k * period for k in range(int(1 / period) + 1)]
    return [(start + first * (end - start), start + min(1.0, first + on) * (end - start)) for first in firsts]


def _rgba(colour: Triple, opacity: float) -> tuple[int, int, int, int]:
    red, green, blue = (round(255 * part) for part in colour)
    return red, green, blue, round(255 * opacity)
