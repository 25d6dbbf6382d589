"""Translation: any motion without rotation."""

from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.equations.mobilizer_equations import MobilizerEquations
from mobod.scalar import Array
from mobod.spatial import Transform


@final
@dataclass(frozen=True)
class TranslationEquations(MobilizerEquations):
    """Translation of M along the axes of F.

    q  (3,)  m    position of the origin of M in F
    u  (3,)  m/s  its rate
    """

    q_units = ("m", "m", "m")
    rotation = "none"

    def X_FM(self, q: Array) -> Transform:
        return Transform.of(np.eye(3), q)

    def H_FM(self, q: Array) -> Array:
        return np.eye(6, 3, k=-3)

    def near(self, X_FM: Transform, q: Array) -> Array:
        return X_FM.p


@final
class Translation(MobilizedBody):
    """A body that moves along x, y and z of F and does not turn (see TranslationEquations)."""

    equations = TranslationEquations()
