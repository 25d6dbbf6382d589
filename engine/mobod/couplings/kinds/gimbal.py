"""GimbalCoupling: three rotations about axes that meet, one after the other."""

from typing import final

import numpy as np

from mobod.couplings.coupling import Coupling
from mobod.couplings.records import BILATERAL, LINEAR, ROTARY, UNBOUNDED, Range
from mobod.couplings.rpy_angles import AxisSet, RpyAngles
from mobod.scalar import Array
from mobod.spatial import Transform
from mobod.system.elements import argument


@final
class GimbalCoupling(Coupling):
    """Roll, pitch and yaw (see RpyAngles). Coordinates keep to the solution that is nearest to what they were.

    roll_range, pitch_range, yaw_range  rad
    axes                                "ZYX" or "XYZ"
    """

    roll_range: Range = argument("of the first angle, rad", default=UNBOUNDED, kw_only=False)
    pitch_range: Range = argument("of the second angle, rad", default=UNBOUNDED, kw_only=False)
    yaw_range: Range = argument("of the third angle, rad", default=UNBOUNDED, kw_only=False)
    axes: AxisSet = argument("the axes of roll, pitch and yaw", default="ZYX")

    @property
    def angles(self) -> RpyAngles:
        """The angles as functions of the rotation."""
        return RpyAngles(self.axes)

    def initialize_constraints(self) -> None:
        """Add the bilateral constraints, then the coordinates with their limits."""
        for i in range(3):
            self.add_constraint(BILATERAL | LINEAR, np.eye(6)[i])
        limits = [self.add_constraint(ROTARY) for _ in range(3)]
        self.add_coordinate(*self.roll_range, limits[0], "roll")
        self.add_coordinate(*self.pitch_range, limits[1], "pitch")
        self.add_coordinate(*self.yaw_range, limits[2], "yaw")

    def coordinates_to_TCD(self, coordinates: Array) -> Transform:
        """T_CD of the coordinates (n,): m, rad."""
        return Transform.of(self.angles.rotation(coordinates), np.zeros(3))

    def TCD_to_coordinates(self, TCD: Transform) -> Array:
        """The coordinates (n,) of a pose that satisfies the bilateral constraints: m, rad."""
        return self.angles.angles(TCD.R, tuple(self.coordinates))

    def project_to_constraints(self, TCD: Transform) -> Transform:
        """T_GD, the nearest pose that satisfies the bilateral constraints."""
        return Transform.of(TCD.R, np.zeros(3))

    def update_constraints(self, TGD: Transform, TCD: Transform, errC: Array, velGD: Array, update_engaged: bool) -> None:
        """Set the wrenches that depend on the pose or on the coordinates, (6,) in G, the force first."""
        moments = self.angles.wrenches([each.value for each in self.coordinates])
        for i, moment in zip((3, 4, 5), moments, strict=True):
            self.constraint(i).wrench_G = np.array([0, 0, 0, *moment])
