"""HingeCoupling: one rotation."""

from typing import final

import numpy as np

from mobod.couplings.coupling import Coupling
from mobod.couplings.projections import with_z_aligned
from mobod.couplings.records import BILATERAL, LINEAR, ROTARY, UNBOUNDED, Range
from mobod.scalar import Array
from mobod.spatial import Transform, rotation_z
from mobod.system.elements import argument


@final
class HingeCoupling(Coupling):
    """Rotation by theta about the common z axis of C and D.

    theta_range  rad
    clockwise    whether theta turns the other way
    """

    theta_range: Range = argument("of theta, rad", default=UNBOUNDED, kw_only=False)
    clockwise: bool = argument("whether theta turns clockwise", default=False)

    @property
    def sign(self) -> int:
        """1 for right-handed angles, -1 for clockwise ones."""
        return -1 if self.clockwise else 1

    def initialize_constraints(self) -> None:
        """Add the bilateral constraints, then the coordinates with their limits."""
        self.add_constraint(BILATERAL | LINEAR, [1, 0, 0, 0, 0, 0])
        self.add_constraint(BILATERAL | LINEAR, [0, 1, 0, 0, 0, 0])
        self.add_constraint(BILATERAL | LINEAR, [0, 0, 1, 0, 0, 0])
        self.add_constraint(BILATERAL | ROTARY, [0, 0, 0, 1, 0, 0])
        self.add_constraint(BILATERAL | ROTARY, [0, 0, 0, 0, 1, 0])
        limit = self.add_constraint(ROTARY, [0, 0, 0, 0, 0, self.sign])
        self.add_coordinate(*self.theta_range, limit, "theta")

    def coordinates_to_TCD(self, coordinates: Array) -> Transform:
        """T_CD of the coordinates (n,): m, rad."""
        return Transform.of(rotation_z(self.sign * coordinates[0]), np.zeros(3))

    def TCD_to_coordinates(self, TCD: Transform) -> Array:
        """The coordinates (n,) of a pose that satisfies the bilateral constraints: m, rad."""
        return np.array([self.coordinate(0).nearest_angle(self.sign * np.arctan2(TCD.R[1, 0], TCD.R[0, 0]))])

    def project_to_constraints(self, TCD: Transform) -> Transform:
        """T_GD, the nearest pose that satisfies the bilateral constraints."""
        return Transform.of(with_z_aligned(TCD.R), np.zeros(3))

    def update_constraints(self, TGD: Transform, TCD: Transform, errC: Array, velGD: Array, update_engaged: bool) -> None:
        """Set the wrenches that depend on the pose or on the coordinates, (6,) in G, the force first."""
