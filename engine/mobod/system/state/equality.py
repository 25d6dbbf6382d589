"""Equality of two values of any type."""

from collections.abc import Mapping, Sequence
from functools import singledispatch

import numpy as np


def same_value(a: object, b: object) -> bool:
    """Whether two values have the same type and are equal. NaN equals NaN, also within arrays, tuples, lists and dictionaries."""
    return type(a) is type(b) and _equal(a, b)


@singledispatch
def _equal(a: object, b: object) -> bool:
    return a is b or bool(a == b) or bool(a != a and b != b)


@_equal.register
def _equal_arrays(a: np.ndarray, b: np.ndarray) -> bool:
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if a.dtype.kind == "O":
        return all(same_value(x, y) for x, y in zip(a.flat, b.flat, strict=True))
    return np.array_equal(a, b, equal_nan=a.dtype.kind in "fcmM")


@_equal.register(tuple)
@_equal.register(list)
def _equal_sequences(a: Sequence[object], b: Sequence[object]) -> bool:
    return len(a) == len(b) and all(same_value(x, y) for x, y in zip(a, b, strict=True))


@_equal.register(dict)
def _equal_dicts(a: Mapping[object, object], b: Mapping[object, object]) -> bool:
    return a.keys() == b.keys() and all(same_value(value, b[key]) for key, value in a.items())
