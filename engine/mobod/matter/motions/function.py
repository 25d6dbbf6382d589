"""FunctionMotion: by functions of time."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.errors import InputError
from mobod.functions import Function
from mobod.functions.function import checked_is_function
from mobod.matter.equations.motion_equations import LEVELS, Level, MotionEquations
from mobod.matter.motion import Motion
from mobod.scalar import Array, Scalar
from mobod.system.elements import Given, argument


@final
@dataclass(frozen=True)
class FunctionEquations(MotionEquations):
    """One function of time for each degree of freedom."""

    level: Level
    functions: tuple[Function, ...]

    def value(self, t: Scalar) -> Array:
        return np.array([function.value(np.array([t])) for function in self.functions])


@final
class FunctionMotion(Motion):
    """Coordinates, speeds or accelerations, as the level says, by functions of time.

    functions  one, or one for each degree of freedom; of one argument, with the derivatives that the level needs
    level      'position', 'velocity' or 'acceleration'
    """

    functions: Given[tuple[Function, ...], Function | Sequence[Function]] = argument("one for each degree of freedom", kw_only=False)
    level: Level = argument("what is prescribed", default="position")

    def make_equations(self) -> FunctionEquations:
        """The functions, one for each degree of freedom."""
        given: object = self.functions
        what = f"FunctionMotion of '{self.body.name}'"
        self.functions = tuple(checked_is_function(each, what) for each in (given if isinstance(given, Iterable) else [given]))
        if len(self.functions) != self.body.nu:
            raise InputError(f"{what}: {len(self.functions)} functions for {self.body.nu} degrees of freedom. Give one for each.")
        for function in self.functions:
            function.check_fits(what, argument_size=1, derivative_order=int(LEVELS[self.level]) - 1)
        return FunctionEquations(self.level, self.functions)
