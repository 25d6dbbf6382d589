"""Sensors: measures of what instruments on bodies would show."""

from mobod.sensors.force_torque import ForceTorque as ForceTorque
from mobod.sensors.frame_sensor import FrameSensor as FrameSensor
from mobod.sensors.imu import Imu as Imu
from mobod.sensors.joint_sensor import JointSensor as JointSensor

__all__ = ["ForceTorque", "FrameSensor", "Imu", "JointSensor"]
