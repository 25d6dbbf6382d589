"""FreeCoupling: all six motions, each with limits."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, final

import numpy as np

from mobod.couplings.coupling import Coupling
from mobod.couplings.records import LINEAR, ROTARY, UNBOUNDED, Range, checked_ranges
from mobod.couplings.rpy_angles import AxisSet, RpyAngles
from mobod.scalar import Array
from mobod.spatial import Transform
from mobod.system.elements import argument

NAMES = ("x", "y", "z", "roll", "pitch", "yaw")
Ranges = Annotated[Sequence[Range], partial(checked_ranges, names=NAMES)]


@final
class FreeCoupling(Coupling):
    """Position in D, then roll, pitch and yaw (see RpyAngles).

    ranges  six, m and rad
    axes    "ZYX" or "XYZ"
    """

    ranges: Ranges = argument("of each coordinate, m or rad", default=(UNBOUNDED,) * 6, kw_only=False)
    axes: AxisSet = argument("the axes of roll, pitch and yaw", default="ZYX")

    @property
    def angles(self) -> RpyAngles:
        """The angles as functions of the rotation."""
        return RpyAngles(self.axes)

    def initialize_constraints(self) -> None:
        """Add the bilateral constraints, then the coordinates with their limits."""
        for (low, high), name in zip(self.ranges, NAMES, strict=True):
            self.add_coordinate(low, high, self.add_constraint(LINEAR if len(name) == 1 else ROTARY), name)

    def coordinates_to_TCD(self, coordinates: Array) -> Transform:
        """T_CD of the coordinates (n,): m, rad."""
        return Transform.of(self.angles.rotation(coordinates[3:]), coordinates[:3])

    def TCD_to_coordinates(self, TCD: Transform) -> Array:
        """The coordinates (n,) of a pose that satisfies the bilateral constraints: m, rad."""
        return np.concatenate([TCD.p, self.angles.angles(TCD.R, tuple(self.coordinates[3:]))])

    def project_to_constraints(self, TCD: Transform) -> Transform:
        """T_GD, the nearest pose that satisfies the bilateral constraints."""
        return TCD

    def update_constraints(self, TGD: Transform, TCD: Transform, errC: Array, velGD: Array, update_engaged: bool) -> None:
        """Set the wrenches that depend on the pose or on the coordinates, (6,) in G, the force first."""
        moments = self.angles.wrenches([each.value for each in self.coordinates[3:]])
        for i in range(3):
            self.constraint(i).wrench_G = np.array([*TGD.R[i], 0, 0, 0])
            self.constraint(3 + i).wrench_G = np.array([0, 0, 0, *moments[i]])
