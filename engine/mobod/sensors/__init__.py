"""Sensors: measures of what instruments on bodies would show."""

from mobod.sensors.force_torque import ForceTorque as ForceTorque
from mobod.sensors.frame_quantity import FrameQuantity as FrameQuantity
from mobod.sensors.frame_sensor import FrameSensor as FrameSensor
from mobod.sensors.imu import Imu as Imu
from mobod.sensors.joint_sensor import JointSensor as JointSensor
from mobod.sensors.range_finder import RangeFinder as RangeFinder
from mobod.sensors.readout import Readout as Readout
from mobod.sensors.sampled import Sampled as Sampled
from mobod.sensors.shape_distance import ShapeDistance as ShapeDistance
from mobod.sensors.subtree_quantity import SubtreeQuantity as SubtreeQuantity
from mobod.sensors.touch import Touch as Touch

__all__ = [
    "ForceTorque",
    "FrameQuantity",
    "FrameSensor",
    "Imu",
    "JointSensor",
    "RangeFinder",
    "Readout",
    "Sampled",
    "ShapeDistance",
    "SubtreeQuantity",
    "Touch",
]
