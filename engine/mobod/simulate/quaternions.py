"""Normalization of the quaternions among the coordinates."""

import numpy as np

from mobod.errors import IntegrationError
from mobod.system import Layout


def normalize(layout: Layout, y: np.ndarray, y_dot: np.ndarray | None = None) -> None:
    """Scale the quaternions in y (..., ny) to unit length, in place.

    Their rates in y_dot are scaled by the same factor: q_dot = N(q) u is linear in q, and nothing else depends on the length.
    """
    for offset in layout.quaternions:
        first = offset - layout.y.offset
        entries = (..., slice(first, first + 4))
        largest = np.abs(y[entries]).max(axis=-1, keepdims=True)
        if (largest == 0).any():
            raise IntegrationError("a quaternion is zero, which is not a rotation. Set one of unit length, such as [1, 0, 0, 0].")
        y[entries] /= largest  # scale first, so that no square overflows or underflows
        length = np.linalg.norm(y[entries], axis=-1, keepdims=True)
        y[entries] /= length
        if y_dot is not None:
            y_dot[entries] = y_dot[entries] / largest / length
