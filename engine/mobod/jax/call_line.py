"""The calls of a model's sweeps as one straight line of JAX operations."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

from mobod.compilation.calls.liveness import LiveCall, LiveSweep
from mobod.errors import UnsupportedError
from mobod.jax.held_rows import HeldRows
from mobod.jax.known_numbers import KnownNumbers
from mobod.jax.matrix_steps import MatrixStep
from mobod.jax.operations import IN_JAX
from mobod.matter.constraint_rows.multipliers import MultiplierSolve, RowElimination
from mobod.matter.dynamics.matrix_steps import MatrixProduct, SumInverse
from mobod.scalar.procedure import Procedure
from mobod.scalar.recording import reachable
from mobod.scalar.sweep import Kind, kept_by_kind
from mobod.system import Stage


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
    """The live calls of sweeps, in order, with an optimization barrier after each."""

    def __init__(self, sweeps: Mapping[Stage, LiveSweep]):
        self._parts: list[tuple[list[tuple[int, int]], list[LiveCall | HeldRows | MatrixStep]]] = []
        for sweep in sweeps.values():
            calls = [_call(each) for each in sweep.calls if not isinstance(each, RowElimination)]
            self._parts.append((list(sweep.clears), calls))

    def written(self) -> set[int]:
        """The offsets that recorded calls and steps on matrices set."""
        calls = [call for _, calls in self._parts for call in calls]
        slots = [call.call.outputs[i] for call in calls if isinstance(call, LiveCall) for i in call.kind.live]
        slots += [call.output for call in calls if isinstance(call, MatrixStep)]
        return {offset for slot in slots for offset in slot.offsets}

    def run(self, numbers: KnownNumbers) -> None:
        """Add what the calls compute to the known numbers."""
        for clears, calls in self._parts:
            for first, count in clears:
                numbers.clear(range(first, first + count))
            for call in calls:
                if isinstance(call, HeldRows):
                    call.put_forces(numbers)
                elif isinstance(call, MatrixStep):
                    call.put_result(numbers)
                else:
                    _do(call, numbers)


def _call(call: LiveCall | Procedure) -> LiveCall | HeldRows | MatrixStep:
    if isinstance(call, MultiplierSolve):
        return HeldRows(call.table)  # with the elimination of rows, whose results nothing else reads
    if isinstance(call, (MatrixProduct, SumInverse)):
        return MatrixStep(call)
    if isinstance(call, Procedure):  # the others are refused by the names of their elements: see unsupported.py
        raise UnsupportedError(f"to_jax: {call.name}, for a measure that is a rate, is not a function of JAX. Use jax.jvp for the rate.")
    return call


def _do(call: LiveCall, numbers: KnownNumbers) -> None:
    kind = call.kind
    code, inputs, outputs = _code(kind.kind, kind.live, kind.adds), call.call.inputs, call.call.outputs
    values: dict[int, Any] = {}
    for number, operation, operands in code.entries:
        if operation == "symbol":
            values[number] = numbers.at(inputs[operands[0]].offset + operands[1])
        elif operation in ("constant", "table"):
            values[number] = operands
        else:
            values[number] = IN_JAX[operation](*[values[operand] for operand in operands])
    found = {}
    for i, k, number, is_added in code.results:
        offset, value = outputs[i].offset + k, values[number]
        before = numbers.at(offset) if is_added else None
        found[offset] = value if before is None or _is_zero(before) else before if _is_zero(value) else before + value
    numbers.put(found, found.values())


def _is_zero(value: Any) -> bool:
    return isinstance(value, float) and value == 0


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
