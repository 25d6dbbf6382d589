"""Recorded laws of drives: what a controller asks for, and the ranges of what it can give."""

from typing import Literal, NamedTuple

import numpy as np

from mobod.scalar import Array, Scalar, clip, where
from mobod.spatial import cross

Control = Literal["position", "velocity", "force", "affine"]
Activation = Literal["none", "filter", "integrator", "muscle"]


class LawInputs(NamedTuple):
    """The first inputs of the laws of servos, by the names of the parameters that they are."""

    enabled: Scalar
    command: Scalar
    kp: Scalar
    kd: Scalar
    gain: Scalar
    gain_length: Scalar
    gain_rate: Scalar
    offset: Scalar
    command_low: Scalar
    command_high: Scalar
    force_low: Scalar
    force_high: Scalar

    def affine(self, control: Control, command: Scalar, length: Scalar, rate: Scalar) -> Scalar:
        """The force that the servo asks for."""
        if control == "position":
            return self.kp * (command - length) - self.kd * rate + self.offset
        if control == "velocity":
            return self.kd * (command - rate) + self.offset
        gain = self.gain + self.gain_length * length + self.gain_rate * rate
        return (gain * command if control == "affine" else command) + self.offset - self.kp * length - self.kd * rate

    def forces(
        self, control: Control, activation: Activation, length: Scalar, rate: Scalar, *of_activation: Scalar
    ) -> tuple[Scalar, Scalar, tuple[Scalar, ...]]:
        """(force, unlimited force, dz/dt if there is an activation); of_activation: its times of rising and falling, and its state z."""
        acting, z_dot = clip(self.command, self.command_low, self.command_high), tuple[Scalar, ...]()
        if of_activation:
            rise, fall, z = of_activation
            z_dot = (where(self.enabled, activation_rate(activation, acting, z, rise, fall), 0.0),)
            acting = z
        unlimited = self.affine(control, acting, length, rate)
        return where(self.enabled, clip(unlimited, self.force_low, self.force_high), 0.0), unlimited, z_dot


N_OF_LAW = len(LawInputs._fields)


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


def servo(control: Control, activation: Activation, adds: bool, *inputs: Scalar) -> tuple[Scalar, ...]:
    """(force, unlimited force, power, force along the speed of a coordinate or of a tendon; the same if it is to be added; dz/dt).

    inputs  those of the law; gear, q and u; those of the activation, if it has one
    """
    law, (gear, q, u, *of_activation) = LawInputs(*inputs[:N_OF_LAW]), inputs[N_OF_LAW:]
    length, rate = gear * q, gear * u
    force, unlimited, z_dot = law.forces(control, activation, length, rate, *of_activation)
    return force, unlimited, force * rate, gear * force, *([gear * force] if adds else []), *z_dot


def site_servo(
    control: Control, activation: Activation, wrench: Array, R_BS: Array, p_BS: Array, R_GB: Array, r: Array, V_GM: Array, *inputs: Scalar
) -> tuple[Scalar | Array, ...]:
    """(force, unlimited force, power, the wrench on the body about the origin of M; dz/dt): of a site, whose length is 0.

    inputs  those of the law; those of the activation, if it has one
    """
    law, of_activation = LawInputs(*inputs[:N_OF_LAW]), inputs[N_OF_LAW:]
    R_GS, arm = R_GB @ R_BS, r + R_GB @ p_BS
    torque, push = R_GS @ wrench[:3], R_GS @ wrench[3:]
    rate = torque @ V_GM[:3] + push @ (V_GM[3:] + cross(V_GM[:3], arm))
    force, unlimited, z_dot = law.forces(control, activation, 0.0, rate, *of_activation)
    return force, unlimited, force * rate, force * np.concatenate([torque + cross(arm, push), push]), *z_dot


def site_servo_of_two(
    control: Control,
    activation: Activation,
    axes: str,
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
    *inputs: Scalar,
) -> tuple[Scalar | Array, ...]:
    """(force, unlimited force, power, the wrench on the body about the origin of its M, that on the body of R; dz/dt).

    inputs  those of the law; those of the activation, if it has one
    """
    law, of_activation = LawInputs(*inputs[:N_OF_LAW]), inputs[N_OF_LAW:]
    R_axes = R_GB @ R_BS if axes == "site" else R_GB_R @ R_BR
    torque, push = R_axes @ wrench[:3], R_axes @ wrench[3:]
    arm, arm_R = r + R_GB @ p_BS, r_R + R_GB_R @ p_BR
    v = V_GM[3:] + cross(V_GM[:3], arm) - V_GM_R[3:] - cross(V_GM_R[:3], arm_R)
    rate = torque @ (V_GM[:3] - V_GM_R[:3]) + push @ v
    force, unlimited, z_dot = law.forces(control, activation, 0.0, rate, *of_activation)
    on_body = force * np.concatenate([torque + cross(arm, push), push])
    on_reference = -force * np.concatenate([torque + cross(arm_R, push), push])
    return force, unlimited, force * rate, on_body, on_reference, *z_dot


def wrench_of_site(force: Scalar, wrench: Array, R_GA: Array, R_AS: Array, R_GB: Array, r: Array, p_BS: Array) -> Array:
    """(6,) N m, N: of a force at the frame S of a body about the origin of its M; the axes of the wrench are those of S in A."""
    R_GS, arm = R_GA @ R_AS, r + R_GB @ p_BS
    torque, push = R_GS @ wrench[:3], R_GS @ wrench[3:]
    return force * np.concatenate([torque + cross(arm, push), push])


def reaction_of_site(force: Scalar, wrench: Array, *frames: Array) -> Array:
    """(6,) N m, N: the opposite wrench, at a frame of another body."""
    return wrench_of_site(-force, wrench, *frames)


def shared(coefficient: Scalar, force: Scalar) -> Scalar:
    """The part of a tendon's force that acts along one coordinate."""
    return coefficient * force


def within(enabled: Scalar, low: Scalar, high: Scalar, total: Scalar) -> tuple[Scalar, Scalar]:
    """(the total in its range, what this adds to the total)."""
    limited = where(enabled, clip(total, low, high), total)
    return limited, limited - total


def same(force: Scalar) -> Scalar:
    return force
