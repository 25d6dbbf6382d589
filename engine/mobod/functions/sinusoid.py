"""A sine."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from mobod.functions.function import Function
from mobod.functions.linear import Linear
from mobod.scalar import Array


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

    def antiderivative(self) -> Function:
        """A sine, or a straight line if the frequency is 0."""
        if not self.frequency:
            return Linear([self.amplitude * np.sin(self.phase), 0.0])
        return Sinusoid(self.amplitude / self.frequency, self.frequency, self.phase - np.pi / 2)

    def value(self, x: Array) -> Any:
        """The value at x (n_args,), floats or recorded scalars."""
        return self.amplitude * np.sin(self.frequency * x[0] + self.phase)
