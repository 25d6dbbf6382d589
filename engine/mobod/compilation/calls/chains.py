"""Calls that form a chain, each of which needs results of the one before it, in parts: what does not need these is done side by side."""

from collections import Counter, defaultdict
from collections.abc import Iterable

import numpy as np

from mobod.compilation.calls.call_times import gain_side_by_side, time_alone
from mobod.compilation.calls.liveness import GroupedSweep, LiveCall, LiveCalls, LiveKind, LiveSweep, read_by
from mobod.scalar.procedure import Procedure
from mobod.scalar.slot import Slot
from mobod.scalar.splitting import Part, Split, split
from mobod.scalar.sweep import Kind, SweepCall, kept_by_kind


def chains_in_parts(sweep: LiveSweep, grouped: GroupedSweep, n_calls: int, least_gain: float, stored_at: int) -> tuple[LiveSweep, int]:
    """The sweep with calls of chains in parts where this saves time; the same object if nowhere.

    grouped     the sweep as it is done otherwise
    least_gain  the time that a kind must save
    stored_at   offset of the memory for numbers that parts store
    returns     the sweep, and the end of this memory
    """
    in_groups = Counter(each.kind.kind for each in grouped.calls if isinstance(each, LiveCalls))
    parts = {}
    for kind, (from_before, for_next, n) in _links(sweep).items():
        if n >= n_calls and from_before and not kind.overlaps:
            best = _best_parts(kind, from_before, for_next, n, in_groups[kind], n_calls, least_gain)
            if best is not None:
                parts[kind] = best
    if not parts:
        return sweep, stored_at
    calls: list[LiveCall | Procedure] = []
    for call in sweep.calls:
        if isinstance(call, Procedure) or call.kind not in parts:
            calls.append(call)
        else:
            chosen, kinds = parts[call.kind]
            added, stored_at = _calls_of_parts(call.call, chosen, kinds, stored_at)
            calls += added
    return LiveSweep(sweep.clears, calls), stored_at


def _links(sweep: LiveSweep) -> dict[LiveKind, tuple[frozenset[int], frozenset[int], int]]:
    """For each kind the inputs that other calls of its function set, the outputs that others read, and the number of its calls."""
    written, read = defaultdict[object, set[int]](set), defaultdict[object, set[int]](set)
    calls = [call for call in sweep.calls if isinstance(call, LiveCall)]
    for call in calls:
        function = call.kind.kind.function
        read[function] |= read_by(call)
        written[function].update(offset for i in call.kind.live for offset in call.call.outputs[i].offsets)
    from_before, for_next = defaultdict[LiveKind, set[int]](set), defaultdict[LiveKind, set[int]](set)
    for call in calls:
        function = call.kind.kind.function
        from_before[call.kind] |= {i for i, slot in enumerate(call.call.inputs) if not written[function].isdisjoint(slot.offsets)}
        for_next[call.kind] |= {i for i in call.kind.live if not read[function].isdisjoint(call.call.outputs[i].offsets)}
    n = Counter(call.kind for call in calls)
    return {kind: (frozenset(from_before[kind]), frozenset(for_next[kind]), n[kind]) for kind in n}


Parts = tuple[Split, tuple[LiveKind | None, LiveKind | None, LiveKind | None]]
"""The parts of a kind, and the kinds of those that are not empty."""


def _best_parts(
    kind: LiveKind, from_before: frozenset[int], for_next: frozenset[int], n: int, n_groups: int, n_calls: int, least_gain: float
) -> Parts | None:
    """The parts that take least time; None if the whole kind does.

    n         number of calls
    n_groups  how many groups of calls could be done side by side without parts
    """

    def in_groups(kind: LiveKind, n_groups: int) -> float:
        return n * time_alone(kind) - n_groups * gain_side_by_side(kind, n_calls)

    best, least = None, in_groups(kind, n_groups) - least_gain
    for with_early in (True, False):
        made, (early, core, late) = parts_of(kind.kind, kind.live, kind.adds, from_before, for_next, with_early)
        time = sum(in_groups(each, n // n_calls) for each in (early, late) if each is not None)
        time += in_groups(core, n_groups) if core is not None else 0.0
        if time < least:
            best, least = (made, (early, core, late)), time
    return best


@kept_by_kind
def parts_of(
    kind: Kind, live: frozenset[int], adds: frozenset[int], from_before: frozenset[int], for_next: frozenset[int], with_early: bool
) -> Parts:
    """The parts of a kind with these results."""
    recording = kind.recording().with_outputs(live)
    made = split(recording, from_before, for_next, adds, with_early=with_early)
    early, core, late = (_kind_of_part(kind, live, adds, name, getattr(made, name)) for name in ("early", "core", "late"))
    return made, (early, core, late)


def _kind_of_part(kind: Kind, live: frozenset[int], adds: frozenset[int], name: str, part: Part) -> LiveKind | None:
    if part.is_empty:
        return None
    outputs = kind.recording().outputs
    shapes = [*(kind.shapes[i] for i in part.inputs), *(outputs[i].shape for i in part.results), *((len(each),) for each in part.stored)]
    added = frozenset(part.outputs.index(i) for i in adds if i in part.outputs)
    kind_of_part = Kind(_part, (name, kind.name, kind, live, part), tuple(shapes), (), added)
    return LiveKind(kind_of_part, frozenset(range(len(part.outputs) + bool(part.stores))), added, overlaps=False)


def _part(name: str, of: str, kind: Kind, live: frozenset[int], part: Part, *arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """The function of the kind of a part."""
    return part.values(kind.recording().with_outputs(live), *arrays)


def _calls_of_parts(call: SweepCall, parts: Split, kinds: Iterable[LiveKind | None], stored_at: int) -> tuple[list[LiveCall], int]:
    calls, stored = [], dict[tuple[int, ...], Slot]()
    for part, kind in zip((parts.early, parts.core, parts.late), kinds, strict=True):
        if kind is not None:
            outputs = [call.outputs[i] for i in part.outputs]
            if part.stores:
                stored[part.stores] = Slot(stored_at, (len(part.stores),))
                outputs.append(stored[part.stores])
                stored_at += len(part.stores)
            inputs = [*(call.inputs[i] for i in part.inputs), *(call.outputs[i] for i in part.results)]
            inputs += [stored[each] for each in part.stored]
            calls.append(LiveCall(SweepCall(kind.kind, tuple(inputs), tuple(outputs)), kind))
    return calls, stored_at
