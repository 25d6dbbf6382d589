"""SinusoidMotion: every mobility swings alike."""

from typing import final

import numpy as np

from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.equations.motion_equations import Level, MotionEquations, checked_level
from mobod.matter.motion import Motion, checked_body
from mobod.matter.parameters import equations
from mobod.scalar import Array, Scalar
from mobod.spatial.checked import checked_floats
from mobod.system.elements import parameter


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

    def __init__(
        self, body: MobilizedBody, *, amplitude: float, rate: float, phase: float = 0.0, level: Level = "position", disabled: bool = False
    ):
        nu = checked_body(body, "SinusoidMotion").nu
        numbers = [
            float(checked_floats(value, (), "SinusoidMotion: " + name))
            for name, value in (("amplitude", amplitude), ("rate", rate), ("phase", phase))
        ]
        super().__init__(body, SinusoidEquations(checked_level(level, "SinusoidMotion"), nu, *numbers), disabled=disabled)
