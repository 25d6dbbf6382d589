"""Recorded laws of drives: what a controller asks for, and the ranges of what it can give."""

from typing import Literal

import numpy as np

from mobod.scalar import Array, Scalar, clip, where
from mobod.spatial import cross

Control = Literal["position", "velocity", "force", "affine"]


def affine(control: Control, command: Scalar, kp: Scalar, kd: Scalar, gain: Scalar, offset: Scalar, length: Scalar, rate: Scalar) -> Scalar:
    """The force that a Servo asks for."""
    if control == "position":
        return kp * (command - length) - kd * rate + offset
    if control == "velocity":
        return kd * (command - rate) + offset
    return (gain * command if control == "affine" else command) + offset - kp * length - kd * rate


def servo(
    control: Control,
    adds: bool,
    enabled: Scalar,
    command: Scalar,
    kp: Scalar,
    kd: Scalar,
    gain: Scalar,
    offset: Scalar,
    command_low: Scalar,
    command_high: Scalar,
    force_low: Scalar,
    force_high: Scalar,
    gear: Scalar,
    q: Scalar,
    u: Scalar,
) -> tuple[Scalar, ...]:
    """(force, unlimited force, power, force along the speed of a coordinate or of a tendon; the same if it is to be added)."""
    length, rate = gear * q, gear * u
    unlimited = affine(control, clip(command, command_low, command_high), kp, kd, gain, offset, length, rate)
    force = where(enabled, clip(unlimited, force_low, force_high), 0.0)
    return force, unlimited, force * rate, gear * force, *([gear * force] if adds else [])


def site_servo(
    control: Control,
    enabled: Scalar,
    command: Scalar,
    kp: Scalar,
    kd: Scalar,
    gain: Scalar,
    offset: Scalar,
    command_low: Scalar,
    command_high: Scalar,
    force_low: Scalar,
    force_high: Scalar,
    wrench: Array,
    R_BS: Array,
    p_BS: Array,
    R_GB: Array,
    r: Array,
    V_GM: Array,
) -> tuple[Scalar, Scalar, Scalar, Array]:
    """(force, unlimited force, power, the wrench on the body about the origin of M): of a site, whose length is 0."""
    R_GS, arm = R_GB @ R_BS, r + R_GB @ p_BS
    torque, push = R_GS @ wrench[:3], R_GS @ wrench[3:]
    rate = torque @ V_GM[:3] + push @ (V_GM[3:] + cross(V_GM[:3], arm))
    unlimited = affine(control, clip(command, command_low, command_high), kp, kd, gain, offset, 0.0, rate)
    force = where(enabled, clip(unlimited, force_low, force_high), 0.0)
    return force, unlimited, force * rate, force * np.concatenate([torque + cross(arm, push), push])


def shared(coefficient: Scalar, force: Scalar) -> Scalar:
    """The part of a tendon's force that acts along one coordinate."""
    return coefficient * force


def within(enabled: Scalar, low: Scalar, high: Scalar, total: Scalar) -> tuple[Scalar, Scalar]:
    """(the total in its range, what this adds to the total)."""
    limited = where(enabled, clip(total, low, high), total)
    return limited, limited - total


def same(force: Scalar) -> Scalar:
    return force
