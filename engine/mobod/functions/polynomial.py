"""A polynomial of one argument."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, final

from mobod.functions.checked import checked_numbers
from mobod.functions.function import Function
from mobod.scalar import Array


@final
@dataclass(frozen=True)
class Polynomial(Function):
    """c_0 x^n + c_1 x^(n-1) + ... + c_n: the coefficient of the highest power first."""

    coefficients: Annotated[Sequence[float], partial(checked_numbers, least=1)]

    def antiderivative(self) -> "Polynomial":
        """That which is 0 at 0."""
        n = len(self.coefficients)
        return Polynomial([*(c / (n - i) for i, c in enumerate(self.coefficients)), 0.0])

    def value(self, x: Array) -> Any:
        """The value at x (n_args,), floats or recorded scalars."""
        total, *others = self.coefficients
        for coefficient in others:
            total = total * x[0] + coefficient
        return total
