"""A function whose value does not change."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, final

import numpy as np

from mobod.functions.checked import checked_count, checked_values
from mobod.functions.function import Function
from mobod.functions.linear import Linear
from mobod.scalar import Array


@final
@dataclass(frozen=True)
class Constant(Function):
    """The same value, a number or several, for any arguments."""

    constant: Annotated[Any, checked_values]
    n_args: Annotated[int, partial(checked_count, least=1)] = 1

    @property
    def argument_size(self) -> int:
        """The number of arguments."""
        return self.n_args

    def antiderivative(self) -> Function | None:
        """By the first argument; None for several values."""
        if np.ndim(self.constant):
            return None
        return Linear([self.constant, *[0.0] * self.n_args])

    def value(self, x: Array) -> Any:
        """The value at x (n_args,), floats or recorded scalars."""
        return np.asarray(self.constant)
