"""A sine."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from mobod.functions.function import Function


@final
@dataclass(frozen=True)
class Sinusoid(Function):
    """amplitude sin(frequency x + phase).

    frequency  rad per unit of x: an angular one
    phase      rad
    """

    amplitude: float
    frequency: float
    phase: float = 0.0

    def value(self, x: Any) -> Any:
        """The value at x (n_args,), floats or recorded scalars."""
        return self.amplitude * np.sin(self.frequency * x[0] + self.phase)
