"""CylindricalCoupling: translation along an axis and rotation about it."""

from typing import final

import numpy as np

from mobod.couplings.coupling import Coupling
from mobod.couplings.projections import with_z_aligned
from mobod.couplings.records import BILATERAL, LINEAR, ROTARY, UNBOUNDED, Range
from mobod.scalar import Array
from mobod.spatial import Transform, rotation_z
from mobod.system.elements import argument


@final
class CylindricalCoupling(Coupling):
    """Translation by z along the common z axis of C and D, and rotation about it by theta.

    z_range      m
    theta_range  rad
    clockwise    whether theta turns clockwise, as it does in ArtiSynth, or right-handed
    """

    z_range: Range = argument("of z, m", default=UNBOUNDED, kw_only=False)
    theta_range: Range = argument("of theta, rad", default=UNBOUNDED, kw_only=False)
    clockwise: bool = argument("whether theta turns clockwise", default=True)

    @property
    def sign(self) -> int:
        """1 for right-handed angles, -1 for clockwise ones."""
        return -1 if self.clockwise else 1

    def initialize_constraints(self) -> None:
        """Add the bilateral constraints, then the coordinates with their limits."""
        self.add_constraint(BILATERAL | LINEAR, [1, 0, 0, 0, 0, 0])
        self.add_constraint(BILATERAL | LINEAR, [0, 1, 0, 0, 0, 0])
        self.add_constraint(BILATERAL | ROTARY, [0, 0, 0, 1, 0, 0])
        self.add_constraint(BILATERAL | ROTARY, [0, 0, 0, 0, 1, 0])
        z_limit = self.add_constraint(LINEAR, [0, 0, 1, 0, 0, 0])
        theta_limit = self.add_constraint(ROTARY, [0, 0, 0, 0, 0, self.sign])
        self.add_coordinate(*self.z_range, z_limit, "z")
        self.add_coordinate(*self.theta_range, theta_limit, "theta")

    def coordinates_to_TCD(self, coordinates: Array) -> Transform:
        """T_CD of the coordinates (n,): m, rad."""
        z, theta = coordinates
        return Transform.of(rotation_z(self.sign * theta), np.array([0, 0, z]))

    def TCD_to_coordinates(self, TCD: Transform) -> Array:
        """The coordinates (n,) of a pose that satisfies the bilateral constraints: m, rad."""
        theta = self.sign * np.arctan2(TCD.R[1, 0], TCD.R[0, 0])
        return np.array([TCD.p[2], self.coordinate(1).nearest_angle(theta)])

    def project_to_constraints(self, TCD: Transform) -> Transform:
        """T_GD, the nearest pose that satisfies the bilateral constraints."""
        return Transform.of(with_z_aligned(TCD.R), np.array([0, 0, TCD.p[2]]))

    def update_constraints(self, TGD: Transform, TCD: Transform, errC: Array, velGD: Array, update_engaged: bool) -> None:
        """Set the wrenches that depend on the pose or on the coordinates, (6,) in G, the force first."""
