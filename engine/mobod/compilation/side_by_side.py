"""Rows of a sweep side by side: puts rows of one kind that do not depend on each other together, for one call with vectors.

The order of rows changes, but no number does: a row comes after all rows whose results it reads or replaces, and rows that add to one sum
keep their order. The rows of one call are independent, except that they may add to one sum.
"""

from bisect import insort
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate

from mobod.compilation.chains import chains_in_parts
from mobod.compilation.liveness import GroupedSweep, LiveKind, LiveRow, LiveRows, LiveSweep, RowsKind, read_by
from mobod.compilation.row_times import gain_side_by_side, time_alone
from mobod.scalar.procedure import Procedure
from mobod.scalar.slot import Slot
from mobod.system import Stage

_LEAST_GAIN = 0.007  # of the time of all rows, which a kind must save by a function for several rows: that takes time to compile


def side_by_side(sweeps: Mapping[Stage, LiveSweep], n_rows: int, stored_at: int) -> tuple[dict[Stage, GroupedSweep], int]:
    """The sweeps with groups of this many rows where this saves time, rows of chains in parts.

    stored_at  offset of the memory for numbers that the parts store
    returns    the sweeps, and the size of this memory
    """
    whole = sum(time_alone(row.kind) for sweep in sweeps.values() for row in sweep.rows if isinstance(row, LiveRow))
    least_gain, done, end = _LEAST_GAIN * whole, dict[Stage, GroupedSweep](), stored_at
    for stage, sweep in sweeps.items():
        done[stage] = _in_groups(sweep, n_rows, least_gain)
        in_parts, end = chains_in_parts(sweep, done[stage], n_rows, least_gain, end)
        if in_parts is not sweep:
            done[stage] = _in_groups(in_parts, n_rows, least_gain)
    return done, end - stored_at


def _in_groups(sweep: LiveSweep, n_rows: int, least_gain: float) -> GroupedSweep:
    """The sweep with groups of this many rows where this saves enough time. Steps keep their places among the rows."""
    rows: list[LiveRow | LiveRows | Procedure] = []
    between: list[LiveRow] = []  # procedures
    for row in sweep.rows:
        if isinstance(row, Procedure):
            rows += [*_RowOrder(between, n_rows, least_gain).rows(), row]
            between = []
        else:
            between.append(row)
    rows += _RowOrder(between, n_rows, least_gain).rows()
    return GroupedSweep(sweep.clears, rows)


class _RowOrder:
    """An order of rows in which many of one kind are together. Kinds are numbered."""

    def __init__(self, rows: Sequence[LiveRow], n_rows: int, least_gain: float):
        self._given, self._n = rows, n_rows
        numbers: dict[LiveKind, int] = {}
        self._kind = [numbers.setdefault(row.kind, len(numbers)) for row in rows]
        self._before, self._sums = _dependencies(rows, self._kind)
        self._height = [0] * len(rows)  # length of the longest chain of rows that wait for it
        for row in reversed(range(len(rows))):
            for each in self._before[row]:
                self._height[each] = max(self._height[each], self._height[row] + 1)
        most = self._most_at_once(len(numbers))
        self._left = [self._kind.count(number) for number in range(len(numbers))]
        gains = [self._left[number] // n_rows * gain_side_by_side(kind, n_rows) for kind, number in numbers.items()]
        self._pays = [most[number] >= n_rows and gain >= least_gain for number, gain in enumerate(gains)]
        self._ready: list[list[tuple[int, int]]] = [[] for _ in numbers]  # (-height, row) in order
        self._done = [False] * len(rows)

    def _most_at_once(self, n_kinds: int) -> list[int]:
        """For each kind the greatest number of rows that might be done at the same time, if each row takes the same time."""
        level = [0] * len(self._given)  # length of the longest chain of rows that come before it
        for row, before in enumerate(self._before):
            level[row] = max((level[each] + 1 for each in before), default=0)
        end = max((a + b for a, b in zip(level, self._height, strict=True)), default=0)
        changes: list[list[tuple[int, int]]] = [[] for _ in range(n_kinds)]  # a row can be done from its level to the end less its height
        for row, kind in enumerate(self._kind):
            changes[kind] += [(level[row], 1), (end - self._height[row] + 1, -1)]
        return [max(accumulate(change for _, change in sorted(each))) for each in changes]

    def rows(self) -> list[LiveRow | LiveRows]:
        after: list[list[int]] = [[] for _ in self._given]
        waits_for = [len(before) for before in self._before]
        for row, before in enumerate(self._before):
            for each in before:
                after[each].append(row)
            if not before:
                insort(self._ready[self._kind[row]], (-self._height[row], row))
        result: list[LiveRow | LiveRows] = []
        last, n_left = 0, len(self._given)
        while n_left:
            chosen = self._next(last)
            last = self._kind[chosen[0]]
            self._left[last] -= len(chosen)
            n_left -= len(chosen)
            for row in chosen:
                self._done[row] = True
                self._ready[last].remove((-self._height[row], row))
                for each in after[row]:
                    waits_for[each] -= 1
                    if not waits_for[each]:
                        insort(self._ready[self._kind[each]], (-self._height[each], each))
            given = [self._given[row] for row in chosen]
            result.append(given[0] if len(given) == 1 else LiveRows(RowsKind(given[0].kind, len(given)), tuple(given)))
        return result

    def _next(self, last: int) -> list[int]:
        """One row, or a group in the order given; of the last kind if possible, since processors predict such calls best."""
        single = [] if self._may_wait(last) else self._first(last, 1)
        return single or self._group([last]) or self._group(range(len(self._ready))) or [self._single()]

    def _may_wait(self, kind: int) -> bool:
        """Whether rows of the kind may form a group later."""
        return self._pays[kind] and self._left[kind] >= self._n

    def _group(self, kinds: Iterable[int]) -> list[int]:
        """The rows of one of these kinds for which most others wait; empty if none has enough rows."""
        groups = [self._first(kind, self._n) for kind in kinds if self._pays[kind] and len(self._ready[kind]) >= self._n]
        whole = [group for group in groups if len(group) == self._n]
        best: list[int] = max(whole, key=lambda group: self._height[group[0]], default=[])
        return sorted(best)

    def _single(self) -> int:
        """The row for which most others wait, first of kinds of which too few are left for a group."""
        rows = [row for kind in range(len(self._ready)) for row in self._first(kind, 1)]
        return max(rows, key=lambda row: (not self._may_wait(self._kind[row]), self._height[row], -row))

    def _first(self, kind: int, n: int) -> list[int]:
        """The first n rows of a kind that are ready. A row that adds to a sum comes after those that add before it."""
        rows: list[int] = []
        for _, row in self._ready[kind]:
            if len(rows) == n:
                break
            if all(self._done[each] or each in rows for each in self._sums[row]):
                rows.append(row)
        return rows


def _dependencies(rows: Sequence[LiveRow], kinds: Sequence[int]) -> tuple[list[set[int]], list[set[int]]]:
    """For each row the rows that must come before it, and those of its kind that add to one of its sums before it."""
    before: list[set[int]] = [set() for _ in rows]
    sums: list[set[int]] = [set() for _ in rows]
    setter: dict[int, int] = {}
    adders: dict[int, list[int]] = defaultdict(list)  # since it was set
    readers: dict[int, list[int]] = defaultdict(list)  # since it was written
    for i, row in enumerate(rows):
        kind, outputs = row.kind, row.row.outputs
        for offset in read_by(row):
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
