"""PlanarCoupling: motion in a plane."""

from typing import final

import numpy as np

from mobod.couplings.coupling import Coupling
from mobod.couplings.projections import with_z_aligned
from mobod.couplings.records import BILATERAL, LINEAR, ROTARY, UNBOUNDED, Range
from mobod.scalar import Array
from mobod.spatial import Transform, rotation_z
from mobod.system.elements import argument


@final
class PlanarCoupling(Coupling):
    """Translation by x and y along those axes of D, then rotation by theta about its z axis.

    x_range, y_range  m
    theta_range       rad
    """

    x_range: Range = argument("of x, m", default=UNBOUNDED, kw_only=False)
    y_range: Range = argument("of y, m", default=UNBOUNDED, kw_only=False)
    theta_range: Range = argument("of theta, rad", default=UNBOUNDED, kw_only=False)

    def initialize_constraints(self) -> None:
        """Add the bilateral constraints, then the coordinates with their limits."""
        self.add_constraint(BILATERAL | LINEAR, [0, 0, 1, 0, 0, 0])
        self.add_constraint(BILATERAL | ROTARY, [0, 0, 0, 1, 0, 0])
        self.add_constraint(BILATERAL | ROTARY, [0, 0, 0, 0, 1, 0])
        self.add_coordinate(*self.x_range, self.add_constraint(LINEAR), "x")
        self.add_coordinate(*self.y_range, self.add_constraint(LINEAR), "y")
        self.add_coordinate(*self.theta_range, self.add_constraint(ROTARY, [0, 0, 0, 0, 0, 1]), "theta")

    def coordinates_to_TCD(self, coordinates: Array) -> Transform:
        """T_CD of the coordinates (n,): m, rad."""
        x, y, theta = coordinates
        return Transform.of(rotation_z(theta), np.array([x, y, 0]))

    def TCD_to_coordinates(self, TCD: Transform) -> Array:
        """The coordinates (n,) of a pose that satisfies the bilateral constraints: m, rad."""
        theta = np.arctan2(TCD.R[1, 0], TCD.R[0, 0])
        return np.array([*TCD.p[:2], self.coordinate(2).nearest_angle(theta)])

    def project_to_constraints(self, TCD: Transform) -> Transform:
        """T_GD, the nearest pose that satisfies the bilateral constraints."""
        return Transform.of(with_z_aligned(TCD.R), np.array([*TCD.p[:2], 0]))

    def update_constraints(self, TGD: Transform, TCD: Transform, errC: Array, velGD: Array, update_engaged: bool) -> None:
        """Set the wrenches that depend on the pose or on the coordinates, (6,) in G, the force first."""
        self.constraint(3).wrench_G = np.array([*TGD.R[0], 0, 0, 0])
        self.constraint(4).wrench_G = np.array([*TGD.R[1], 0, 0, 0])
