"""Equality of two values of any type."""

from typing import Any

import numpy as np


def same_value(a: Any, b: Any) -> bool:
    """Whether two values have the same type and are equal. NaN equals NaN, also within arrays, tuples, lists and dictionaries."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        if a.shape != b.shape or a.dtype != b.dtype:
            return False
        if a.dtype.kind == "O":
            return all(same_value(x, y) for x, y in zip(a.flat, b.flat, strict=True))
        return np.array_equal(a, b, equal_nan=a.dtype.kind in "fcmM")
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(same_value(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same_value(value, b[key]) for key, value in a.items())
    return a is b or bool(a == b) or bool(a != a and b != b)
