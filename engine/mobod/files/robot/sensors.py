"""Sensors of a robot."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any, final

import numpy as np

from mobod.contact import ContactShape
from mobod.contact.contact_set import ContactSet
from mobod.files.robot.motors import further_of
from mobod.files.robot.parts import RobotParts
from mobod.files.robot.sizes import FARTHEST
from mobod.forces.drives.drive_limit import DriveLimit
from mobod.matter import MobilizedBody
from mobod.sensors import (
    ForceTorque,
    FrameQuantity,
    Imu,
    RangeFinder,
    Readout,
    ShapeDistance,
    SubtreeQuantity,
    Touch,
    frame_quantity,
    readout,
    subtree_quantity,
)
from mobod.sensors.touch import contacts_of
from mobod.spatial import Transform
from mobod.system.measures import Measure, Scale


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


@final
@dataclass(frozen=True, eq=False)
class FrameOnLink:
    """A frame S of a link: its name and X_LS."""

    link: str
    X_LS: Transform


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class MeasuredFrame:
    """See mb.FrameQuantity. seen_from: None for Ground."""

    name: str
    seen: FrameOnLink
    quantity: frame_quantity.Quantity
    seen_from: FrameOnLink | None = None
    vector: np.ndarray = field(default_factory=lambda: np.zeros(3))
    cutoff: float = 0.0


@final
@dataclass(frozen=True, kw_only=True)
class MeasuredSubtree:
    """See mb.SubtreeQuantity: of what a joint carries."""

    name: str
    joint: str
    quantity: subtree_quantity.Quantity
    cutoff: float = 0.0


@final
@dataclass(frozen=True, kw_only=True)
class MeasuredNumber:
    """See mb.Readout; of: the name of the joint, of the drive or of the tendon."""

    name: str
    quantity: readout.Quantity
    of: str = ""
    factor: float = 1.0
    cutoff: float = 0.0


@final
@dataclass(frozen=True, kw_only=True)
class MeasuredDrives:
    """The sum of the drive forces along a joint with one coordinate."""

    name: str
    joint: str
    cutoff: float = 0.0


@final
@dataclass(frozen=True, eq=False)
class ShapeOnLink:
    """A shape and its pose on a link."""

    link: str
    X_LS: Transform
    shape: ContactShape


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class MeasuredRange:
    """See mb.RangeFinder, which is called '<name>_ray': along z of a frame to the nearest of these shapes on other links.

    miss  m, shown where there is none
    """

    name: str
    seen_from: FrameOnLink
    shapes: tuple[ShapeOnLink, ...]
    miss: float
    cutoff: float = 0.0


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class MeasuredDistance:
    """See mb.ShapeDistance, which is called '<name>_shapes': the least distance between shapes and others, at most `most`, m."""

    name: str
    shapes: tuple[ShapeOnLink, ...]
    others: tuple[ShapeOnLink, ...]
    most: float


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class TouchedLink:
    """See mb.Touch, which is called '<name>_contacts': of all contacts of a link whose points lie in a zone at its frame S."""

    name: str
    seen: FrameOnLink
    zone: ContactShape
    cutoff: float = 0.0


RobotSensor = (
    ImuOnLink
    | ForceTorqueOfJoint
    | MeasuredFrame
    | MeasuredSubtree
    | MeasuredNumber
    | MeasuredDrives
    | MeasuredRange
    | MeasuredDistance
    | TouchedLink
)


def add_sensors(parts: RobotParts, sensors: Iterable[RobotSensor]) -> None:
    """Add a measure for each, when contacts are made; those of joints that have no body are left out, with a finding."""
    sensors = tuple(sensors)
    touching = [each.name for each in sensors if isinstance(each, TouchedLink)]
    has_contacts = bool(contacts_of(parts.system))
    if touching and not has_contacts:
        more = f" and {len(touching) - 1} others are" if len(touching) > 1 else " is"
        parts.findings.note(
            "sensor", f"touch sensor '{touching[0]}'{more} left out: there are no contacts. contact='rigid' or 'compliant' makes them."
        )
    for sensor in sensors:
        if has_contacts or not isinstance(sensor, TouchedLink):
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


def _frame(parts: RobotParts, sensor: MeasuredFrame) -> None:
    body = parts.body_of_link(sensor.seen.link)
    if sensor.quantity in ("force", "torque") and not isinstance(body, MobilizedBody):
        _left_out(parts, sensor.name, f"link '{sensor.seen.link}' is Ground, which has no parent")
        return
    seen_from = sensor.seen_from
    FrameQuantity(
        parts.system,
        body,
        sensor.seen.X_LS,
        quantity=sensor.quantity,
        reference=None if seen_from is None else parts.body_of_link(seen_from.link),
        reference_frame=None if seen_from is None else seen_from.X_LS,
        vector=sensor.vector,
        cutoff=sensor.cutoff,
        name=parts.free(sensor.name),
    )


def _subtree(parts: RobotParts, sensor: MeasuredSubtree) -> None:
    body = parts.body_of_joint(sensor.joint)
    SubtreeQuantity(parts.system, body, quantity=sensor.quantity, cutoff=sensor.cutoff, name=parts.free(sensor.name))


def _number(parts: RobotParts, sensor: MeasuredNumber) -> None:
    given: dict[str, Any] = {}
    if sensor.quantity in ("q", "u"):
        if not parts.moves(sensor.of):
            _left_out(parts, sensor.name, f"joint '{sensor.of}' has no coordinates")
            return
        given["body"] = parts.body_of_joint(sensor.of)
    elif sensor.of:
        force = next((each for each in parts.forces.elements if each.name == sensor.of), None)
        if force is None:
            _left_out(parts, sensor.name, f"'{sensor.of}' is left out")
            return
        given["force"] = force
    Readout(parts.system, sensor.quantity, factor=sensor.factor, cutoff=sensor.cutoff, name=parts.free(sensor.name), **given)


def _drives(parts: RobotParts, sensor: MeasuredDrives) -> None:
    if not parts.moves(sensor.joint):
        _left_out(parts, sensor.name, f"joint '{sensor.joint}' has no coordinates")
        return
    body = parts.body_of_joint(sensor.joint)
    limits = [each for each in parts.forces.elements if isinstance(each, DriveLimit) and each.body is body]
    if not limits:
        body.set_drive_limit(-inf, inf, further=further_of(parts, parts.joints[sensor.joint]))
    limit = next(each for each in parts.forces.elements if isinstance(each, DriveLimit) and each.body is body)
    Readout(parts.system, "force", force=limit, cutoff=sensor.cutoff, name=parts.free(sensor.name))


def _range(parts: RobotParts, sensor: MeasuredRange) -> None:
    body, X_BS, scene = parts.body_of_link(sensor.seen_from.link), sensor.seen_from.X_LS, ContactSet(parts.system.matter)
    for each in sensor.shapes:
        if (seen := parts.body_of_link(each.link)) is not body:
            scene.add(seen, each.shape, each.X_LS)
    if not scene.shapes:
        _left_out(parts, sensor.name, "there is nothing that it could see")
        return
    ray = RangeFinder(
        parts.system,
        body,
        scene,
        station=X_BS.p,
        direction=X_BS.R[:, 2],
        range=FARTHEST,
        cutoff=sensor.cutoff,
        miss=sensor.miss,
        name=parts.free(f"{sensor.name}_ray"),
    )
    _as_value(parts, sensor.name, ray)


def _distance(parts: RobotParts, sensor: MeasuredDistance) -> None:
    scene = ContactSet(parts.system.matter)
    placed = [
        [scene.add(parts.body_of_link(each.link), each.shape, each.X_LS) for each in group] for group in (sensor.shapes, sensor.others)
    ]
    _as_value(parts, sensor.name, ShapeDistance(parts.system, *placed, range=sensor.most, name=parts.free(f"{sensor.name}_shapes")))


def _touch(parts: RobotParts, sensor: TouchedLink) -> None:
    body = parts.body_of_link(sensor.seen.link)
    touching = [each for each in contacts_of(parts.system).values() if any(one is body for one in each.bodies)]
    if not touching:
        _left_out(parts, sensor.name, f"link '{sensor.seen.link}' has no contacts")
        return
    name = parts.free(f"{sensor.name}_contacts")
    touch = Touch(parts.system, touching, body, zone=sensor.zone, frame=sensor.seen.X_LS, cutoff=sensor.cutoff, name=name)
    _as_value(parts, sensor.name, touch)


def _as_value(parts: RobotParts, name: str, shown: Measure) -> None:
    """The variable '<name>.value', which sensors of a file have, of one that calls it otherwise."""
    Scale(parts.system, 1.0, shown, name=parts.free(name))


def _left_out(parts: RobotParts, name: str, reason: str) -> None:
    parts.findings.note("sensor", f"'{name}' is left out: {reason}.")


_ADD: Mapping[type, Callable[[RobotParts, Any], None]] = {
    ImuOnLink: _imu,
    ForceTorqueOfJoint: _force_torque,
    MeasuredFrame: _frame,
    MeasuredSubtree: _subtree,
    MeasuredNumber: _number,
    MeasuredDrives: _drives,
    MeasuredRange: _range,
    MeasuredDistance: _distance,
    TouchedLink: _touch,
}
