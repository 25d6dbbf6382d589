"""The operations of recordings in JAX. A condition is 1 or 0, as in recordings, and any number other than 0 is true."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from mobod.scalar.table import StaticTable


def _number(condition: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *operands: jnp.where(condition(*operands), 1.0, 0.0)


def _interval(breakpoints: StaticTable, x: Any) -> Any:
    last = len(breakpoints) - 2
    return jnp.clip(jnp.searchsorted(breakpoints.numbers, x, side="right") - 1, 0, last).astype(jnp.result_type(x))


def _lookup(table: StaticTable, index: Any) -> Any:
    numbers = jnp.asarray(table.numbers, jnp.result_type(index))
    is_inside = (index > -1) & (index < len(table))
    return jnp.where(is_inside, numbers[jnp.where(is_inside, index, 0).astype(int)], jnp.nan)


IN_JAX: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
    "power": jnp.power,
    "arctan2": jnp.arctan2,
    "less": _number(lambda a, b: a < b),
    "less_equal": _number(lambda a, b: a <= b),
    "equal": _number(lambda a, b: a == b),
    "not_equal": _number(lambda a, b: a != b),
    "logical_and": _number(lambda a, b: (a != 0) & (b != 0)),
    "logical_or": _number(lambda a, b: (a != 0) | (b != 0)),
    "negative": lambda a: -a,
    "logical_not": _number(lambda a: a == 0),
    "absolute": jnp.abs,
    "sign": jnp.sign,
    "floor": jnp.floor,
    "sqrt": jnp.sqrt,
    "exp": jnp.exp,
    "log": jnp.log,
    "sin": jnp.sin,
    "cos": jnp.cos,
    "tan": jnp.tan,
    "arcsin": jnp.arcsin,
    "arccos": jnp.arccos,
    "arctan": jnp.arctan,
    "sinh": jnp.sinh,
    "cosh": jnp.cosh,
    "tanh": jnp.tanh,
    "where": lambda condition, a, b: jnp.where(condition != 0, a, b),
    "interval": _interval,
    "lookup": _lookup,
}
