"""FunctionMotion: by functions of time."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.errors import InputError
from mobod.functions import Function
from mobod.functions.function import checked_is_function
from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.equations.motion_equations import LEVELS, Level, MotionEquations, checked_level
from mobod.matter.motion import Motion, checked_body
from mobod.scalar import Array, Scalar


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

    def __init__(self, body: MobilizedBody, functions: Function | Sequence[Function], *, level: Level = "position", disabled: bool = False):
        of_body = f"FunctionMotion of '{checked_body(body, 'FunctionMotion').name}'"
        given = functions if isinstance(functions, Iterable) else [functions]
        each = tuple(checked_is_function(function, of_body) for function in given)
        if len(each) != body.nu:
            raise InputError(f"{of_body}: {len(each)} functions for {body.nu} degrees of freedom. Give one for each.")
        order = int(LEVELS[checked_level(level, of_body)]) - 1
        for function in each:
            function.check_fits(of_body, argument_size=1, derivative_order=order)
        super().__init__(body, FunctionEquations(level, each), disabled=disabled)
