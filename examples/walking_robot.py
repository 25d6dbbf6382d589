"""A quadruped whose servos follow a policy, as environments and as Systems that become FMUs (see 24_learning_to_walk.py)."""

from pathlib import Path
from typing import Any

import numpy as np

import mobod as mb
from mobod.scalar import where

LEGS = ("front_left", "front_right", "rear_left", "rear_right")
JOINTS = [f"{leg}_{joint}" for leg in LEGS for joint in ("abduction", "swing", "knee")]
STANCE = np.tile([0.0, 0.6, -1.2], 4)  # rad, of the joints
STEP, ACTION = 2e-3, 0.02  # s, a step of the integrator, and how long the servos keep their targets
FREQUENCY, REACH = 2.0, 0.5  # Hz, of the clock; rad, how far a target can be from the stance
OBSERVED = ["body.q", "body.u"]


class Servos(mb.CustomForce):
    """Each joint is driven towards its target by a spring and a damper."""

    targets: mb.Parameter[np.ndarray] = mb.parameter("rad", "of the joints", shape=(12,), default=tuple(STANCE), is_input=True)
    stiffness: mb.Parameter[float] = mb.parameter("N.m/rad", "of each servo", default=80.0, least=0.0)
    damping: mb.Parameter[float] = mb.parameter("N.m.s/rad", "of each servo", default=1.0, least=0.0)

    def calc_force(self, state, body_forces, mobility_forces):
        for name, target in zip(JOINTS, self.targets(state), strict=True):
            joint = self.matter.body(name)
            torque = self.stiffness(state) * (target - joint.q(state)[0]) - self.damping(state) * joint.u(state)[0]
            joint.my_part_u(state, mobility_forces)[:] += torque


class Push(mb.CustomForce):
    """Somebody pushes the body to its left or right for 0.2 s."""

    force: mb.Parameter[float] = mb.parameter("N", "along y", default=0.0)
    begins: mb.Parameter[float] = mb.parameter("s", "when it begins", default=0.0)

    def calc_force(self, state, body_forces, mobility_forces):
        since = state.time - self.begins(state)
        body_forces[self.matter.body("body").index, 4] += where(since >= 0, where(since < 0.2, self.force(state), 0.0), 0.0)


def quadruped() -> mb.MultibodySystem:
    """The robot of quadruped.urdf on the plane z = 0, with its legs bent. It shall walk along x."""
    system = mb.load_urdf(Path(__file__).with_name("quadruped.urdf"), floating_base=True, motors=False, contact="rigid")
    Servos(system.subsystems[-1], name="servos")
    Push(system.subsystems[-1], name="push")
    for name, angle in zip(JOINTS, STANCE, strict=True):
        system.matter.body(name).set_default_q(angle)
    system.matter.body("body").set_default_q([1, 0, 0, 0, 0, 0, 0.4 * np.cos(0.6) + 0.02])
    return system


def targets(weights: Any, time: Any, q: Any, u: Any) -> Any:
    """The policy: (..., 12) rad, the targets of the servos.

    weights  (..., 12, 12)  a row for each joint, a column for each feature
    time     (...) s
    q        (..., 7) quaternion and place of the body
    u        (..., 6) its angular and linear velocity
    """
    phase = 2 * np.pi * FREQUENCY * time
    tilt_and_yaw, rates = [2 * q[..., k] for k in (1, 2, 3)], [0.3 * u[..., k] for k in (0, 1, 2)]
    features = np.stack([0 * phase + 1, np.sin(phase), np.cos(phase), *tilt_and_yaw, *rates, u[..., 3], u[..., 4], q[..., 5]], axis=-1)
    return STANCE + REACH * np.tanh(np.sum(weights * features[..., None, :], axis=-1))


def reward(observations: np.ndarray, actions: np.ndarray, ensemble: mb.Ensemble) -> np.ndarray:
    """For speed along x and for not falling; less for going astray and for shaking."""
    yaw, rates, forward, aside = observations[:, 3], observations[:, 7:10], observations[:, 10], observations[:, 11]
    return np.clip(forward, -1.0, 0.6) + 0.4 - 0.5 * np.abs(aside) - np.abs(yaw) - 0.05 * np.abs(rates).sum(axis=1)


def has_fallen(observations: np.ndarray, ensemble: mb.Ensemble) -> np.ndarray:
    return (observations[:, 6] < 0.2) | (np.abs(observations[:, 1:3]).max(axis=1) > 0.35)


def slope(random: np.random.Generator) -> np.ndarray:
    """The direction of gravity on a floor that rises or falls by up to 3 %."""
    down = np.array([*random.uniform(-0.03, 0.03, 2), -1.0])
    return down / np.linalg.norm(down)


def rules() -> dict[str, Any]:
    """Of all environments. Each episode has another start, floor, robot and push."""
    feet = [f"floor_{leg}_foot" for leg in LEGS]
    return {
        "actions": {"servos.targets": (STANCE - 1.01 * REACH, STANCE + 1.01 * REACH)},
        "observations": OBSERVED,
        "randomize": {
            "push.force": (-60.0, 60.0),
            "push.begins": (0.5, 6.0),
            "servos.stiffness": (60.0, 100.0),
            "gravity.down": slope,
            "body.u": lambda random: random.uniform(-1, 1, 6) * [0.3, 0.3, 0.3, 0.2, 0.2, 0.2],
            **{f"{foot}.static_friction": (0.7, 1.0) for foot in feet},
            **{f"{foot}.dynamic_friction": (0.5, 0.7) for foot in feet},
        },
        "integrator": "velocity_level",
        "fixed_step": STEP,
        "frame_skip": round(ACTION / STEP),
    }


def policy(weights: np.ndarray) -> mb.MultibodySystem:
    """The policy as a System without bodies. Its output is targets.value."""
    system = mb.MultibodySystem("policy")
    q = mb.measures.Variable(system, [1.0, 0, 0, 0, 0, 0, 0], unit=("1", "1", "1", "1", "m", "m", "m"), name="q")
    u = mb.measures.Variable(system, np.zeros(6), unit=(*["rad/s"] * 3, *["m/s"] * 3), name="u")
    mb.measures.Custom(
        system,
        lambda state: targets(weights, state.time, q.value(state), u.value(state)),
        stage=mb.Stage.TIME,
        shape=(12,),
        unit="rad",
        name="targets",
    )
    return system
