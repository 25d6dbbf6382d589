"""CustomMotion: a user's motion, of which the prescribed values are enough."""

from typing import Annotated, final

import numpy as np

from mobod.errors import InputError, described
from mobod.matter.equations.motion_equations import MotionEquations, checked_level
from mobod.matter.motion import Motion
from mobod.scalar.recording import record
from mobod.system.elements import argument


def checked_equations(equations: object, what: str) -> MotionEquations:
    """Raises InputError unless they are MotionEquations, UnsupportedError if they cannot be recorded."""
    if not isinstance(equations, MotionEquations):
        raise InputError(f"{what} are MotionEquations, not {described(equations)}.")
    checked_level(getattr(equations, "level", None), f"{what} ({type(equations).__name__})")
    equations.check_recordable(what)
    return equations


@final
class CustomMotion(Motion):
    """Coordinates, speeds or accelerations by functions of time that a user writes (see MotionEquations).

    equations  a frozen dataclass: `level`, and `value(t)`, one number for each degree of freedom
    """

    equations: Annotated[MotionEquations, checked_equations] = argument("a frozen dataclass with `level` and `value(t)`", kw_only=False)

    def make_equations(self) -> MotionEquations:
        """The given ones. Raises InputError unless they have a value for each degree of freedom."""
        body = self.body
        given = self.equations.checked(f"CustomMotion of '{body.name}'")
        shape = record(given.value, [np.array(np.nan)], about=f"{type(given).__name__} of '{body.name}'").outputs[0].shape
        if shape != (body.nu,):
            raise InputError(
                f"CustomMotion of '{body.name}': value(t) of {type(given).__name__} has shape {shape}. The shape must be ({body.nu},), one "
                "number for each degree of freedom."
            )
        return given
