"""Sensors of a robot."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, final

from mobod.files.robot.parts import RobotParts
from mobod.sensors import ForceTorque, Imu
from mobod.spatial import Transform


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class ImuOnLink:
    """An accelerometer and a gyroscope in frame S of a link."""

    name: str
    link: str
    X_LS: Transform
    line: int = 0


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class ForceTorqueOfJoint:
    """The force and the torque that a joint transmits from its parent to its child, at and along frame S of the child."""

    name: str
    joint: str
    X_CS: Transform
    line: int = 0


RobotSensor = ImuOnLink | ForceTorqueOfJoint


def add_sensors(parts: RobotParts, sensors: Iterable[RobotSensor]) -> None:
    """Add a measure for each; those of joints that have no body are left out, with a finding."""
    for sensor in sensors:
        _ADD[type(sensor)](parts, sensor)


def _imu(parts: RobotParts, sensor: ImuOnLink) -> None:
    Imu(parts.system, parts.body_of_link(sensor.link), sensor.X_LS, name=parts.free(sensor.name))


def _force_torque(parts: RobotParts, sensor: ForceTorqueOfJoint) -> None:
    if not parts.has_body(sensor.joint):
        parts.findings.note(
            "sensor", f"'{sensor.name}' is left out: joint '{sensor.joint}' closes a loop by a constraint.", sensor.line, joint=sensor.joint
        )
        return
    ForceTorque(parts.system, parts.body_of_joint(sensor.joint), sensor.X_CS, name=parts.free(sensor.name))


_ADD: Mapping[type, Callable[[RobotParts, Any], None]] = {ImuOnLink: _imu, ForceTorqueOfJoint: _force_torque}
