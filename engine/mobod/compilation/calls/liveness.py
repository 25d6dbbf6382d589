"""Liveness analysis: selects the calls and results that wanted values depend on, and the memory that must be cleared.

If the first call that adds to a cleared sum covers the whole slot, it sets the sum instead. Memory that is cleared but never written is
0 from the start and need not be cleared.

All calls of a kind compute every result that any of them needs, so that they share one C function. A few unused results, such as the
velocity of a leaf, which no child reads, cost less than a second function.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from mobod.scalar.adjoint import adjoint_twin
from mobod.scalar.procedure import Procedure, PythonProcedure
from mobod.scalar.recording import Recording, kept_by_first
from mobod.scalar.regions import Regions
from mobod.scalar.slot import Slot, ranges
from mobod.scalar.sweep import Kind, Sweep, SweepCall, kept_by_kind
from mobod.system import Stage


@dataclass(frozen=True)
class LiveKind:
    """A kind in C.

    live      indices of the used results
    adds      those of them that are added to existing values
    overlaps  whether in some call a result overlaps an argument
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
        """For each result that is added: its place among a call's arguments and results -> its number of entries."""
        recording = self.kind.recording()
        return {len(recording.inputs) + i: recording.outputs[i].size for i in sorted(self.adds)}


@kept_by_kind
def adjoint_of(kind: Kind, live: frozenset[int]) -> Recording:
    """The recording from the arrays and the adjoints of these results to the adjoints of the arrays."""
    return adjoint_twin(kind.recording().with_outputs(live))


@dataclass(frozen=True)
class LiveCall:
    call: SweepCall
    kind: LiveKind


@dataclass(frozen=True)
class CallsKind:
    """Several calls of one kind, which one kernel does side by side."""

    kind: LiveKind
    n_calls: int


@dataclass(frozen=True)
class LiveCalls:
    kind: CallsKind
    calls: tuple[LiveCall, ...]


@dataclass(frozen=True)
class LiveSweep:
    """The live part of a sweep. clears: (offset, count) of the ranges that are set to zero first."""

    clears: list[tuple[int, int]]
    calls: list[LiveCall | Procedure]


@dataclass(frozen=True)
class GroupedSweep:
    """The same with calls side by side (side_by_side.py)."""

    clears: list[tuple[int, int]]
    calls: list[LiveCall | LiveCalls | Procedure]


class _NeededCall(NamedTuple):
    """A call and the indices of the results that it must compute."""

    call: SweepCall
    live: frozenset[int]


def live_sweeps(sweeps: dict[Stage, Sweep], wanted: Iterable[int | Slot]) -> dict[Stage, LiveSweep]:
    """The parts of the sweeps that compute the wanted offsets and slots, and their dependencies."""
    slots = [each if isinstance(each, Slot) else Slot(each, ()) for each in dict.fromkeys(wanted)]
    regions = _regions(sweeps, slots)
    used = frozenset(region for slot in slots for region in regions.of(slot))
    calls = _needed_calls(sweeps, regions, used, {})
    while _differ(calls, computed := _computed_by_kind(calls)):
        # results that calls compute only for other calls of their kind need arguments too
        calls = _needed_calls(sweeps, regions, used, computed)
    written = {region for each in calls.values() for call in each for slot in _written(call) for region in regions.of(slot)}
    return {stage: _without_clears(sweeps[stage], regions, each, written) for stage, each in calls.items()}


def _regions(sweeps: dict[Stage, Sweep], wanted: Iterable[Slot]) -> Regions:
    """The array divided where calls read or write. Recorded calls may read single entries; procedures read whole slots."""
    calls = [call for sweep in sweeps.values() for call in sweep.calls]
    recorded = (slot for call in calls if isinstance(call, SweepCall) for slot in (*call.inputs, *call.outputs))
    of_procedures = (slot for call in calls if isinstance(call, Procedure) for slot in (*call.inputs, *call.outputs))
    clears = (slot for sweep in sweeps.values() for slot in sweep.clears)
    return Regions([*of_procedures, *clears, *wanted], recorded)


def whole_kinds(sweeps: Iterable[Sweep]) -> dict[Kind, LiveKind]:
    """The kinds of all calls, with all their results."""
    found: dict[Kind, LiveKind] = {}
    for call in (call for sweep in sweeps for call in sweep.calls if isinstance(call, SweepCall)):
        known = found.get(call.kind)
        if known is None or not known.overlaps:
            found[call.kind] = whole_kind(call)
    return found


def whole_kind(call: SweepCall) -> LiveKind:
    """The kind of a call that computes all its results."""
    live = frozenset(range(len(call.outputs)))
    return LiveKind(call.kind, live, call.kind.adds, _overlaps(call, live))


def _computed_by_kind(stages: dict[Stage, list[_NeededCall | Procedure]]) -> dict[Kind, frozenset[int]]:
    """For each kind the indices of the results that any of its calls computes."""
    computed: dict[Kind, frozenset[int]] = {}
    for calls in stages.values():
        for each in calls:
            if isinstance(each, _NeededCall):
                computed[each.call.kind] = computed.get(each.call.kind, frozenset()) | each.live
    return computed


def _differ(stages: dict[Stage, list[_NeededCall | Procedure]], computed: dict[Kind, frozenset[int]]) -> bool:
    """Whether a call computes less than is `computed` by its kind."""
    return any(isinstance(each, _NeededCall) and each.live != computed[each.call.kind] for calls in stages.values() for each in calls)


def _needed_calls(
    sweeps: dict[Stage, Sweep], regions: Regions, wanted: frozenset[int], computed: dict[Kind, frozenset[int]]
) -> dict[Stage, list[_NeededCall | Procedure]]:
    """The calls with a used result. They compute these, and the results `computed` by their kind. wanted: regions

    A result is used as a whole: if one entry is used, all are computed. A procedure in Python may read everything computed before it.
    """
    used = set(wanted)
    everything = set[int]()
    if any(isinstance(call, PythonProcedure) for sweep in sweeps.values() for call in sweep.calls):
        everything = {region for sweep in sweeps.values() for call in sweep.calls for slot in call.outputs for region in regions.of(slot)}
    kept: dict[Stage, list[_NeededCall | Procedure]] = {}
    for stage in sorted(sweeps, reverse=True):
        calls: list[_NeededCall | Procedure] = []
        for call in reversed(sweeps[stage].calls):
            if isinstance(call, Procedure):
                if not used.isdisjoint(region for slot in call.outputs for region in regions.of(slot)):
                    calls.append(call)
                    used.difference_update(*(regions.of(slot) for slot in call.outputs))
                    used.update(everything if isinstance(call, PythonProcedure) else (k for slot in call.inputs for k in regions.of(slot)))
                continue
            live = frozenset(i for i, slot in enumerate(call.outputs) if not used.isdisjoint(regions.of(slot)))
            if live:
                live |= computed.get(call.kind, frozenset())
                calls.append(_NeededCall(call, live))
                for i in live - call.kind.adds:
                    used.difference_update(regions.of(call.outputs[i]))
                used.update(*(regions.between(each.start, each.stop) for each in _sources_of(call, live)))
        kept[stage] = calls[::-1]
    return dict(sorted(kept.items()))


def _sources_of(call: SweepCall, live: frozenset[int]) -> list[range]:
    """The offsets on which these results depend."""
    return [range(call.inputs[i].offset + first, call.inputs[i].offset + end) for i, first, end in _sources(call.kind.recording(), live)]


@kept_by_first
def _sources(recording: Recording, live: frozenset[int]) -> list[tuple[int, int, int]]:
    """The entries on which these results depend: of an input the entries from one to before another."""
    entries: dict[int, set[int]] = {}
    dependencies = recording.dependencies
    for i, k in frozenset[tuple[int, int]]().union(*(entry for result in live for entry in dependencies[result])):
        entries.setdefault(i, set()).add(k)
    return [(i, first, first + count) for i, found in sorted(entries.items()) for first, count in ranges(sorted(found))]


def read_by(call: LiveCall | Procedure) -> set[int]:
    """The offsets of a call's inputs, without the sums to which it adds."""
    if isinstance(call, Procedure):
        return {offset for slot in call.inputs for offset in _offsets(slot)}
    return set[int]().union(*_sources_of(call.call, call.kind.live))


def _without_clears(sweep: Sweep, regions: Regions, calls: list[_NeededCall | Procedure], written: set[int]) -> LiveSweep:
    """The sweep without unnecessary clears. written: regions that any call of any stage writes."""
    cleared = {region for slot in sweep.clears for region in regions.of(slot)}
    fresh = set(cleared)  # cleared and not written since
    must_clear: set[int] = set()
    result: list[LiveCall | Procedure] = []
    for each in calls:
        if isinstance(each, Procedure):
            read = fresh if isinstance(each, PythonProcedure) else (region for slot in each.inputs for region in regions.of(slot))
            must_clear.update(region for region in read if region in fresh and region in written)
            fresh.difference_update(region for slot in each.outputs for region in regions.of(slot))
            result.append(each)
            continue
        call, live = each
        for slot in call.inputs:
            if not fresh.isdisjoint(regions.of(slot)):
                must_clear.update(region for region in regions.of(slot) if region in fresh and region in written)
        adds = set(call.kind.adds & live)
        for i in live:
            own = set(regions.of(call.outputs[i]))
            if i in adds:
                if own <= fresh and own.isdisjoint(must_clear):
                    adds.discard(i)
                else:
                    must_clear.update(own & fresh)
            fresh -= own
        result.append(LiveCall(call, LiveKind(call.kind, live, frozenset(adds), _overlaps(call, live))))
    return LiveSweep(regions.ranges(sorted(must_clear)), result)


def _written(each: _NeededCall | Procedure) -> list[Slot]:
    return list(each.outputs) if isinstance(each, Procedure) else [each.call.outputs[i] for i in each.live]


def _overlaps(call: SweepCall, live: frozenset[int]) -> bool:
    written = sorted((call.outputs[i] for i in live if call.outputs[i].size), key=lambda slot: slot.offset)
    if any(_end(one) > next_one.offset for one, next_one in pairwise(written)):
        return True
    return any(slot.offset < _end(output) and output.offset < _end(slot) for slot in call.inputs if slot.size for output in written)


def _end(slot: Slot) -> int:
    return slot.offset + slot.size


def _offsets(slot: Slot) -> range:
    return range(slot.offset, slot.offset + slot.size)
