"""PlanarTranslationCoupling: two translations."""

from typing import final

import numpy as np

from mobod.couplings.coupling import Coupling
from mobod.couplings.records import BILATERAL, LINEAR, ROTARY, UNBOUNDED, Range
from mobod.scalar import Array
from mobod.spatial import Transform
from mobod.system.elements import argument


@final
class PlanarTranslationCoupling(Coupling):
    """Translation by x and y along those axes of D.

    x_range, y_range  m
    """

    x_range: Range = argument("of x, m", default=UNBOUNDED, kw_only=False)
    y_range: Range = argument("of y, m", default=UNBOUNDED, kw_only=False)

    def initialize_constraints(self) -> None:
        """Add the bilateral constraints, then the coordinates with their limits."""
        self.add_constraint(BILATERAL | LINEAR, [0, 0, 1, 0, 0, 0])
        self.add_constraint(BILATERAL | ROTARY, [0, 0, 0, 1, 0, 0])
        self.add_constraint(BILATERAL | ROTARY, [0, 0, 0, 0, 1, 0])
        self.add_constraint(BILATERAL | ROTARY, [0, 0, 0, 0, 0, 1])
        x_limit = self.add_constraint(LINEAR, [1, 0, 0, 0, 0, 0])
        y_limit = self.add_constraint(LINEAR, [0, 1, 0, 0, 0, 0])
        self.add_coordinate(*self.x_range, x_limit, "x")
        self.add_coordinate(*self.y_range, y_limit, "y")

    def coordinates_to_TCD(self, coordinates: Array) -> Transform:
        """T_CD of the coordinates (n,): m, rad."""
        return Transform.of(np.eye(3), np.array([*coordinates, 0]))

    def TCD_to_coordinates(self, TCD: Transform) -> Array:
        """The coordinates (n,) of a pose that satisfies the bilateral constraints: m, rad."""
        return TCD.p[:2]

    def project_to_constraints(self, TCD: Transform) -> Transform:
        """T_GD, the nearest pose that satisfies the bilateral constraints."""
        return Transform.of(np.eye(3), np.array([*TCD.p[:2], 0]))

    def update_constraints(self, TGD: Transform, TCD: Transform, errC: Array, velGD: Array, update_engaged: bool) -> None:
        """Set the wrenches that depend on the pose or on the coordinates, (6,) in G, the force first."""
