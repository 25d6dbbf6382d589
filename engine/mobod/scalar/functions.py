"""Functions for recorded and for plain numbers: choices by value, and functions that are smooth where their usual text is not.

Every function takes scalars and arrays of floats, complex numbers and Expr alike.
"""

from typing import Any

import numpy as np

from mobod.scalar.expr import Expr


def is_recorded(*values: Any) -> bool:
    """Whether any of the values is an Expr or an array that holds one."""
    for value in values:
        if isinstance(value, Expr):
            return True
        if isinstance(value, np.ndarray):
            if value.dtype == object and any(isinstance(entry, Expr) for entry in value.flat):
                return True
        elif isinstance(value, (list, tuple)) and is_recorded(*value):
            return True
    return False


def _where_scalar(condition: Any, a: Any, b: Any) -> Any:
    if not isinstance(condition, Expr):
        return a if condition else b
    if condition.value is not None:
        return a if condition.value else b
    tape = condition.tape
    a, b = (entry if isinstance(entry, Expr) else tape.constant(entry) for entry in (a, b))
    return a if a.number == b.number else tape.apply("where", condition, a, b)


_where_object = np.frompyfunc(_where_scalar, 3, 1)


def where(condition: Any, a: Any, b: Any) -> Any:
    """`a` where the condition holds, else `b`; entry by entry, broadcast.

    Both are computed: neither may raise. The one not taken may be NaN or infinite, also in derivatives of any order.
    """
    if is_recorded(condition, a, b):
        return _where_object(condition, a, b)
    chosen = np.where(condition, a, b)
    return chosen if chosen.ndim else chosen[()]


def minimum(a: Any, b: Any) -> Any:
    """The smaller of each pair; the derivative is that of the chosen one, `a` in a tie."""
    return where(_less_equal(a, b), a, b) if is_recorded(a, b) else np.minimum(a, b)


def maximum(a: Any, b: Any) -> Any:
    """The larger of each pair; the derivative is that of the chosen one, `a` in a tie."""
    return where(_less_equal(b, a), a, b) if is_recorded(a, b) else np.maximum(a, b)


def clip(x: Any, lower: Any, upper: Any) -> Any:
    return minimum(maximum(x, lower), upper)


def _less_equal(a: Any, b: Any) -> Any:
    return np.less_equal(np.asarray(a, dtype=object), np.asarray(b, dtype=object), dtype=object)


def norm(v: Any) -> Any:
    """Euclidean norm of a vector; at zero its value and its derivatives of all orders are 0."""
    v = np.asarray(v)
    square = v @ v
    is_zero = square == 0
    return where(is_zero, 0.0, np.sqrt(where(is_zero, 1.0, square)))


def normalized(v: Any) -> Any:
    """v / |v|; the zero vector, with derivatives 0, at zero."""
    length = norm(v)
    return np.asarray(v) / where(length == 0, 1.0, length)


# Below this |x| the series are used: their remainders are under 1e-17, and sin(x)/x loses at most eps/x^2 in the second derivative above
_SERIES_RADIUS = 0.25
_SINC_SERIES = (1.0, -1 / 6, 1 / 120, -1 / 5040, 1 / 362880, -1 / 39916800, 1 / 6227020800)
_COSC_SERIES = (1 / 2, -1 / 24, 1 / 720, -1 / 40320, 1 / 3628800, -1 / 479001600, 1 / 87178291200)


def sinc(x: Any) -> Any:
    """sin(x) / x, smooth through 0 (unnormalised: not NumPy's sin(pi x) / (pi x))."""
    is_small, away = _away_from_zero(x)
    return where(is_small, _even_series(_SINC_SERIES, x), np.sin(away) / away)


def cosc(x: Any) -> Any:
    """(1 - cos(x)) / x^2, smooth through 0."""
    is_small, away = _away_from_zero(x)
    return where(is_small, _even_series(_COSC_SERIES, x), (1 - np.cos(away)) / (away * away))


def _away_from_zero(x: Any) -> tuple[Any, Any]:
    size = np.abs(x)
    is_small = np.less(size, _SERIES_RADIUS, dtype=object) if is_recorded(x) else size < _SERIES_RADIUS
    return is_small, where(is_small, 1.0, x)


def _even_series(coefficients: tuple[float, ...], x: Any) -> Any:
    """sum of c_k x^(2 k), by Horner's rule."""
    total = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        total = total * (x * x) + coefficient
    return total


def angle(a: Any, b: Any) -> Any:
    """Angle between two 3-vectors, rad, in [0, pi]; exact near 0 and pi, where its derivatives, which do not exist, are given as 0.

    Source: W. Kahan, How Futile are Mindless Assessments of Roundoff (2006), section 12: arctan2 instead of arccos.
    """
    return np.arctan2(norm(np.cross(a, b)), np.dot(a, b))
