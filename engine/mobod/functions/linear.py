"""A linear function."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, final

from mobod.functions.checked import checked_numbers
from mobod.functions.function import Function
from mobod.functions.multi_poly import MultiPoly
from mobod.scalar import Array


@final
@dataclass(frozen=True)
class Linear(Function):
    """c_0 x_0 + ... + c_(n-1) x_(n-1) + c_n: a coefficient for each argument, then the constant term."""

    coefficients: Annotated[Sequence[float], partial(checked_numbers, least=2)]

    @property
    def argument_size(self) -> int:
        """The number of arguments."""
        return len(self.coefficients) - 1

    def antiderivative(self) -> MultiPoly:
        """By the first argument."""
        first, *others, constant = self.coefficients
        n = self.argument_size
        mixed = [(slope, [1, *(int(i == k) for k in range(1, n))]) for i, slope in enumerate(others, start=1)]
        return MultiPoly(n, [(first / 2, [2, *[0] * (n - 1)]), *mixed, (constant, [1, *[0] * (n - 1)])])

    def value(self, x: Array) -> Any:
        """The value at x (n_args,), floats or recorded scalars."""
        *slopes, total = self.coefficients
        for slope, argument in zip(slopes, x, strict=True):
            total = slope * argument + total
        return total
