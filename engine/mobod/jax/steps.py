"""Fixed steps in JAX, with the formulas of the C runtime."""

from collections.abc import Callable
from typing import Any, Literal

import jax.numpy as jnp
from jax import Array, lax

Integrator = Literal["RK4", "SemiImplicitEuler"]
Rates = Callable[[Any, Array], Array]


def rk4(rates: Rates, t: Any, y: Array, step: Any) -> Array:
    """y after a step. The four stages are a loop, so that the rates are compiled once.

    Source: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I (1993), section II.1.
    """

    def stage(carry: tuple[Array, Array], numbers: Array) -> tuple[tuple[Array, Array], None]:
        slope, total = carry
        node, weight = numbers
        slope = rates(t + node * step, y + node * step * slope)
        return (slope, total + weight * slope), None

    numbers = jnp.asarray([[0, 1 / 6], [0.5, 1 / 3], [0.5, 1 / 3], [1, 1 / 6]], y.dtype)
    (_, total), _ = lax.scan(stage, (jnp.zeros_like(y), jnp.zeros_like(y)), numbers)
    return y + step * total


def semi_implicit_euler(rates: Rates, t: Any, y: Array, step: Any, n_q: int) -> Array:
    """y after a step: speeds and auxiliary variables by the rates of the start, then coordinates by the rates at the new speeds."""
    later = y + step * rates(t, y)
    between = jnp.concatenate([y[:n_q], later[n_q:]])
    return jnp.concatenate([y[:n_q] + step * rates(t, between)[:n_q], later[n_q:]])


def normalized(y: Array, quaternions: list[int]) -> Array:
    """y with unit quaternions, of which the index of each first entry is given."""
    for first in quaternions:
        quaternion = y[first : first + 4]
        y = y.at[first : first + 4].set(quaternion / jnp.sqrt(jnp.sum(quaternion * quaternion)))
    return y
