"""Rates by central differences. They verify derivatives independently of how these were derived or recorded."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mobod.system import Stage, State, System

# order 6: Fornberg, Generation of finite difference formulas on arbitrarily spaced grids, Math. Comp. 51 (1988), table 1
_WEIGHTS = ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))
STEP = 2e-3


def central_difference(function: Callable[[float], ArrayLike], step: float = STEP) -> np.ndarray:
    """The derivative of function(h) at h = 0.

    For a frequency of 8 1/s, as of fast bodies, the relative truncation error is about 1e-13, the round-off about 2e-13.
    """
    total: Any = 0.0
    for steps, weight in _WEIGHTS:
        for sign in (1, -1):
            total = total + sign * weight * np.asarray(function(sign * steps * step))
    return np.asarray(total / step)


def estimated_difference(function: Callable[[float], ArrayLike]) -> tuple[np.ndarray, float]:
    """The derivative of function(h) at h = 0, and an estimate of its error: the difference from the result with twice the step."""
    fine, coarse = central_difference(function, STEP / 2), central_difference(function, STEP)
    return fine, float(np.abs(fine - coarse).max(initial=0.0))


def rate_along_motion(system: System, state: State, quantity: Callable[[State], ArrayLike], *, step: float = STEP) -> np.ndarray:
    """d/dt of quantity(state) for q moving with q_dot and u with u_dot at constant time. The State must be realized to ACCELERATION."""
    y, y_dot = state.y.copy(), state.y_dot.copy()

    def at(h: float) -> ArrayLike:
        moved = state.copy()
        moved.y = y + h * y_dot
        system.realize(moved, Stage.VELOCITY)
        return quantity(moved)

    return central_difference(at, step)


def rate_in_time(system: System, state: State, quantity: Callable[[State], ArrayLike], *, step: float = STEP) -> np.ndarray:
    """d/dt of quantity(state) for q moving with q_dot, u with u_dot, and time. The State must be realized to ACCELERATION."""

    def at(h: float) -> ArrayLike:
        later = state.copy()
        later.time = state.time + h
        system.realize(later, Stage.VELOCITY)
        return quantity(later)

    return rate_along_motion(system, state, quantity, step=step) + central_difference(at, step)
