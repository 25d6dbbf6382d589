"""A user's motion."""

from typing import Any

import numpy as np

import mobod as mb


@mb.equations
class Swell(mb.MotionEquations):
    """height sin(rate t)^2"""

    height: float = mb.parameter("m", "largest coordinate", least=0.0)
    rate: float = mb.parameter("rad/s", "angular frequency", default=2.0)

    level = "position"

    def value(self, t: Any) -> Any:
        return np.array([self.height * np.sin(self.rate * t) ** 2])
