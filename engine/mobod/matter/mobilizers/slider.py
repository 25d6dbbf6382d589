"""Slider: one translation."""

from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.equations.mobilizer_equations import MobilizerEquations
from mobod.scalar import Array
from mobod.spatial import Transform


@final
@dataclass(frozen=True)
class SliderEquations(MobilizerEquations):
    """Translation by q along the common x axis of F and M.

    q  (1,)  m    position of the origin of M
    u  (1,)  m/s  its rate
    """

    q_units = ("m",)
    rotation = "none"

    def X_FM(self, q: Array) -> Transform:
        return Transform.of(np.eye(3), np.array([q[0], 0, 0]))

    def H_FM(self, q: Array) -> Array:
        return np.array([[0, 0, 0, 1, 0, 0]]).T

    def near(self, X_FM: Transform, q: Array) -> Array:
        return X_FM.p[:1]


@final
class Slider(MobilizedBody):
    """A body that slides along the x axis of F (see SliderEquations)."""

    equations = SliderEquations()
