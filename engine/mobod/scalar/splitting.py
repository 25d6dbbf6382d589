"""Splits a recording for calls that form a chain, each of which needs results of the one before it.

Three parts give the same numbers, by the same operations: `early`, which needs nothing of the call before; `core`, the results that the
next call needs; and `late`, all other results. Only the core must be done in the order of the chain. The other parts of several calls can
be done side by side. What a later part needs of an earlier one is stored in between, in the early or the core part's array of stored
numbers.
"""

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Any, Final, final

import numpy as np

from mobod.scalar.expr import Expr
from mobod.scalar.operations import LEAVES
from mobod.scalar.recording import Recording

COSTS: Final = {"divide": 5, "sqrt": 5} | dict.fromkeys(
    ["power", "arctan2", "exp", "log", "sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh"], 20
)
"""The time of operations, in additions; 1 for others."""

_STORED = 1.5  # time of storing a number and reading it again, where a part of it is done for several calls at once
_SIDE_BY_SIDE = 0.3  # part of its time that an operation takes among several calls


@final
@dataclass(frozen=True)
class Part:
    """A part of a recording.

    inputs   indices of the recording's inputs that it reads
    results  indices of the recording's outputs of the core that it reads as further inputs
    stored   for each array of stored numbers that it reads, as the last inputs: the entries of the tape
    outputs  indices of the recording's outputs that it computes
    stores   entries of the tape, the numbers that it stores; they are its last output, if there are any
    """

    inputs: tuple[int, ...]
    results: tuple[int, ...]
    stored: tuple[tuple[int, ...], ...]
    outputs: tuple[int, ...]
    stores: tuple[int, ...]

    @property
    def is_empty(self) -> bool:
        return not self.outputs and not self.stores

    def values(self, recording: Recording, *arrays: np.ndarray) -> tuple[np.ndarray, ...]:
        """Its outputs as recorded scalars, from its inputs."""
        entries = recording.tape.entries
        given = [*(recording.inputs[i] for i in self.inputs), *(recording.outputs[i] for i in self.results)]
        numbers = [*([entry.number for entry in each.flat] for each in given), *self.stored]
        values: dict[int, Expr] = {}
        for each, array in zip(numbers, arrays, strict=True):
            values |= zip(each, np.ravel(array), strict=True)
        known = {number: value for number, value in values.items() if entries[number][0] != "constant"}
        tape = next(iter(values.values())).tape
        for number in _reached(entries, [*_numbers(recording, self.outputs), *self.stores], known):
            operation, operands = entries[number]
            if operation == "constant":
                known[number] = tape.constant(operands)
            elif operation == "table":
                known[number] = tape.table(operands)
            elif number not in known:
                known[number] = tape.apply(operation, *(known[operand] for operand in operands))
        outputs = [_filled([known[entry.number] for entry in recording.outputs[i].flat], recording.outputs[i].shape) for i in self.outputs]
        return (*outputs, *([_filled([known[number] for number in self.stores], (len(self.stores),))] if self.stores else []))


@final
@dataclass(frozen=True)
class Split:
    """The parts, of which early and late may be empty."""

    early: Part
    core: Part
    late: Part


def split(recording: Recording, from_before: frozenset[int], for_next: frozenset[int], adds: frozenset[int], *, with_early: bool) -> Split:
    """Split a recording.

    from_before  indices of the inputs that the call before sets
    for_next     indices of the outputs that the next call needs
    adds         indices of the outputs that are added to sums, and so cannot be read as results
    with_early   whether there may be an early part
    """
    entries = recording.tape.entries
    serial = {entry.number for i in from_before for entry in recording.inputs[i].flat}
    for number in recording.needed:
        if _is_computed(entries, number) and not serial.isdisjoint(entries[number][1]):
            serial.add(number)
    wanted = _numbers(recording, for_next)
    early = _frontier(entries, wanted, set(), lambda number: number not in serial) if with_early else set[int]()
    early = _without_cheap_ones(entries, early, set(), 1 - _SIDE_BY_SIDE)
    core = {number for number in _reached(entries, wanted, early) if number not in early}
    in_late = [i for i, each in enumerate(recording.outputs) if i not in for_next and not core.issuperset(_computed(recording, each))]
    in_core = [i for i, each in enumerate(recording.outputs) if each.size and i not in in_late]
    readable = {number: i for i in in_core if i not in adds for number in _computed(recording, recording.outputs[i])}
    known, wanted = {*early, *readable}, _numbers(recording, in_late)
    kept = _frontier(entries, wanted, known, lambda number: number in core)
    kept = _without_cheap_ones(entries, kept, known, _SIDE_BY_SIDE)
    late = _reached(entries, wanted, {*known, *kept})
    stored = [tuple(sorted(each)) for each in (early, kept)]
    return Split(
        early=_part(recording, (), stored[0], (), ()),
        core=_part(recording, in_core, stored[1], (), stored[:1]),
        late=_part(recording, in_late, (), sorted({readable[number] for number in late if number in readable}), stored),
    )


def _part(
    recording: Recording, outputs: Sequence[int], stores: tuple[int, ...], results: Sequence[int], stored: Sequence[tuple[int, ...]]
) -> Part:
    """The part with these outputs; of what is stored it reads what it needs."""
    entries, read = recording.tape.entries, {number for i in results for number in _computed(recording, recording.outputs[i])}
    reached = set(_reached(entries, [*_numbers(recording, outputs), *stores], {*read, *(number for each in stored for number in each)}))
    symbols = {number for number in reached if entries[number][0] == "symbol"}
    return Part(
        inputs=tuple(i for i, each in enumerate(recording.inputs) if any(entry.number in symbols for entry in each.flat)),
        results=tuple(results),
        stored=tuple(each for each in stored if not reached.isdisjoint(each)),
        outputs=tuple(outputs),
        stores=stores,
    )


def _frontier(entries: Sequence[tuple[str, object]], wanted: Iterable[int], known: set[int], is_outside: Callable[[int], bool]) -> set[int]:
    """The computed entries outside at which the ways from the wanted ones end, if they end at no known one."""
    reached = (number for number in _reached(entries, wanted, known) if number not in known and _is_computed(entries, number))
    outside = {number for number in reached if is_outside(number)}
    return outside.intersection(_reached(entries, wanted, known | outside))


def _without_cheap_ones(entries: Sequence[tuple[str, Any]], frontier: set[int], known: set[int], time: float) -> set[int]:
    """The entries to store if others are computed again, from known ones, where this takes less time. time: of an operation."""
    stored, waiting = set(frontier), [-number for number in frontier]
    heapify(waiting)
    while waiting:
        number = -heappop(waiting)
        operation, operands = entries[number]
        more = {operand for operand in operands if _is_computed(entries, operand)} - stored - known
        if time * COSTS.get(operation, 1) + _STORED * len(more) < _STORED:
            stored = (stored - {number}) | more
            for operand in more:
                heappush(waiting, -operand)
    return stored


def _reached(entries: Sequence[tuple[str, Any]], wanted: Iterable[int], known: Container[int]) -> list[int]:
    """The entries on which the wanted ones depend, in order, with those that are known, but nothing on which only these depend."""
    seen, waiting = set[int](), list(wanted)
    while waiting:
        number = waiting.pop()
        if number not in seen:
            seen.add(number)
            if number not in known and _is_computed(entries, number):
                waiting += entries[number][1]
    return sorted(seen)


def _is_computed(entries: Sequence[tuple[str, object]], number: int) -> bool:
    return entries[number][0] not in LEAVES


def _computed(recording: Recording, array: np.ndarray) -> list[int]:
    return [entry.number for entry in array.flat if _is_computed(recording.tape.entries, entry.number)]


def _numbers(recording: Recording, outputs: Iterable[int]) -> list[int]:
    return [entry.number for i in outputs for entry in recording.outputs[i].flat]


def _filled(values: Sequence[Expr], shape: tuple[int, ...]) -> np.ndarray:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array.reshape(shape)
