"""Tracks: numbers that change over the frames of a run, packed for a page. engine/mobod/viewer/page/tracks.js reads them."""

import base64
import zlib
from typing import final

import numpy as np

from mobod.disk.json_values import JsonObject

_MISSING = -(2**31)
_MOST = 2.0**30  # of the integers, so that their differences fit too


@final
class Tracks:
    """Numbers over the frames, each track with its precision.

    frames  how many
    """

    def __init__(self, frames: int) -> None:
        self.frames = frames
        self._offsets: list[float] = []
        self._steps: list[float] = []
        self._integers: list[np.ndarray] = []

    def add(self, values: np.ndarray, precision: float | None = None) -> list[int]:
        """Add tracks; returns their numbers.

        values     (frames,) or (frames, n)
        precision  the largest error is half of it; default: a millionth of the range of each track
        """
        first = len(self._offsets)
        for column in np.atleast_2d(np.asarray(values, dtype=float).T):
            finite = np.isfinite(column)
            low, high = (float(column[finite].min()), float(column[finite].max())) if finite.any() else (0.0, 0.0)
            step = max(1e-6 * (high - low) if precision is None else precision, (high - low) / _MOST)
            middle = low + (high - low) / 2
            offset = middle if step == 0 else step * round(middle / step)  # so that 0 stays 0
            whole = np.zeros(len(column)) if step == 0 else np.round((np.where(finite, column, offset) - offset) / step)
            self._integers.append(np.where(finite, whole, _MISSING).astype(np.int64))
            self._offsets.append(offset)
            self._steps.append(step)
        return list(range(first, len(self._offsets)))

    def to_data(self) -> JsonObject:
        """For the JSON of a page: differences of differences of the integers, in four planes of bytes, deflated."""
        integers = np.array(self._integers, dtype=np.int64).reshape(len(self._integers), self.frames)
        rates = np.diff(integers, axis=1, prepend=0)
        codes = np.diff(rates, axis=1, prepend=0).astype(np.int32)  # whole numbers modulo 2^32, as the page adds them up
        folded = ((codes.astype(np.uint32) << np.uint32(1)) ^ (codes >> np.int32(31)).astype(np.uint32)).astype("<u4")
        planes = np.ascontiguousarray(folded.reshape(-1).view(np.uint8).reshape(-1, 4).T)
        packed = base64.b64encode(zlib.compress(planes.tobytes(), 9)).decode()
        return {"frames": self.frames, "offsets": self._offsets, "steps": self._steps, "bytes": packed}
