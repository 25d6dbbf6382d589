"""Comparison of numbers or arrays that must be equal by a law, and messages about differences."""

import numpy as np
from numpy.typing import ArrayLike

TOLERANCE = 1e-6  # relative: wrong terms cause 1e-3 and more; differences of order 6 are accurate to 1e-9 and better


def differ(actual: ArrayLike, expected: ArrayLike, *, uncertainty: float = 0.0) -> bool:
    """Whether they differ by more than the tolerance plus ten times the uncertainty."""
    actual, expected = np.asarray(actual, dtype=float), np.asarray(expected, dtype=float)
    if actual.shape != expected.shape:
        return True
    size = max(1.0, np.abs(actual).max(initial=0.0), np.abs(expected).max(initial=0.0))
    return not np.abs(actual - expected).max(initial=0.0) <= TOLERANCE * size + 10 * uncertainty


def shown(actual: ArrayLike, expected: ArrayLike) -> str:
    """The entry that differs most, in both."""
    actual, expected = np.asarray(actual, dtype=float), np.asarray(expected, dtype=float)
    if actual.shape != expected.shape:
        return f"shape {actual.shape} against {expected.shape}"
    worst = np.unravel_index(int(np.argmax(np.nan_to_num(np.abs(actual - expected), nan=np.inf))), actual.shape)
    where = f"entry [{', '.join(map(str, worst))}]: " if actual.size > 1 else ""
    return f"{where}{actual[worst]:.6g} against {expected[worst]:.6g}"


def factor(actual: ArrayLike, expected: ArrayLike) -> float | None:
    """The factor between both, if one is a multiple of the other; otherwise None."""
    actual, expected = np.ravel(np.asarray(actual, dtype=float)), np.ravel(np.asarray(expected, dtype=float))
    if actual.shape != expected.shape or not expected @ expected:
        return None
    ratio = float(actual @ expected / (expected @ expected))
    return None if differ(actual, ratio * expected) else ratio
