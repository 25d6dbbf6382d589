"""Weld: no motion."""

from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.equations.mobilizer_equations import MobilizerEquations
from mobod.scalar import Array
from mobod.spatial import Transform


@final
@dataclass(frozen=True)
class WeldEquations(MobilizerEquations):
    """M is F."""

    q_units = ()
    rotation = "none"

    def X_FM(self, q: Array) -> Transform:
        return Transform.of(np.eye(3), np.zeros(3))

    def H_FM(self, q: Array) -> Array:
        return np.zeros((6, 0))

    def near(self, X_FM: Transform, q: Array) -> Array:
        return q


@final
class Weld(MobilizedBody):
    """A body that is fixed on its parent."""

    equations = WeldEquations()
