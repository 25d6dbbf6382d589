"""A user's constraint."""

from typing import Any

import numpy as np

import mobod as mb
from mobod.scalar import norm


@mb.equations
class OnSphere(mb.ConstraintEquations):
    """Position error: the distance of the body's origin from the other's, less the radius, m."""

    radius: float = mb.parameter("m", "of the sphere", above=0.0)

    position_units = ("m",)

    def position_errors(self, motion: Any) -> Any:
        return np.array([norm(motion.X[1].p - motion.X[0].p) - self.radius])
