"""Impacts that gain no energy, whatever is said of restitutions. A twin of fmu_src/native/impact.c."""

from collections.abc import Callable

import numpy as np

SMALLEST_SCALE = 1e-3  # of restitutions, where impacts would gain energy; below it they are 0


def without_gain(after: Callable[[float], tuple[np.ndarray, float]], noise: np.ndarray) -> np.ndarray:
    """Impulses by Newton's law for several rows at once, which may gain energy; for e = 0 it never does.

    after  from a scale of all restitutions to impulses, and the energy that they add
    noise  with the impulses: what energy is taken for nothing
    """
    z, work = after(1.0)
    gained = float(np.abs(z) @ noise)
    if work <= gained:
        return z
    low, high = 0.0, 1.0
    z, _ = after(0.0)
    while high - low > SMALLEST_SCALE:
        middle = (low + high) / 2
        tried, work = after(middle)
        if work > gained:
            high = middle
        else:
            low, z = middle, tried
    return z
