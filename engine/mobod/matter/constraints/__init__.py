"""One file for each kind of constraint: its equations, and the constraint that has them."""

from mobod.matter.constraints.ball import BallConstraint as BallConstraint
from mobod.matter.constraints.constant_acceleration import ConstantAcceleration as ConstantAcceleration
from mobod.matter.constraints.constant_angle import ConstantAngle as ConstantAngle
from mobod.matter.constraints.constant_coordinate import ConstantCoordinate as ConstantCoordinate
from mobod.matter.constraints.constant_orientation import ConstantOrientation as ConstantOrientation
from mobod.matter.constraints.constant_speed import ConstantSpeed as ConstantSpeed
from mobod.matter.constraints.coordinate_coupler import CoordinateCoupler as CoordinateCoupler
from mobod.matter.constraints.custom import CustomConstraint as CustomConstraint
from mobod.matter.constraints.no_slip import NoSlip1D as NoSlip1D
from mobod.matter.constraints.point_in_plane import PointInPlane as PointInPlane
from mobod.matter.constraints.point_on_line import PointOnLine as PointOnLine
from mobod.matter.constraints.point_on_plane_contact import PointOnPlaneContact as PointOnPlaneContact
from mobod.matter.constraints.prescribed_motion import PrescribedMotion as PrescribedMotion
from mobod.matter.constraints.regularised_joint_friction import RegularisedJointFriction as RegularisedJointFriction
from mobod.matter.constraints.rigid_joint_friction import RigidJointFriction as RigidJointFriction
from mobod.matter.constraints.rod import Rod as Rod
from mobod.matter.constraints.speed_coupler import SpeedCoupler as SpeedCoupler
from mobod.matter.constraints.sphere_on_plane_contact import SphereOnPlaneContact as SphereOnPlaneContact
from mobod.matter.constraints.weld import WeldConstraint as WeldConstraint
