"""Functions of recorded and of plain numbers: choices by value, and functions that are smooth where the usual formula is not.

Every function takes scalars and arrays of floats and of Expr. `where`, and functions that do not compare numbers, also take complex
numbers.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mobod.errors import InputError
from mobod.scalar.array import Array, Scalar
from mobod.scalar.expr import Expr
from mobod.scalar.table import StaticTable, interval_number, number_at


def is_recorded(*values: object) -> bool:
    """Whether a value is an Expr or an array that contains one."""
    for value in values:
        if isinstance(value, Expr):
            return True
        if isinstance(value, np.ndarray):
            if value.dtype == object and any(isinstance(entry, Expr) for entry in value.flat):
                return True
        elif isinstance(value, (list, tuple)) and is_recorded(*value):
            return True
    return False


def _where_scalar(condition: object, a: object, b: object) -> object:
    if not isinstance(condition, Expr):
        return a if condition else b
    tape = condition.tape
    return tape.apply("where", condition, tape.own(a), tape.own(b))


_where_object = np.frompyfunc(_where_scalar, 3, 1)


def where(condition: ArrayLike, a: ArrayLike, b: ArrayLike) -> Any:
    """`a` where the condition holds, else `b`; elementwise, broadcast.

    Both are computed, so neither may raise. The one that is not chosen may be NaN or infinite, and so may its derivatives.
    """
    if is_recorded(condition, a, b):
        return _where_object(condition, a, b)
    chosen = np.where(condition, a, b)
    return chosen if chosen.ndim else chosen[()]


def minimum(a: ArrayLike, b: ArrayLike) -> Any:
    """The smaller value of each pair; NaN if either is NaN. The derivative is that of the chosen value, of `a` in a tie."""
    return where(_comes_before(np.less, b, a), b, a) if is_recorded(a, b) else np.minimum(a, b)


def maximum(a: ArrayLike, b: ArrayLike) -> Any:
    """The larger value of each pair; NaN if either is NaN. The derivative is that of the chosen value, of `a` in a tie."""
    return where(_comes_before(np.greater, b, a), b, a) if is_recorded(a, b) else np.maximum(a, b)


def clip(x: ArrayLike, lower: ArrayLike, upper: ArrayLike) -> Any:
    """x limited to the range from `lower` to `upper`, elementwise; NaN where x is NaN."""
    return minimum(maximum(x, lower), upper)


def _comes_before(compare: np.ufunc, b: ArrayLike, a: ArrayLike) -> Array:
    """Whether the comparison holds or b is NaN; False if a is NaN."""
    a, b = np.asarray(a, dtype=object), np.asarray(b, dtype=object)
    return np.bitwise_or(compare(b, a, dtype=object), np.not_equal(b, b, dtype=object))


def norm(v: ArrayLike) -> Scalar:
    """Euclidean norm of a vector. At the zero vector the value and the derivatives of all orders are 0."""
    v = np.asarray(v)
    square = v @ v
    if not is_recorded(square):
        return np.sqrt(square)
    is_zero = square == 0
    return where(is_zero, 0.0, np.sqrt(where(is_zero, 1.0, square)))


def normalized(v: ArrayLike) -> Array:
    """v / |v|, of the shape of v, without unit. For the zero vector the result and its derivatives are 0."""
    length = norm(v)
    is_zero = length == 0
    return where(is_zero, 0.0, np.asarray(v) / where(is_zero, 1.0, length))


# Below this |x| the series is used. Its remainder is below 1e-17, also in two derivatives; above it sin(x)/x loses at most eps/x^2.
_SERIES_RADIUS = 0.25
_SINC_SERIES = (1.0, -1 / 6, 1 / 120, -1 / 5040, 1 / 362880, -1 / 39916800, 1 / 6227020800)


def sinc(x: ArrayLike) -> Any:
    """sin(x) / x, smooth through 0 (unnormalised: not NumPy's sin(pi x) / (pi x))."""
    x = np.asarray(x)[()]
    size = np.abs(x)
    is_small = np.less(size, _SERIES_RADIUS, dtype=object) if is_recorded(x) else size < _SERIES_RADIUS
    away = where(is_small, 1.0, x)
    return where(is_small, _even_series(_SINC_SERIES, x), np.sin(away) / away)


def cosc(x: ArrayLike) -> Any:
    """(1 - cos(x)) / x^2, smooth through 0."""
    return sinc(np.asarray(x) / 2) ** 2 / 2


def _even_series(coefficients: tuple[float, ...], x: Any) -> Any:
    """sum of c_k x^(2 k), by Horner's rule."""
    total = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        total = total * (x * x) + coefficient
    return total


def angle(a: ArrayLike, b: ArrayLike) -> Scalar:
    """Angle between two 3-vectors, rad, in [0, pi]; 0 if one vector is zero.

    Computed by arctan2, since arccos loses half the digits near 0 and pi. At 0 and pi the derivatives do not exist; they are returned as 0.
    """
    a, b = np.asarray(a), np.asarray(b)
    sine, cosine = norm(np.cross(a, b)), np.dot(a, b)
    return np.arctan2(sine, where((sine == 0) & (cosine == 0), 1.0, cosine))


def interval(breakpoints: StaticTable, x: ArrayLike) -> Any:
    """The number k of the interval that contains x, breakpoints[k] <= x < breakpoints[k + 1]; elementwise; the derivative is 0.

    Below the first breakpoint k is 0. From the last breakpoint on, and for NaN, k is the number of the last interval. It is one recorded
    operation for any number of breakpoints.
    Raises InputError unless there are at least two breakpoints, in increasing order.
    """
    if not breakpoints.is_increasing:
        raise InputError("interval: at least two breakpoints are needed, and each must be larger than the one before.")
    return _at("interval", interval_number, breakpoints, x)


def lookup(table: StaticTable, index: ArrayLike) -> Any:
    """table[index] for whole numbers, elementwise; the derivative is 0. NaN if the index is out of range; negative indices are out of
    range.
    """
    return _at("lookup", number_at, table, index)


def _at(operation: str, plain: Callable[[StaticTable, ArrayLike], object], table: StaticTable, x: ArrayLike) -> Any:
    if not is_recorded(x):
        return plain(table, x)

    def scalar(x: ArrayLike | Expr) -> object:
        return x.tape.apply(operation, x.tape.table(table), x) if isinstance(x, Expr) else plain(table, x)

    return np.frompyfunc(scalar, 1, 1)(x)
