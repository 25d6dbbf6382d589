"""A smooth step."""

from dataclasses import dataclass
from typing import Annotated, Any, final

import numpy as np
import scipy

from mobod.errors import InputError
from mobod.functions.checked import checked_values
from mobod.functions.function import Function
from mobod.functions.spline import Spline
from mobod.scalar import Array, where


@final
@dataclass(frozen=True)
class Step(Function):
    """From y0 at x0 to y1 at x1, and constant on both sides: y0 + (y1 - y0) s^3 (10 - 15 s + 6 s^2), s = (x - x0) / (x1 - x0).

    Two derivatives are continuous, and are 0 at both ends; the third jumps there, and at the ends themselves is 0, as outside.

    y0, y1  numbers, or lists of as many values
    x0, x1  different; x1 may lie before x0
    """

    y0: Annotated[Any, checked_values]
    y1: Annotated[Any, checked_values]
    x0: float
    x1: float

    def __post_init__(self) -> None:
        """Raises InputError if a number is not finite, x0 is x1, or y0 has not as many values as y1."""
        super().__post_init__()
        if np.shape(self.y0) != np.shape(self.y1):
            raise InputError(f"{self}: y0 is {self.y0} and y1 is {self.y1}. They must have as many values.")
        if self.x0 == self.x1:
            raise InputError(f"{self}: x0 and x1 are both {self.x0:g}. A step without width is not smooth: they must differ.")

    def antiderivative(self) -> Function:
        """A Spline of three pieces, which is 0 at the end with the lower x."""
        (low, before), (high, after) = sorted(((self.x0, self.y0), (self.x1, self.y1)), key=lambda end: end[0])
        width, before, rise = high - low, np.asarray(before), np.asarray(after) - np.asarray(before)
        zeros = [np.zeros_like(rise)] * 5
        middle = [6 * rise / width**5, -15 * rise / width**4, 10 * rise / width**3, *zeros[:2], before]
        c = np.stack([np.array([*zeros, before]), np.array(middle), np.array([*zeros, before + rise])], axis=1)
        return Spline(scipy.interpolate.PPoly(c, [low - width, low, high, high + width])).antiderivative()

    def value(self, x: Array) -> Any:
        """The value at x (n_args,), floats or recorded scalars."""
        s = (x[0] - self.x0) / (self.x1 - self.x0)
        is_before, is_after = s <= 0, s >= 1
        s = where(is_before | is_after, 0.5, s)  # far away its powers overflow
        y0, y1 = np.asarray(self.y0), np.asarray(self.y1)
        between = y0 + (y1 - y0) * (s * s * s * (10 + s * (6 * s - 15)))
        return where(is_before, y0, where(is_after, y1, between))
