"""The calls of a model's sweeps as one straight line of JAX operations."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.core import Tracer

from mobod.compilation.liveness import LiveCall, LiveSweep
from mobod.jax.operations import IN_JAX
from mobod.scalar.procedure import Procedure
from mobod.scalar.recording import reachable
from mobod.scalar.sweep import Kind, kept_by_kind
from mobod.system import Stage

Numbers = dict[int, Any]
"""offset -> the number: a Python float where it is fixed, else an array of shape ()"""


@dataclass(frozen=True)
class _CallCode:
    """What a call computes.

    entries  (number of the entry, its operation, its operands), in order: those of 'symbol' are the input and the entry that it is
    results  (output, its entry, number), and whether the result is added
    """

    entries: tuple[tuple[int, str, Any], ...]
    results: tuple[tuple[int, int, int, bool], ...]


@final
class CallLine:
    """The live calls of sweeps, in order.

    After each call there is an optimization barrier: XLA would fuse the whole line otherwise, and compile it for very long.
    """

    def __init__(self, sweeps: Mapping[Stage, LiveSweep]):
        self._parts: list[tuple[list[tuple[int, int]], list[LiveCall]]] = []
        for sweep in sweeps.values():
            calls = [each for each in sweep.calls if isinstance(each, LiveCall)]
            assert not any(isinstance(each, Procedure) for each in sweep.calls)  # see unsupported.py
            self._parts.append((list(sweep.clears), calls))

    def written(self) -> set[int]:
        """The offsets that it sets."""
        slots = (call.call.outputs[i] for _, calls in self._parts for call in calls for i in call.kind.live)
        return {offset for slot in slots for offset in slot.offsets}

    def run(self, numbers: Numbers, start: np.ndarray) -> None:
        """Add what the calls compute to the known numbers. start: the numbers that are not among these"""
        for clears, calls in self._parts:
            for first, count in clears:
                numbers.update(dict.fromkeys(range(first, first + count), 0.0))
            for call in calls:
                _do(call, numbers, start)


def _do(call: LiveCall, numbers: Numbers, start: np.ndarray) -> None:
    kind = call.kind
    code, inputs, outputs = _code(kind.kind, kind.live, kind.adds), call.call.inputs, call.call.outputs

    def number_at(offset: int) -> Any:
        known = numbers.get(offset)
        return float(start[offset]) if known is None else known

    values: dict[int, Any] = {}
    for number, operation, operands in code.entries:
        if operation == "symbol":
            values[number] = number_at(inputs[operands[0]].offset + operands[1])
        elif operation in ("constant", "table"):
            values[number] = operands
        else:
            values[number] = IN_JAX[operation](*[values[operand] for operand in operands])
    found = {}
    for i, k, number, is_added in code.results:
        offset, value = outputs[i].offset + k, values[number]
        before = number_at(offset) if is_added else None
        found[offset] = value if before is None or _is_zero(before) else before if _is_zero(value) else before + value
    numbers.update(_behind_a_barrier(found))


def _is_zero(value: Any) -> bool:
    return isinstance(value, float) and value == 0


def _behind_a_barrier(found: Numbers) -> Numbers:
    arrays = {offset: value for offset, value in found.items() if isinstance(value, Tracer)}
    if not arrays or jax.config.jax_disable_jit:  # nothing is fused
        return found
    held = lax.optimization_barrier(tuple(arrays.values()))
    return {**found, **dict(zip(arrays, held, strict=True))}


@kept_by_kind
def _code(kind: Kind, live: frozenset[int], adds: frozenset[int]) -> _CallCode:
    recording = kind.recording().with_outputs(live)
    place = {entry.number: (i, k) for i, array in enumerate(recording.inputs) for k, entry in enumerate(array.flat)}
    results = [(i, k, entry) for i, output in enumerate(recording.outputs) for k, entry in enumerate(output.flat)]
    entries = []
    for number in reachable(recording.tape, [entry for _, _, entry in results]):
        operation, operands = recording.tape.entries[number]
        if operation == "constant":
            operands = float(operands)
        entries.append((number, operation, place[number] if operation == "symbol" else operands))
    return _CallCode(tuple(entries), tuple((i, k, entry.number, i in adds) for i, k, entry in results))


def stacked(numbers: Iterable[Any], dtype: Any) -> Array:
    """One array of numbers."""
    return jnp.stack([jnp.asarray(each, dtype) for each in numbers]) if (numbers := list(numbers)) else jnp.zeros(0, dtype)
