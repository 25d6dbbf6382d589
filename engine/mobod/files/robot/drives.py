"""Drives of a robot: motors with laws and ranges, on joints, tendons and sites."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import Any, final

import numpy as np

from mobod.files.robot.added_joints import known_velocity
from mobod.files.robot.links import RobotSite
from mobod.files.robot.parts import RobotParts
from mobod.forces import FixedTendon, Servo, SiteServo
from mobod.forces.drives.drive_laws import Activation, Control


@final
@dataclass(frozen=True, kw_only=True)
class OnJoint:
    """Along a speed of a joint. gear: see mb.Servo."""

    joint: str
    speed: int = 0
    gear: float = 1.0


@final
@dataclass(frozen=True, kw_only=True)
class OnTendon:
    """Along a RobotTendon."""

    tendon: str
    gear: float = 1.0


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class OnSite:
    """A wrench (6,) [torque; force] for each unit of the drive's force, in the frame of a site; see mb.SiteServo.

    reference        the site that the reaction acts at; None: on Ground
    is_in_reference  whether the wrench is in the axes of the reference
    """

    site: str
    wrench: np.ndarray
    reference: str | None = None
    is_in_reference: bool = False


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class RobotDrive:
    """A drive. Its law and its ranges are those of mb.Servo, with the same names."""

    name: str
    at: OnJoint | OnTendon | OnSite
    control: Control = "force"
    command: float = 0.0
    kp: float = 0.0
    kd: float = 0.0
    gain: float = 1.0
    gain_length: float = 0.0
    gain_rate: float = 0.0
    offset: float = 0.0
    command_low: float = -inf
    command_high: float = inf
    force_low: float = -inf
    force_high: float = inf
    activation: Activation = "none"
    activation_at_start: float = 0.0
    rise_time: float = 0.01
    fall_time: float = 0.04
    line: int = 0


@final
@dataclass(frozen=True)
class DrivenThings:
    """What drives act on beside joints, by name."""

    tendons: Mapping[str, FixedTendon]
    sites: Mapping[str, RobotSite]


def add_drives(parts: RobotParts, drives: Iterable[RobotDrive], things: DrivenThings) -> None:
    """Add a Servo or SiteServo for each; one on a joint without coordinates is left out, with a finding."""
    for drive in drives:
        _ADD[type(drive.at)](parts, drive, things)


def _law(drive: RobotDrive) -> dict[str, Any]:
    """The arguments of its law."""
    names = [
        "control",
        "command",
        "kd",
        "gain",
        "gain_length",
        "gain_rate",
        "offset",
        "command_low",
        "command_high",
        "force_low",
        "force_high",
    ]
    if drive.activation != "none":
        names += ["activation", "activation_at_start", "rise_time", "fall_time"]
    return {name: value for name in names if (value := getattr(drive, name)) is not None and value not in (-inf, inf)}


def _on_joint(parts: RobotParts, drive: RobotDrive, things: DrivenThings) -> None:
    assert isinstance(drive.at, OnJoint)
    if not parts.moves(drive.at.joint):
        parts.findings.note("drive", f"drive '{drive.name}' is left out: joint '{drive.at.joint}' has no coordinates.", drive.line)
        return
    at, body, velocity = drive.at, parts.body_of_joint(drive.at.joint), known_velocity(parts.joints[drive.at.joint])
    if drive.control == "velocity" and velocity is not None:
        most = velocity * abs(at.gear)
        drive = replace(drive, command_low=max(drive.command_low, -most), command_high=min(drive.command_high, most))
    Servo(parts.forces, body, at.speed, gear=at.gear, kp=drive.kp, name=parts.free(drive.name), **_law(drive))


def _on_tendon(parts: RobotParts, drive: RobotDrive, things: DrivenThings) -> None:
    assert isinstance(drive.at, OnTendon)
    if drive.at.tendon not in things.tendons:
        parts.findings.note("drive", f"drive '{drive.name}' is left out, as tendon '{drive.at.tendon}' is.", drive.line)
        return
    tendon = things.tendons[drive.at.tendon]
    Servo(parts.forces, tendon=tendon, gear=drive.at.gear, kp=drive.kp, name=parts.free(drive.name), **_law(drive))


def _on_site(parts: RobotParts, drive: RobotDrive, things: DrivenThings) -> None:
    assert isinstance(drive.at, OnSite)
    site = things.sites[drive.at.site]
    body = parts.body_of_link(site.link)
    options = _law(drive)
    if drive.at.reference is not None:
        reference = things.sites[drive.at.reference]
        options |= {"reference": parts.body_of_link(reference.link), "reference_frame": reference.X_LS}
        options["axes"] = "reference" if drive.at.is_in_reference else "site"
    SiteServo(parts.forces, body, site.X_LS, wrench=drive.at.wrench, name=parts.free(drive.name), **options)


_ADD: Mapping[type, Callable[[RobotParts, RobotDrive, DrivenThings], None]] = {OnJoint: _on_joint, OnTendon: _on_tendon, OnSite: _on_site}
