"""Simplifications instead of recording: adding 0, multiplying by 0 or 1, and the like.

They are exact for finite numbers, except for the sign of a zero. A 0 that is known when recording is structure and has priority: 0 x,
0 / x and x - x are 0 even if x is infinite or NaN and, for 0 / x, if x is 0.
"""

from collections.abc import Callable
from typing import Any, Protocol, Self, TypeVar

# powers up to this one become products, at most 8
_LARGEST_WHOLE_POWER = 16

# operations with results 0 or 1
_CONDITIONS = frozenset(["less", "less_equal", "equal", "not_equal", "logical_and", "logical_or", "logical_not"])


class Operand(Protocol):
    """The interface of a recorded scalar; see Expr."""

    number: int
    value: Any

    @property
    def tape(self) -> "Operations[Self]": ...

    def sqrt(self) -> Self: ...

    def __neg__(self) -> Self: ...

    def __mul__(self, other: Self) -> Self: ...

    def __rtruediv__(self, other: float) -> Self: ...


O = TypeVar("O", bound=Operand)
O_co = TypeVar("O_co", covariant=True)


class Operations(Protocol[O_co]):
    """The interface that records operations; see Tape."""

    @property
    def entries(self) -> list[tuple[str, Any]]: ...

    def constant(self, value: float) -> O_co: ...

    def expr(self, number: int) -> O_co: ...


def _add(a: O, b: O) -> O | None:
    if a.value == 0.0:
        return b
    return a if b.value == 0.0 else None


def _subtract(a: O, b: O) -> O | None:
    if b.value == 0.0:
        return a
    if a.value == 0.0:
        return -b
    return a.tape.constant(0.0) if a.number == b.number and a.value is None else None


def _multiply(a: O, b: O) -> O | None:
    if a.value is None:
        a, b = b, a
    if a.value is None or b.value is not None:
        return None
    if a.value == 1.0:
        return b
    if a.value == -1.0:
        return -b
    return a.tape.constant(0.0) if a.value == 0.0 else None


def _divide(a: O, b: O) -> O | None:
    if b.value == 1.0 or (a.value == 0.0 and b.value is None):
        return a
    return None


def _power(base: O, exponent: O) -> O | None:
    n = exponent.value
    if n == 0.5:
        return base.sqrt()
    if n is None or not n.is_integer() or abs(n) > _LARGEST_WHOLE_POWER:
        return None
    return 1.0 / _product(base, int(-n)) if n < 0 else _product(base, int(n))


def _product(base: O, n: int) -> O:
    """base^n by repeated squaring."""
    if n == 0:
        return base.tape.constant(1.0)
    half = _product(base, n // 2)
    return half * half * base if n % 2 else half * half


def _negative(a: O) -> O | None:
    operation, operands = a.tape.entries[a.number]
    return a.tape.expr(operands[0]) if operation == "negative" else None


def _logical_or(a: O, b: O) -> O | None:
    for one, other in ((a, b), (b, a)):
        if one.value == 0.0 and other.tape.entries[other.number][0] in _CONDITIONS:
            return other
    return None


def _where(condition: O, a: O, b: O) -> O | None:
    if condition.value is not None:
        return a if condition.value else b
    return a if a.number == b.number else None


# name of an operation -> function of its operands that returns the simplified result, or None if the operation must be recorded
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
