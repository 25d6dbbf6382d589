"""FixedAxisCoupling: any translation, and two rotations."""

from typing import final

import numpy as np

from mobod.couplings.coupling import Coupling
from mobod.couplings.kinds.universal import RollAndPitch
from mobod.couplings.records import BILATERAL, ROTARY
from mobod.scalar import Array
from mobod.spatial import Transform


@final
class FixedAxisCoupling(Coupling):
    """Translation, then roll about z and pitch about the turned y axis: the y axis of C stays in the x-y plane of D."""

    angles = RollAndPitch()

    def initialize_constraints(self) -> None:
        """Add the bilateral constraints, then the coordinates with their limits."""
        self.add_constraint(BILATERAL | ROTARY)
        for name in ("x", "y", "z"):
            self.add_coordinate(name=name, unit="m")
        for name in ("roll", "pitch"):
            self.add_coordinate(name=name, unit="rad")

    def coordinates_to_TCD(self, coordinates: Array) -> Transform:
        """T_CD of the coordinates (n,): m, rad."""
        return Transform.of(self.angles.rotation(*coordinates[3:]), coordinates[:3])

    def TCD_to_coordinates(self, TCD: Transform) -> Array:
        """The coordinates (n,) of a pose that satisfies the bilateral constraints: m, rad."""
        roll, pitch = self.angles.angles(TCD.R)
        return np.array([*TCD.p, self.coordinate(3).nearest_angle(roll), self.coordinate(4).nearest_angle(pitch)])

    def project_to_constraints(self, TCD: Transform) -> Transform:
        """T_GD, the nearest pose that satisfies the bilateral constraints."""
        return Transform.of(self.angles.projected(TCD.R), TCD.p)

    def update_constraints(self, TGD: Transform, TCD: Transform, errC: Array, velGD: Array, update_engaged: bool) -> None:
        """Set the wrenches that depend on the pose or on the coordinates, (6,) in G, the force first."""
        self.constraint(0).wrench_G = np.array([0, 0, 0, *self.angles.wrenches(TGD.R, self.coordinate(3).value)[0]])
