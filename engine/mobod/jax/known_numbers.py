"""The numbers of a State while a line of calls is computed."""

from collections.abc import Iterable, Sequence
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.core import Tracer

from mobod.scalar.slot import Slot


@final
class KnownNumbers:
    """Numbers by their offsets: those that were given or computed; all others are those of the start.

    given  offset -> an array of shape (), or a Python float where the structure fixes it
    start  the numbers of the State, where all computed ones are 0
    """

    def __init__(self, given: dict[int, Any], start: np.ndarray, dtype: np.dtype):
        self._known, self._start, self.dtype = given, start, dtype

    def at(self, offset: int) -> Any:
        known = self._known.get(offset)
        return float(self._start[offset]) if known is None else known

    def array(self, slot: Slot) -> Array:
        return self.stacked(slot.offsets).reshape(slot.shape)

    def stacked(self, offsets: Sequence[int]) -> Array:
        """(n,) of these offsets."""
        if not offsets:
            return jnp.zeros(0, self.dtype)
        numbers = [self.at(offset) for offset in offsets]
        if all(isinstance(each, float) for each in numbers):
            return jnp.asarray(numbers, self.dtype)
        return jnp.stack([jnp.asarray(each, self.dtype) for each in numbers])

    def clear(self, offsets: Iterable[int]) -> None:
        self._known.update(dict.fromkeys(offsets, 0.0))

    def put(self, offsets: Iterable[int], numbers: Iterable[Any]) -> None:
        """Set these, behind an optimization barrier: XLA would fuse a whole line otherwise, and compile it for very long."""
        self._known.update(_behind_a_barrier(dict(zip(offsets, numbers, strict=True))))

    def put_array(self, slot: Slot, numbers: Array) -> None:
        self.put(slot.offsets, numbers.ravel())


def _behind_a_barrier(found: dict[int, Any]) -> dict[int, Any]:
    arrays = {offset: value for offset, value in found.items() if isinstance(value, Tracer)}
    if not arrays or jax.config.jax_disable_jit:  # nothing is fused
        return found
    held = lax.optimization_barrier(tuple(arrays.values()))
    return {**found, **dict(zip(arrays, held, strict=True))}
