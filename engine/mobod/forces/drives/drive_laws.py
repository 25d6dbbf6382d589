"""Recorded laws of drives: what a controller asks for, and the ranges of what it can give."""

from typing import Literal

import numpy as np

from mobod.scalar import Array, Scalar, clip, where
from mobod.spatial import cross

Control = Literal["position", "velocity", "force", "affine"]
Activation = Literal["none", "filter", "integrator", "muscle"]


def affine(control: Control, command: Scalar, kp: Scalar, kd: Scalar, gain: Scalar, offset: Scalar, length: Scalar, rate: Scalar) -> Scalar:
    """The force that a Servo asks for."""
    if control == "position":
        return kp * (command - length) - kd * rate + offset
    if control == "velocity":
        return kd * (command - rate) + offset
    return (gain * command if control == "affine" else command) + offset - kp * length - kd * rate


def activation_rate(activation: Activation, command: Scalar, z: Scalar, rise: Scalar, fall: Scalar) -> Scalar:
    """dz/dt of the activation z.

    'muscle': Thelen, Adjustment of muscle mechanics model parameters to simulate dynamic contractions in older adults, J. Biomechanical
    Engineering 125 (2003).
    """
    if activation == "filter":
        return (command - z) / rise
    if activation == "integrator":
        return command
    factor = 0.5 + 1.5 * z
    return (command - z) / where(command > z, rise * factor, fall / factor)


def servo(
    control: Control,
    activation: Activation,
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
    rise: Scalar = 0.0,
    fall: Scalar = 0.0,
    z: Array | None = None,
) -> tuple[Scalar | Array, ...]:
    """(force, unlimited force, power, force along the speed of a coordinate or of a tendon; the same if it is to be added; dz/dt).

    rise, fall, z  times and state of the activation, if it has one
    """
    length, rate = gear * q, gear * u
    given = clip(command, command_low, command_high)
    acting, z_dot = activated(activation, enabled, given, rise, fall, z)
    unlimited = affine(control, acting, kp, kd, gain, offset, length, rate)
    force = where(enabled, clip(unlimited, force_low, force_high), 0.0)
    return force, unlimited, force * rate, gear * force, *([gear * force] if adds else []), *z_dot


def activated(
    activation: Activation, enabled: Scalar, command: Scalar, rise: Scalar, fall: Scalar, z: Array | None
) -> tuple[Scalar, tuple[Array, ...]]:
    """(what the law takes for the command, dz/dt if there is an activation)."""
    if z is None:
        return command, ()
    return z[0], (np.array([where(enabled, activation_rate(activation, command, z[0], rise, fall), 0.0)]),)


def site_servo(
    control: Control,
    activation: Activation,
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
    rise: Scalar = 0.0,
    fall: Scalar = 0.0,
    z: Array | None = None,
) -> tuple[Scalar | Array, ...]:
    """(force, unlimited force, power, the wrench on the body about the origin of M; dz/dt): of a site, whose length is 0."""
    R_GS, arm = R_GB @ R_BS, r + R_GB @ p_BS
    torque, push = R_GS @ wrench[:3], R_GS @ wrench[3:]
    rate = torque @ V_GM[:3] + push @ (V_GM[3:] + cross(V_GM[:3], arm))
    acting, z_dot = activated(activation, enabled, clip(command, command_low, command_high), rise, fall, z)
    unlimited = affine(control, acting, kp, kd, gain, offset, 0.0, rate)
    force = where(enabled, clip(unlimited, force_low, force_high), 0.0)
    return force, unlimited, force * rate, force * np.concatenate([torque + cross(arm, push), push]), *z_dot


def shared(coefficient: Scalar, force: Scalar) -> Scalar:
    """The part of a tendon's force that acts along one coordinate."""
    return coefficient * force


def within(enabled: Scalar, low: Scalar, high: Scalar, total: Scalar) -> tuple[Scalar, Scalar]:
    """(the total in its range, what this adds to the total)."""
    limited = where(enabled, clip(total, low, high), total)
    return limited, limited - total


def same(force: Scalar) -> Scalar:
    return force
