"""The equations of model_pendulum.c, written again in Python and integrated by SciPy."""

from collections.abc import Mapping
from itertools import pairwise

import numpy as np
from scipy.integrate import solve_ivp

PARAMETERS = {
    "rod.length": 0.8,
    "rod.mass": 1.3,
    "gravity.magnitude": 9.81,
    "gravity.enabled": 1.0,
    "damper.damping": 0.2,
    "damper.drag": 0.05,
    "drive.amplitude": 1.7,
    "drive.frequency": 3.1,
    "motor.torque": 0.0,
}
MOMENTS = np.array([0.4, 0.7, 0.9])  # kg m^2, of the free body
Y_START = np.array([0.4, 1, 0, 0, 0, -0.3, 0.7, 2.1, -0.2, 0])  # in the order of slave.STATES


def y_dot(t: float, y: np.ndarray, p: Mapping[str, float]) -> np.ndarray:
    angle, e, rate, spin = y[0], y[1:5], y[5], y[6:9]
    torque = (
        p["motor.torque"]
        + p["drive.amplitude"] * np.sin(p["drive.frequency"] * t)
        - p["damper.damping"] * rate
        - p["damper.drag"] * abs(rate) * rate
        - p["gravity.enabled"] * p["rod.mass"] * p["gravity.magnitude"] * p["rod.length"] * np.sin(angle)
    )
    e_dot = np.concatenate([[-e[1:] @ spin], e[0] * spin + np.cross(e[1:], spin)]) / 2
    spin_dot = -np.cross(spin, MOMENTS * spin) / MOMENTS
    return np.concatenate([[rate], e_dot, [torque / (p["rod.mass"] * p["rod.length"] ** 2)], spin_dot, [p["motor.torque"] * rate]])


def solution(until: float, changes: Mapping[float, Mapping[str, float]] | None = None, y_start: np.ndarray = Y_START) -> np.ndarray:
    """y at time `until`, from time 0; `changes` are the values that parameters and inputs take at their times."""
    parameters, y = dict(PARAMETERS), y_start
    changes = {0.0: {}, **(changes or {})}
    times = [*sorted(changes), until]
    for begin, end in pairwise(times):
        parameters |= changes[begin]
        y = solve_ivp(y_dot, (begin, end), y, method="DOP853", rtol=1e-12, atol=1e-13, args=(parameters,)).y[:, -1]
    return y
