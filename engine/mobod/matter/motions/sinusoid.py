"""SinusoidMotion: every mobility swings alike."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.equations.motion_equations import Level, MotionEquations, checked_level
from mobod.matter.motion import Motion, checked_body
from mobod.matter.parameters import Parameter
from mobod.spatial.checked import checked_floats


@final
@dataclass(frozen=True)
class SinusoidEquations(MotionEquations):
    """amplitude sin(rate t + phase), for each degree of freedom."""

    level: Level
    nu: int
    amplitude: float
    rate_of_phase: float
    phase: float

    parameters = (
        Parameter(name="amplitude", unit="1", description="amplitude, in the unit of what is prescribed"),
        Parameter(name="rate_of_phase", unit="rad/s", description="angular frequency"),
        Parameter(name="phase", unit="rad", description="phase at time 0"),
    )

    def value(self, t: Any) -> np.ndarray:
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
