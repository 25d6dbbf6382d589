"""Height fields that files give as images."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import final

import numpy as np

from mobod.contact import HeightField
from mobod.contact.shapes.contact_shape import nested
from mobod.errors import InputError
from mobod.files.meshes.places import find_mesh_file

MOST_POINTS = 4_000_000
_GREY = {"1", "L", "I", "I;16", "I;16B", "I;16L", "I;16N"}
_WITH_CHANNELS = {"LA", "RGB", "RGBA"}


@final
@dataclass(frozen=True)
class HeightImage:
    """An image whose brightness is a height. Its upper side is at y > 0, its left side at x < 0.

    uri       as the file has it
    size      (3,) m  along x and y from the first to the last pixel; z: the height of the brightest pixel above black
    sampling  points for each pixel: between pixels heights are bilinear
    """

    uri: str
    size: tuple[float, float, float]
    sampling: float = 1.0

    def field(self, folders: Sequence[str | Path]) -> HeightField:
        """The ground. folders: in which the image is looked for

        Raises InputError for a file that is no such image, and for sizes that are not above 0.
        """
        if min(self.size) <= 0 or not np.isfinite(self.size).all():
            raise InputError(f"the <size> of <heightmap> is {list(self.size)} m. Each is greater than 0.")
        pixels, n = _brightness(find_mesh_file(self.uri, folders, "image")), self.sampling
        if not (n >= 1 and n == int(n) and n * n * pixels.size <= MOST_POINTS):
            raise InputError(f"<sampling> of <heightmap> is {n:g}. It is a whole number from 1, with {MOST_POINTS} points at most.")
        heights = _refined(pixels, int(n))
        of_points = heights[::-1].T * (self.size[2] / max(heights.max(), np.finfo(float).tiny))
        spacing = tuple(length / (n - 1) for length, n in zip(self.size, of_points.shape, strict=False))
        return HeightField(nested(of_points), spacing)


def _brightness(path: Path) -> np.ndarray:
    """(rows, columns) of an image, from 0; of one with colors that of red, as in Gazebo."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(path) as image:
            columns, rows = image.size
            if columns * rows > MOST_POINTS:
                raise InputError(f"the image '{path.name}' has {columns} x {rows} pixels. {MOST_POINTS} are possible.")
            if min(columns, rows) < 2:
                raise InputError(f"the image '{path.name}' has {columns} x {rows} pixels. A height field has at least 2 in each direction.")
            picture = image.convert("RGB") if image.mode == "P" else image
            if picture.mode not in _GREY | _WITH_CHANNELS:
                raise InputError(
                    f"the image '{path.name}' has pixels of the kind '{picture.mode}'. Heights are grey levels of 8 or 16 bits, not "
                    "elevations: save it as a grey PNG, and give <size> the height of its brightest pixel."
                )
            pixels = np.array(picture, dtype=float)
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, SyntaxError, ValueError) as error:
        raise InputError(f"the image '{path.name}' cannot be read: {error}") from error
    return pixels if pixels.ndim == 2 else pixels[..., 0]


def _refined(heights: np.ndarray, n: int) -> np.ndarray:
    """With n - 1 bilinear heights between two pixels."""
    for axis in (0, 1):
        lines = np.moveaxis(heights, axis, 0)
        at = np.arange((len(lines) - 1) * n + 1) / n
        low = np.minimum(at.astype(int), len(lines) - 2)
        share = (at - low)[:, None]
        heights = np.moveaxis((1 - share) * lines[low] + share * lines[low + 1], 0, axis)
    return heights
