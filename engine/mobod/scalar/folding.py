"""What is not recorded: terms 0, factors 0 and 1, and their like.

Exact for finite numbers, but for the sign of a zero. A 0 that is known when recording is structure and wins: 0 x, 0 / x and x - x are 0
also where x is infinite or NaN and, for 0 / x, where it is 0.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mobod.scalar.expr import Expr

# powers up to this one are multiplied out, which costs 8 products at most
_LARGEST_WHOLE_POWER = 16

# operations whose results are 0 or 1
_CONDITIONS = frozenset(["less", "less_equal", "equal", "not_equal", "logical_and", "logical_or", "logical_not"])


def _add(a: "Expr", b: "Expr") -> "Expr | None":
    if a.value == 0.0:
        return b
    return a if b.value == 0.0 else None


def _subtract(a: "Expr", b: "Expr") -> "Expr | None":
    if b.value == 0.0:
        return a
    if a.value == 0.0:
        return -b
    return a.tape.constant(0.0) if a.number == b.number and a.value is None else None


def _multiply(a: "Expr", b: "Expr") -> "Expr | None":
    if a.value is None:
        a, b = b, a
    if a.value is None or b.value is not None:
        return None
    if a.value == 1.0:
        return b
    if a.value == -1.0:
        return -b
    return a.tape.constant(0.0) if a.value == 0.0 else None


def _divide(a: "Expr", b: "Expr") -> "Expr | None":
    if b.value == 1.0 or (a.value == 0.0 and b.value is None):
        return a
    return None


def _power(base: "Expr", exponent: "Expr") -> "Expr | None":
    n = exponent.value
    if n == 0.5:
        return base.sqrt()
    if n is None or not n.is_integer() or abs(n) > _LARGEST_WHOLE_POWER:
        return None
    return 1.0 / _product(base, int(-n)) if n < 0 else _product(base, int(n))


def _product(base: "Expr", n: int) -> "Expr":
    """base^n by squaring."""
    if n == 0:
        return base.tape.constant(1.0)
    half = _product(base, n // 2)
    return half * half * base if n % 2 else half * half


def _negative(a: "Expr") -> "Expr | None":
    operation, operands = a.tape.entries[a.number]
    return a.tape.expr(operands[0]) if operation == "negative" else None


def _logical_or(a: "Expr", b: "Expr") -> "Expr | None":
    for one, other in ((a, b), (b, a)):
        if one.value == 0.0 and other.tape.entries[other.number][0] in _CONDITIONS:
            return other
    return None


def _where(condition: "Expr", a: "Expr", b: "Expr") -> "Expr | None":
    if condition.value is not None:
        return a if condition.value else b
    return a if a.number == b.number else None


# name of an operation -> its operands -> what stands for the result, or None if it must be recorded
FOLDS: dict[str, Callable[..., Any]] = {
    "add": _add,
    "subtract": _subtract,
    "multiply": _multiply,
    "divide": _divide,
    "power": _power,
    "negative": _negative,
    "logical_or": _logical_or,
    "where": _where,
}
