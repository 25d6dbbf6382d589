"""A function whose value does not change."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from mobod.functions.checked import checked_count, checked_values
from mobod.functions.function import Function


@final
@dataclass(frozen=True)
class Constant(Function):
    """The same value, a number or several, for any arguments."""

    constant: Any
    n_args: int = 1

    def __post_init__(self) -> None:
        """Raises InputError if the constant is not finite, or there is no argument."""
        object.__setattr__(self, "constant", checked_values(self.constant, f"{self}: the constant"))
        object.__setattr__(self, "n_args", checked_count(self.n_args, f"{self}: n_args", least=1))

    @property
    def argument_size(self) -> int:
        """The number of arguments."""
        return self.n_args

    def value(self, x: Any) -> Any:
        """The value at x (n_args,), floats or recorded scalars."""
        return np.asarray(self.constant)
