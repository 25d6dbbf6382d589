"""SlottedHingeCoupling: a hinge that slides in a slot."""

from typing import final

import numpy as np

from mobod.couplings.coupling import Coupling
from mobod.couplings.projections import with_z_aligned
from mobod.couplings.records import BILATERAL, LINEAR, ROTARY, UNBOUNDED, Range
from mobod.scalar import Array
from mobod.spatial import Transform, rotation_z
from mobod.system.elements import argument


@final
class SlottedHingeCoupling(Coupling):
    """Translation by x along the x axis of D, and rotation by theta about its z axis.

    x_range      m
    theta_range  rad
    """

    x_range: Range = argument("of x, m", default=UNBOUNDED, kw_only=False)
    theta_range: Range = argument("of theta, rad", default=UNBOUNDED, kw_only=False)

    def initialize_constraints(self) -> None:
        """Add the bilateral constraints, then the coordinates with their limits."""
        self.add_constraint(BILATERAL | LINEAR)
        self.add_constraint(BILATERAL | LINEAR, [0, 0, 1, 0, 0, 0])
        self.add_constraint(BILATERAL | ROTARY, [0, 0, 0, 1, 0, 0])
        self.add_constraint(BILATERAL | ROTARY, [0, 0, 0, 0, 1, 0])
        x_limit = self.add_constraint(LINEAR)
        theta_limit = self.add_constraint(ROTARY, [0, 0, 0, 0, 0, 1])
        self.add_coordinate(*self.x_range, x_limit, "x")
        self.add_coordinate(*self.theta_range, theta_limit, "theta")

    def coordinates_to_TCD(self, coordinates: Array) -> Transform:
        """T_CD of the coordinates (n,): m, rad."""
        x, theta = coordinates
        return Transform.of(rotation_z(theta), np.array([x, 0, 0]))

    def TCD_to_coordinates(self, TCD: Transform) -> Array:
        """The coordinates (n,) of a pose that satisfies the bilateral constraints: m, rad."""
        theta = np.arctan2(TCD.R[1, 0], TCD.R[0, 0])
        return np.array([TCD.p[0], self.coordinate(1).nearest_angle(theta)])

    def project_to_constraints(self, TCD: Transform) -> Transform:
        """T_GD, the nearest pose that satisfies the bilateral constraints."""
        return Transform.of(with_z_aligned(TCD.R), np.array([TCD.p[0], 0, 0]))

    def update_constraints(self, TGD: Transform, TCD: Transform, errC: Array, velGD: Array, update_engaged: bool) -> None:
        """Set the wrenches that depend on the pose or on the coordinates, (6,) in G, the force first."""
        x_axis, y_axis = TGD.R[0], TGD.R[1]  # of D, in G
        self.constraint(0).wrench_G = np.array([*y_axis, 0, 0, 0])
        self.constraint(4).wrench_G = np.array([*x_axis, 0, 0, 0])
