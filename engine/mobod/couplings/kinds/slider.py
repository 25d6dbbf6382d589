"""SliderCoupling: one translation."""

from typing import final

import numpy as np

from mobod.couplings.coupling import Coupling
from mobod.couplings.records import BILATERAL, LINEAR, ROTARY, UNBOUNDED, Range
from mobod.scalar import Array
from mobod.spatial import Transform
from mobod.system.elements import argument


@final
class SliderCoupling(Coupling):
    """Translation by z along the common z axis of C and D.

    z_range  m
    """

    z_range: Range = argument("of z, m", default=UNBOUNDED, kw_only=False)

    def initialize_constraints(self) -> None:
        """Add the bilateral constraints, then the coordinates with their limits."""
        self.add_constraint(BILATERAL | LINEAR, [1, 0, 0, 0, 0, 0])
        self.add_constraint(BILATERAL | LINEAR, [0, 1, 0, 0, 0, 0])
        self.add_constraint(BILATERAL | ROTARY, [0, 0, 0, 1, 0, 0])
        self.add_constraint(BILATERAL | ROTARY, [0, 0, 0, 0, 1, 0])
        self.add_constraint(BILATERAL | ROTARY, [0, 0, 0, 0, 0, 1])
        limit = self.add_constraint(LINEAR, [0, 0, 1, 0, 0, 0])
        self.add_coordinate(*self.z_range, limit, "z")

    def coordinates_to_TCD(self, coordinates: Array) -> Transform:
        """T_CD of the coordinates (n,): m, rad."""
        return Transform.of(np.eye(3), np.array([0, 0, coordinates[0]]))

    def TCD_to_coordinates(self, TCD: Transform) -> Array:
        """The coordinates (n,) of a pose that satisfies the bilateral constraints: m, rad."""
        return TCD.p[2:]

    def project_to_constraints(self, TCD: Transform) -> Transform:
        """T_GD, the nearest pose that satisfies the bilateral constraints."""
        return Transform.of(np.eye(3), np.array([0, 0, TCD.p[2]]))

    def update_constraints(self, TGD: Transform, TCD: Transform, errC: Array, velGD: Array, update_engaged: bool) -> None:
        """Set the wrenches that depend on the pose or on the coordinates, (6,) in G, the force first."""
