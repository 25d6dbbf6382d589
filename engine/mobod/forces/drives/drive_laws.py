"""Recorded laws of drives: what a controller asks for, and the ranges of what it can give."""

from typing import Literal

import numpy as np

from mobod.scalar import Array, Scalar, clip, where
from mobod.spatial import cross

Control = Literal["position", "velocity", "force", "affine"]
Activation = Literal["none", "filter", "integrator", "muscle"]


def affine(
    control: Control,
    command: Scalar,
    kp: Scalar,
    kd: Scalar,
    gain: Scalar,
    gain_length: Scalar,
    gain_rate: Scalar,
    offset: Scalar,
    length: Scalar,
    rate: Scalar,
) -> Scalar:
    """The force that a Servo asks for."""
    if control == "position":
        return kp * (command - length) - kd * rate + offset
    if control == "velocity":
        return kd * (command - rate) + offset
    driven = (gain + gain_length * length + gain_rate * rate) * command if control == "affine" else command
    return driven + offset - kp * length - kd * rate


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
    gain_length: Scalar,
    gain_rate: Scalar,
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
    unlimited = affine(control, acting, kp, kd, gain, gain_length, gain_rate, offset, length, rate)
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
    gain_length: Scalar,
    gain_rate: Scalar,
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
    unlimited = affine(control, acting, kp, kd, gain, gain_length, gain_rate, offset, 0.0, rate)
    force = where(enabled, clip(unlimited, force_low, force_high), 0.0)
    return force, unlimited, force * rate, force * np.concatenate([torque + cross(arm, push), push]), *z_dot


def site_servo_of_two(
    control: Control,
    activation: Activation,
    axes: str,
    enabled: Scalar,
    command: Scalar,
    kp: Scalar,
    kd: Scalar,
    gain: Scalar,
    gain_length: Scalar,
    gain_rate: Scalar,
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
    R_BR: Array,
    p_BR: Array,
    R_GB_R: Array,
    r_R: Array,
    V_GM_R: Array,
    rise: Scalar = 0.0,
    fall: Scalar = 0.0,
    z: Array | None = None,
) -> tuple[Scalar | Array, ...]:
    """(force, unlimited force, power, the wrench on the body about the origin of its M, that on the body of R; dz/dt)."""
    R_axes = R_GB @ R_BS if axes == "site" else R_GB_R @ R_BR
    torque, push = R_axes @ wrench[:3], R_axes @ wrench[3:]
    arm, arm_R = r + R_GB @ p_BS, r_R + R_GB_R @ p_BR
    v = V_GM[3:] + cross(V_GM[:3], arm) - V_GM_R[3:] - cross(V_GM_R[:3], arm_R)
    rate = torque @ (V_GM[:3] - V_GM_R[:3]) + push @ v
    acting, z_dot = activated(activation, enabled, clip(command, command_low, command_high), rise, fall, z)
    unlimited = affine(control, acting, kp, kd, gain, gain_length, gain_rate, offset, 0.0, rate)
    force = where(enabled, clip(unlimited, force_low, force_high), 0.0)
    on_body = force * np.concatenate([torque + cross(arm, push), push])
    on_reference = -force * np.concatenate([torque + cross(arm_R, push), push])
    return force, unlimited, force * rate, on_body, on_reference, *z_dot


def shared(coefficient: Scalar, force: Scalar) -> Scalar:
    """The part of a tendon's force that acts along one coordinate."""
    return coefficient * force


def within(enabled: Scalar, low: Scalar, high: Scalar, total: Scalar) -> tuple[Scalar, Scalar]:
    """(the total in its range, what this adds to the total)."""
    limited = where(enabled, clip(total, low, high), total)
    return limited, limited - total


def same(force: Scalar) -> Scalar:
    return force
