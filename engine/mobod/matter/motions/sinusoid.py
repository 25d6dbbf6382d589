"""SinusoidMotion: every mobility swings alike."""

from typing import final

import numpy as np

from mobod.matter.equations.motion_equations import Level, MotionEquations
from mobod.matter.motion import Motion
from mobod.matter.parameters import equations
from mobod.scalar import Array, Scalar
from mobod.system.elements import argument, parameter


@final
@equations
class SinusoidEquations(MotionEquations):
    """amplitude sin(rate t + phase), for each degree of freedom."""

    level: Level
    nu: int
    amplitude: float = parameter("1", "amplitude, in the unit of what is prescribed")
    rate_of_phase: float = parameter("rad/s", "angular frequency")
    phase: float = parameter("rad", "phase at time 0")

    def value(self, t: Scalar) -> Array:
        return np.array([self.amplitude * np.sin(self.rate_of_phase * t + self.phase)] * self.nu)


@final
class SinusoidMotion(Motion):
    """Coordinates, speeds or accelerations, as the level says, that are amplitude sin(rate t + phase): all of them.

    amplitude  in the unit of what is prescribed
    rate       rad/s
    phase      rad
    level      'position', 'velocity' or 'acceleration'
    """

    amplitude: float = argument("in the unit of what is prescribed")
    rate: float = argument("angular frequency, rad/s")
    phase: float = argument("at time 0, rad", default=0.0)
    level: Level = argument("what is prescribed", default="position")

    def make_equations(self) -> SinusoidEquations:
        """The same sine for each degree of freedom."""
        return SinusoidEquations(self.level, self.body.nu, self.amplitude, self.rate, self.phase)
