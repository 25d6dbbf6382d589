"""The numbers over time in the data of a page, as engine/mobod/viewer/page/tracks.js reads them."""

import base64
import zlib

import numpy as np


def decoded(data):
    """(tracks, frames), without those that are missing."""
    planes = np.frombuffer(zlib.decompress(base64.b64decode(data["bytes"])), np.uint8).reshape(4, -1)
    codes = np.ascontiguousarray(planes.T).view("<u4").reshape(len(data["offsets"]), data["frames"]).astype(np.int64)
    differences = (codes >> 1) ^ -(codes & 1)
    whole = differences.cumsum(axis=1).cumsum(axis=1)
    return np.array(data["offsets"])[:, None] + np.array(data["steps"])[:, None] * whole
