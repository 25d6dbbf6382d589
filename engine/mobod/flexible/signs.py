"""Signs of mode shapes, which eigensolvers leave open: the same on each machine, and in each system of units."""

# Decision: docs/decisions/219-signs-of-modes.md

import numpy as np

_EQUAL = 1e-6  # relative: entries of this size count as equally large, so that round-off decides nothing


def with_fixed_signs(shapes: np.ndarray, masses: np.ndarray) -> np.ndarray:
    """The shapes (m, n), each with the sign that makes its largest entry positive, the first one of several.

    masses  (m,) the diagonal of the mass matrix: entries are compared by their kinetic energy, since some are rotations
    """
    sizes = np.sqrt(np.abs(masses))[:, None] * shapes
    if not sizes.size:
        return shapes
    largest = np.abs(sizes) >= (1 - _EQUAL) * np.abs(sizes).max(axis=0)
    first = np.take_along_axis(sizes, largest.argmax(axis=0)[None], axis=0)[0]
    return shapes * np.where(first < 0, -1.0, 1.0)
