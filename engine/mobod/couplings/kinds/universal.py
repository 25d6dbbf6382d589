"""UniversalCoupling and SkewedUniversalCoupling: two rotations about axes that meet."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal, final

import numpy as np

from mobod.couplings.coupling import Coupling
from mobod.couplings.projections import with_column_raised
from mobod.couplings.records import BILATERAL, LINEAR, ROTARY, UNBOUNDED, Range
from mobod.errors import InputError
from mobod.functions.checked import checked_number
from mobod.scalar import Array, Scalar
from mobod.spatial import Transform, rotation_about, rotation_x, rotation_y, rotation_z
from mobod.system.elements import argument

TwoAxes = Literal["ZY", "XY"]


def checked_skew(value: object, what: str) -> float:
    """Raises InputError for an angle at which both axes are one."""
    skew = checked_number(value, what)
    if not abs(skew) < np.pi / 2:
        raise InputError(f"{what} is {skew} rad. It lies between -pi/2 and pi/2, where both axes would be one.")
    return skew


Skew = Annotated[float, checked_skew]


@final
@dataclass(frozen=True)
class RollAndPitch:
    """Roll about z, then pitch about an axis that lies in the turned y-z plane, `skew` (rad) from y towards z.

    For axes XY it is the same with x for z, seen from axes that are turned by a quarter about y.
    """

    axes: TwoAxes = "ZY"
    skew: float = 0.0

    def rotation(self, roll: Scalar, pitch: Scalar) -> Array:
        return self._from_zy(rotation_z(roll) @ self._pitched(pitch))

    def angles(self, R: Array) -> tuple[Scalar, Scalar]:
        R = self._to_zy(R)
        ca, sa = np.cos(self.skew), np.sin(self.skew)
        pitch = np.arctan2(-R[2, 0], (R[2, 2] - sa * sa) / ca)
        rolled = R @ self._pitched(-pitch)
        return np.arctan2(rolled[1, 0], rolled[0, 0]), pitch

    def projected(self, R: Array) -> Array:
        """The shortest rotation to where the pitch axis has its angle with the roll axis."""
        tilted = rotation_x(self.skew)
        return self._from_zy(with_column_raised(self._to_zy(R) @ tilted, 1, self.skew) @ tilted.T)

    def wrenches(self, R: Array, roll: Scalar) -> Array:
        """(3, 3) moments in the turned frame: the one that is not allowed, those that limit pitch and roll."""
        cr, sr, ca, ta = np.cos(roll), np.sin(roll), np.cos(self.skew), np.tan(self.skew)
        moments = np.array([[cr, sr, 0], [-sr / ca, cr / ca, 0], [ta * sr, -ta * cr, 1]])
        if self.axes == "XY":
            moments = np.array([[-1], [1], [1]]) * moments @ rotation_quarter().T
        return moments @ R

    def _pitched(self, pitch: Scalar) -> Array:
        return rotation_about([0, np.cos(self.skew), np.sin(self.skew)], pitch)

    def _from_zy(self, R: Array) -> Array:
        return R if self.axes == "ZY" else rotation_quarter() @ R @ rotation_quarter().T

    def _to_zy(self, R: Array) -> Array:
        return R if self.axes == "ZY" else rotation_quarter().T @ R @ rotation_quarter()


def rotation_quarter() -> np.ndarray:
    """About y, exactly: z becomes x."""
    return np.round(rotation_y(np.pi / 2))


@final
class UniversalCoupling(Coupling):
    """Roll and pitch about axes that meet (see RollAndPitch).

    roll_range, pitch_range  rad
    axes                     "ZY" or "XY"
    skew                     rad, of the pitch axis from the perpendicular of the roll axis
    """

    roll_range: Range = argument("of the first angle, rad", default=UNBOUNDED, kw_only=False)
    pitch_range: Range = argument("of the second angle, rad", default=UNBOUNDED, kw_only=False)
    axes: TwoAxes = argument("the axes of roll and pitch", default="ZY")
    skew: Skew = argument("angle of the pitch axis from the perpendicular of the roll axis, rad", default=0.0)

    @property
    def angles(self) -> RollAndPitch:
        """The angles as functions of the rotation."""
        return RollAndPitch(self.axes, self.skew)

    def initialize_constraints(self) -> None:
        """Add the bilateral constraints, then the coordinates with their limits."""
        self.add_constraint(BILATERAL | LINEAR, [1, 0, 0, 0, 0, 0])
        self.add_constraint(BILATERAL | LINEAR, [0, 1, 0, 0, 0, 0])
        self.add_constraint(BILATERAL | LINEAR, [0, 0, 1, 0, 0, 0])
        self.add_constraint(BILATERAL | ROTARY)
        pitch_limit, roll_limit = self.add_constraint(ROTARY), self.add_constraint(ROTARY)
        self.add_coordinate(*self.roll_range, roll_limit, "roll")
        self.add_coordinate(*self.pitch_range, pitch_limit, "pitch")

    def coordinates_to_TCD(self, coordinates: Array) -> Transform:
        """T_CD of the coordinates (n,): m, rad."""
        return Transform.of(self.angles.rotation(*coordinates), np.zeros(3))

    def TCD_to_coordinates(self, TCD: Transform) -> Array:
        """The coordinates (n,) of a pose that satisfies the bilateral constraints: m, rad."""
        roll, pitch = self.angles.angles(TCD.R)
        return np.array([self.coordinate(0).nearest_angle(roll), self.coordinate(1).nearest_angle(pitch)])

    def project_to_constraints(self, TCD: Transform) -> Transform:
        """T_GD, the nearest pose that satisfies the bilateral constraints."""
        return Transform.of(self.angles.projected(TCD.R), np.zeros(3))

    def update_constraints(self, TGD: Transform, TCD: Transform, errC: Array, velGD: Array, update_engaged: bool) -> None:
        """Set the wrenches that depend on the pose or on the coordinates, (6,) in G, the force first."""
        moments = self.angles.wrenches(TGD.R, self.coordinate(0).value)
        for i, moment in zip((3, 4, 5), moments, strict=True):
            self.constraint(i).wrench_G = np.array([0, 0, 0, *moment])


def SkewedUniversalCoupling(skew: float, **options: Any) -> UniversalCoupling:
    """UniversalCoupling whose axes are not perpendicular: `skew` (rad) less than that."""
    return UniversalCoupling(skew=skew, **options)
