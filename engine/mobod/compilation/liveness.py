"""Liveness analysis: selects the rows and results that wanted values depend on, and the memory that must be cleared.

If the first row that adds to a cleared sum covers the whole slot, it sets the sum instead. Memory that is cleared but never written is
0 from the start and need not be cleared.

All rows of a kind compute every result that any of them needs, so that they share one C function. A few unused results, such as the
velocity of a leaf, which no child reads, cost less than a second function.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from mobod.scalar.adjoint import adjoint_twin
from mobod.scalar.procedure import Procedure, PythonProcedure
from mobod.scalar.recording import Recording
from mobod.scalar.slot import Slot, ranges
from mobod.scalar.sweep import Kind, Sweep, SweepRow, kept_by_kind
from mobod.system import Stage


@dataclass(frozen=True)
class LiveKind:
    """A kind in C.

    live      indices of the used results
    adds      those of them that are added to existing values
    overlaps  whether in some row a result overlaps an argument
    """

    kind: Kind
    live: frozenset[int]
    adds: frozenset[int]
    overlaps: bool

    def recording(self) -> Recording:
        return self.kind.recording().with_outputs(self.live)

    def tangent(self) -> Recording:
        return self.kind.tangent().with_outputs(self.live)

    def adjoint(self) -> Recording:
        return adjoint_of(self.kind, self.live)

    def added_sizes(self) -> dict[int, int]:
        """For each result that is added: its place among a row's arguments and results -> its number of entries."""
        recording = self.kind.recording()
        return {len(recording.inputs) + i: recording.outputs[i].size for i in sorted(self.adds)}


@kept_by_kind
def adjoint_of(kind: Kind, live: frozenset[int]) -> Recording:
    """The recording from the arrays and the adjoints of these results to the adjoints of the arrays."""
    return adjoint_twin(kind.recording().with_outputs(live))


@dataclass(frozen=True)
class LiveRow:
    row: SweepRow
    kind: LiveKind


@dataclass(frozen=True)
class RowsKind:
    """Several rows of one kind in one call, side by side."""

    kind: LiveKind
    n_rows: int


@dataclass(frozen=True)
class LiveRows:
    kind: RowsKind
    rows: tuple[LiveRow, ...]


@dataclass(frozen=True)
class LiveSweep:
    """The live part of a sweep. clears: (offset, count) of the ranges that are set to zero first."""

    clears: list[tuple[int, int]]
    rows: list[LiveRow | Procedure]


@dataclass(frozen=True)
class GroupedSweep:
    """The same with rows side by side (side_by_side.py)."""

    clears: list[tuple[int, int]]
    rows: list[LiveRow | LiveRows | Procedure]


class _NeededRow(NamedTuple):
    """A row and the indices of the results that it must compute."""

    row: SweepRow
    live: frozenset[int]


def live_sweeps(sweeps: dict[Stage, Sweep], wanted: Iterable[int]) -> dict[Stage, LiveSweep]:
    """The parts of the sweeps that compute the wanted offsets and their dependencies."""
    wanted = frozenset(wanted)
    computed: dict[Kind, frozenset[int]] = {}
    rows = _needed_rows(sweeps, wanted, computed)
    while (wider := _computed_by_kind(rows)) != computed:  # results that rows compute only for other rows of their kind need arguments too
        computed = wider
        rows = _needed_rows(sweeps, wanted, computed)
    written = {offset for each in rows.values() for row in each for slot in _written(row) for offset in _offsets(slot)}
    return {stage: _without_clears(sweeps[stage], each, written) for stage, each in rows.items()}


def whole_kinds(sweeps: Iterable[Sweep]) -> dict[Kind, LiveKind]:
    """The kinds of all rows, with all their results."""
    found: dict[Kind, LiveKind] = {}
    for row in (row for sweep in sweeps for row in sweep.rows if isinstance(row, SweepRow)):
        live, known = frozenset(range(len(row.outputs))), found.get(row.kind)
        if known is None or not known.overlaps:
            found[row.kind] = LiveKind(row.kind, live, row.kind.adds, _overlaps(row, live))
    return found


def _computed_by_kind(stages: dict[Stage, list[_NeededRow | Procedure]]) -> dict[Kind, frozenset[int]]:
    """For each kind the indices of the results that any of its rows computes."""
    computed: dict[Kind, frozenset[int]] = {}
    for rows in stages.values():
        for each in rows:
            if isinstance(each, _NeededRow):
                computed[each.row.kind] = computed.get(each.row.kind, frozenset()) | each.live
    return computed


def _needed_rows(
    sweeps: dict[Stage, Sweep], wanted: frozenset[int], computed: dict[Kind, frozenset[int]]
) -> dict[Stage, list[_NeededRow | Procedure]]:
    """The rows with a used result. They compute these, and the results `computed` by their kind.

    A result is used as a whole: if one entry is used, all are computed. A procedure in Python may read everything computed before it.
    """
    used = set(wanted)
    everything = set[int]()
    if any(isinstance(row, PythonProcedure) for sweep in sweeps.values() for row in sweep.rows):
        everything = {offset for sweep in sweeps.values() for row in sweep.rows for slot in row.outputs for offset in _offsets(slot)}
    kept: dict[Stage, list[_NeededRow | Procedure]] = {}
    for stage in sorted(sweeps, reverse=True):
        rows: list[_NeededRow | Procedure] = []
        for row in reversed(sweeps[stage].rows):
            if isinstance(row, Procedure):
                if not used.isdisjoint(offset for slot in row.outputs for offset in _offsets(slot)):
                    rows.append(row)
                    used.difference_update(offset for slot in row.outputs for offset in _offsets(slot))
                    used.update(everything if isinstance(row, PythonProcedure) else (k for slot in row.inputs for k in _offsets(slot)))
                continue
            live = frozenset(i for i, slot in enumerate(row.outputs) if not used.isdisjoint(_offsets(slot)))
            if live:
                live |= computed.get(row.kind, frozenset())
                rows.append(_NeededRow(row, live))
                for i in live - row.kind.adds:
                    used.difference_update(_offsets(row.outputs[i]))
                used.update(*_sources_of(row, live))
        kept[stage] = rows[::-1]
    return dict(sorted(kept.items()))


def _sources_of(row: SweepRow, live: frozenset[int]) -> list[range]:
    """The offsets on which these results depend."""
    return [range(row.inputs[i].offset + first, row.inputs[i].offset + end) for i, first, end in _sources(row.kind, live)]


@kept_by_kind
def _sources(kind: Kind, live: frozenset[int]) -> list[tuple[int, int, int]]:
    """The entries on which these results depend: of an input the entries from one to before another."""
    entries: dict[int, set[int]] = {}
    dependencies = kind.recording().dependencies
    for i, k in frozenset[tuple[int, int]]().union(*(entry for result in live for entry in dependencies[result])):
        entries.setdefault(i, set()).add(k)
    return [(i, first, first + count) for i, found in sorted(entries.items()) for first, count in ranges(sorted(found))]


def read_by(row: LiveRow | Procedure) -> set[int]:
    """The offsets of a row's inputs, without the sums to which it adds."""
    if isinstance(row, Procedure):
        return {offset for slot in row.inputs for offset in _offsets(slot)}
    return set[int]().union(*_sources_of(row.row, row.kind.live))


def _without_clears(sweep: Sweep, rows: list[_NeededRow | Procedure], written: set[int]) -> LiveSweep:
    """The sweep without unnecessary clears. written: offsets that any row of any stage writes."""
    cleared = {offset for slot in sweep.clears for offset in _offsets(slot)}
    fresh = set(cleared)  # cleared and not written since
    must_clear: set[int] = set()
    result: list[LiveRow | Procedure] = []
    for each in rows:
        if isinstance(each, Procedure):
            read = fresh if isinstance(each, PythonProcedure) else (offset for slot in each.inputs for offset in _offsets(slot))
            must_clear.update(offset for offset in read if offset in fresh and offset in written)
            fresh.difference_update(offset for slot in each.outputs for offset in _offsets(slot))
            result.append(each)
            continue
        row, live = each
        for slot in row.inputs:
            if not fresh.isdisjoint(_offsets(slot)):
                must_clear.update(offset for offset in _offsets(slot) if offset in fresh and offset in written)
        adds = set(row.kind.adds & live)
        for i in live:
            offsets = set(_offsets(row.outputs[i]))
            if i in adds:
                if offsets <= fresh and offsets.isdisjoint(must_clear):
                    adds.discard(i)
                else:
                    must_clear.update(offsets & fresh)
            fresh -= offsets
        result.append(LiveRow(row, LiveKind(row.kind, live, frozenset(adds), _overlaps(row, live))))
    return LiveSweep(ranges(sorted(must_clear)), result)


def _written(each: _NeededRow | Procedure) -> list[Slot]:
    return list(each.outputs) if isinstance(each, Procedure) else [each.row.outputs[i] for i in each.live]


def _overlaps(row: SweepRow, live: frozenset[int]) -> bool:
    written = sorted((row.outputs[i] for i in live if row.outputs[i].size), key=lambda slot: slot.offset)
    if any(_end(one) > next_one.offset for one, next_one in pairwise(written)):
        return True
    return any(slot.offset < _end(output) and output.offset < _end(slot) for slot in row.inputs if slot.size for output in written)


def _end(slot: Slot) -> int:
    return slot.offset + slot.size


def _offsets(slot: Slot) -> range:
    return range(slot.offset, slot.offset + slot.size)
