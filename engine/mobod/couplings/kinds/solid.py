"""SolidCoupling: no motion."""

from typing import final

import numpy as np

from mobod.couplings.coupling import Coupling
from mobod.couplings.records import BILATERAL, LINEAR, ROTARY
from mobod.scalar import Array
from mobod.spatial import Transform


@final
class SolidCoupling(Coupling):
    """C is D."""

    def initialize_constraints(self) -> None:
        """Add the bilateral constraints, then the coordinates with their limits."""
        for i in range(6):
            self.add_constraint(BILATERAL | (LINEAR if i < 3 else ROTARY), np.eye(6)[i])

    def coordinates_to_TCD(self, coordinates: Array) -> Transform:
        """T_CD of the coordinates (n,): m, rad."""
        return Transform()

    def project_to_constraints(self, TCD: Transform) -> Transform:
        """T_GD, the nearest pose that satisfies the bilateral constraints."""
        return Transform()

    def update_constraints(self, TGD: Transform, TCD: Transform, errC: Array, velGD: Array, update_engaged: bool) -> None:
        """Set the wrenches that depend on the pose or on the coordinates, (6,) in G, the force first."""
