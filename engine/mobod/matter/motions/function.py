"""FunctionMotion: by functions of time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from mobod.errors import InputError
from mobod.functions import Function
from mobod.matter.body import MobilizedBody
from mobod.matter.motion import Motion
from mobod.matter.motion_equations import LEVELS, Level, MotionEquations, checked_level


@final
@dataclass(frozen=True)
class FunctionEquations(MotionEquations):
    """One function of time for each degree of freedom."""

    level: Level
    functions: tuple[Function, ...]

    def value(self, t: Any) -> np.ndarray:
        return np.array([function.value(np.array([t])) for function in self.functions])


@final
class FunctionMotion(Motion):
    """Coordinates, speeds or accelerations, as the level says, by functions of time.

    functions  one, or one for each degree of freedom; of one argument, with the derivatives that the level needs
    level      'position', 'velocity' or 'acceleration'
    """

    def __init__(self, body: MobilizedBody, functions: Function | Sequence[Function], *, level: Level = "position", disabled: bool = False):
        each = (functions,) if isinstance(functions, Function) else tuple(functions)
        of_body = f"FunctionMotion of '{getattr(body, 'name', body)}'"
        if len(each) != getattr(body, "nu", len(each)):  # what is no body is refused below
            raise InputError(f"{of_body}: {len(each)} functions for {body.nu} degrees of freedom. Give one for each.")
        order = int(LEVELS[checked_level(level, of_body)]) - 1
        for function in each:
            if not isinstance(function, Function):
                raise InputError(f"{of_body}: a Function of time is needed, not {type(function).__name__}.")
            function.check_fits(of_body, argument_size=1, derivative_order=order)
        super().__init__(body, FunctionEquations(level, each), disabled=disabled)
