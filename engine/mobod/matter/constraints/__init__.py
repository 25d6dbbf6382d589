"""One file for each kind of constraint: its equations, and the constraint that has them."""

from mobod.matter.constraints.ball import BallConstraint
from mobod.matter.constraints.constant_acceleration import ConstantAcceleration
from mobod.matter.constraints.constant_angle import ConstantAngle
from mobod.matter.constraints.constant_coordinate import ConstantCoordinate
from mobod.matter.constraints.constant_orientation import ConstantOrientation
from mobod.matter.constraints.constant_speed import ConstantSpeed
from mobod.matter.constraints.coordinate_coupler import CoordinateCoupler
from mobod.matter.constraints.custom import CustomConstraint
from mobod.matter.constraints.no_slip import NoSlip1D
from mobod.matter.constraints.point_in_plane import PointInPlane
from mobod.matter.constraints.point_on_line import PointOnLine
from mobod.matter.constraints.point_on_plane_contact import PointOnPlaneContact
from mobod.matter.constraints.prescribed_motion import PrescribedMotion
from mobod.matter.constraints.rod import Rod
from mobod.matter.constraints.speed_coupler import SpeedCoupler
from mobod.matter.constraints.sphere_on_plane_contact import SphereOnPlaneContact
from mobod.matter.constraints.weld import WeldConstraint

__all__ = [
    "BallConstraint",
    "ConstantAcceleration",
    "ConstantAngle",
    "ConstantCoordinate",
    "ConstantOrientation",
    "ConstantSpeed",
    "CoordinateCoupler",
    "CustomConstraint",
    "NoSlip1D",
    "PointInPlane",
    "PointOnLine",
    "PointOnPlaneContact",
    "PrescribedMotion",
    "Rod",
    "SpeedCoupler",
    "SphereOnPlaneContact",
    "WeldConstraint",
]
