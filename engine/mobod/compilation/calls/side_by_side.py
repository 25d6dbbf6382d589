"""Calls of a sweep side by side: puts calls of one kind that do not depend on each other together, for one kernel over vectors.

The order of calls changes, but no number does: a call comes after all calls whose results it reads or replaces, and calls that add to one
sum keep their order. The calls that one kernel does are independent, except that they may add to one sum.
"""

from bisect import insort
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate

from mobod.compilation.calls.call_times import gain_side_by_side, time_alone
from mobod.compilation.calls.chains import chains_in_parts
from mobod.compilation.calls.liveness import CallsKind, GroupedSweep, LiveCall, LiveCalls, LiveKind, LiveSweep, read_by
from mobod.scalar.procedure import Procedure
from mobod.scalar.slot import Slot
from mobod.system import Stage

_LEAST_GAIN = 0.007  # of the time of all calls, which a kind must save by a function for several calls: that takes time to compile


def side_by_side(sweeps: Mapping[Stage, LiveSweep], n_calls: int, stored_at: int) -> tuple[dict[Stage, GroupedSweep], int]:
    """The sweeps with groups of this many calls where this saves time, calls of chains in parts.

    stored_at  offset of the memory for numbers that the parts store
    returns    the sweeps, and the size of this memory
    """
    whole = sum(time_alone(call.kind) for sweep in sweeps.values() for call in sweep.calls if isinstance(call, LiveCall))
    least_gain, done, end = _LEAST_GAIN * whole, dict[Stage, GroupedSweep](), stored_at
    for stage, sweep in sweeps.items():
        done[stage] = _in_groups(sweep, n_calls, least_gain)
        in_parts, end = chains_in_parts(sweep, done[stage], n_calls, least_gain, end)
        if in_parts is not sweep:
            done[stage] = _in_groups(in_parts, n_calls, least_gain)
    return done, end - stored_at


def _in_groups(sweep: LiveSweep, n_calls: int, least_gain: float) -> GroupedSweep:
    """The sweep with groups of this many calls where this saves enough time. Procedures keep their places among the calls."""
    calls: list[LiveCall | LiveCalls | Procedure] = []
    between: list[LiveCall] = []  # procedures
    for call in sweep.calls:
        if isinstance(call, Procedure):
            calls += [*_CallOrder(between, n_calls, least_gain).calls(), call]
            between = []
        else:
            between.append(call)
    calls += _CallOrder(between, n_calls, least_gain).calls()
    return GroupedSweep(sweep.clears, calls)


class _CallOrder:
    """An order of calls in which many of one kind are together. Kinds are numbered."""

    def __init__(self, calls: Sequence[LiveCall], n_calls: int, least_gain: float):
        self._given, self._n = calls, n_calls
        numbers: dict[LiveKind, int] = {}
        self._kind = [numbers.setdefault(call.kind, len(numbers)) for call in calls]
        self._before, self._sums = _dependencies(calls, self._kind)
        self._height = [0] * len(calls)  # length of the longest chain of calls that wait for it
        for call in reversed(range(len(calls))):
            for each in self._before[call]:
                self._height[each] = max(self._height[each], self._height[call] + 1)
        most = self._most_at_once(len(numbers))
        self._left = [self._kind.count(number) for number in range(len(numbers))]
        gains = [self._left[number] // n_calls * gain_side_by_side(kind, n_calls) for kind, number in numbers.items()]
        self._pays = [most[number] >= n_calls and gain >= least_gain for number, gain in enumerate(gains)]
        self._ready: list[list[tuple[int, int]]] = [[] for _ in numbers]  # (-height, call) in order
        self._done = [False] * len(calls)

    def _most_at_once(self, n_kinds: int) -> list[int]:
        """For each kind the greatest number of calls that might be done at the same time, if each call takes the same time."""
        level = [0] * len(self._given)  # length of the longest chain of calls that come before it
        for call, before in enumerate(self._before):
            level[call] = max((level[each] + 1 for each in before), default=0)
        end = max((a + b for a, b in zip(level, self._height, strict=True)), default=0)
        changes: list[list[tuple[int, int]]] = [[] for _ in range(n_kinds)]  # a call can be done from its level to the end less its height
        for call, kind in enumerate(self._kind):
            changes[kind] += [(level[call], 1), (end - self._height[call] + 1, -1)]
        return [max(accumulate(change for _, change in sorted(each))) for each in changes]

    def calls(self) -> list[LiveCall | LiveCalls]:
        after: list[list[int]] = [[] for _ in self._given]
        waits_for = [len(before) for before in self._before]
        for call, before in enumerate(self._before):
            for each in before:
                after[each].append(call)
            if not before:
                insort(self._ready[self._kind[call]], (-self._height[call], call))
        result: list[LiveCall | LiveCalls] = []
        last, n_left = 0, len(self._given)
        while n_left:
            chosen = self._next(last)
            last = self._kind[chosen[0]]
            self._left[last] -= len(chosen)
            n_left -= len(chosen)
            for call in chosen:
                self._done[call] = True
                self._ready[last].remove((-self._height[call], call))
                for each in after[call]:
                    waits_for[each] -= 1
                    if not waits_for[each]:
                        insort(self._ready[self._kind[each]], (-self._height[each], each))
            given = [self._given[call] for call in chosen]
            result.append(given[0] if len(given) == 1 else LiveCalls(CallsKind(given[0].kind, len(given)), tuple(given)))
        return result

    def _next(self, last: int) -> list[int]:
        """One call, or a group in the order given; of the last kind if possible, since processors predict such calls best."""
        single = [] if self._may_wait(last) else self._first(last, 1)
        return single or self._group([last]) or self._group(range(len(self._ready))) or [self._single()]

    def _may_wait(self, kind: int) -> bool:
        """Whether calls of the kind may form a group later."""
        return self._pays[kind] and self._left[kind] >= self._n

    def _group(self, kinds: Iterable[int]) -> list[int]:
        """The calls of one of these kinds for which most others wait; empty if none has enough calls."""
        groups = [self._first(kind, self._n) for kind in kinds if self._pays[kind] and len(self._ready[kind]) >= self._n]
        whole = [group for group in groups if len(group) == self._n]
        best: list[int] = max(whole, key=lambda group: self._height[group[0]], default=[])
        return sorted(best)

    def _single(self) -> int:
        """The call for which most others wait, first of kinds of which too few are left for a group."""
        calls = [call for kind in range(len(self._ready)) for call in self._first(kind, 1)]
        return max(calls, key=lambda call: (not self._may_wait(self._kind[call]), self._height[call], -call))

    def _first(self, kind: int, n: int) -> list[int]:
        """The first n calls of a kind that are ready. A call that adds to a sum comes after those that add before it."""
        calls: list[int] = []
        for _, call in self._ready[kind]:
            if len(calls) == n:
                break
            if all(self._done[each] or each in calls for each in self._sums[call]):
                calls.append(call)
        return calls


def _dependencies(calls: Sequence[LiveCall], kinds: Sequence[int]) -> tuple[list[set[int]], list[set[int]]]:
    """For each call the calls that must come before it, and those of its kind that add to one of its sums before it."""
    before: list[set[int]] = [set() for _ in calls]
    sums: list[set[int]] = [set() for _ in calls]
    setter: dict[int, int] = {}
    adders: dict[int, list[int]] = defaultdict(list)  # since it was set
    readers: dict[int, list[int]] = defaultdict(list)  # since it was written
    for i, call in enumerate(calls):
        kind, outputs = call.kind, call.call.outputs
        for offset in read_by(call):
            before[i].update(adders[offset])
            if offset in setter:
                before[i].add(setter[offset])
            readers[offset].append(i)
        for offset in _offsets(outputs[k] for k in kind.live & kind.adds):
            before[i].update(readers.pop(offset, ()))
            if offset in setter:
                before[i].add(setter[offset])
            for each in adders[offset][-1:]:
                (sums if kinds[each] == kinds[i] else before)[i].add(each)
            adders[offset].append(i)
        for offset in _offsets(outputs[k] for k in kind.live - kind.adds):
            before[i].update(readers.pop(offset, ()), adders.pop(offset, ()))
            if offset in setter:
                before[i].add(setter[offset])
            setter[offset] = i
        before[i].discard(i)
        sums[i].discard(i)
    return before, sums


def _offsets(slots: Iterable[Slot]) -> Iterable[int]:
    return (offset for slot in slots for offset in slot.offsets)
