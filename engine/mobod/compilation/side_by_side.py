"""Rows of a sweep side by side: puts rows of one kind that do not depend on each other together, for one call with vectors.

The order of rows changes, but no number does: a row comes after all rows whose results it reads or replaces, and rows that add to one sum
keep their order. The rows of one call are independent, except that they may add to one sum.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate

from mobod.compilation.chains import chains_in_parts
from mobod.compilation.liveness import GroupedSweep, LiveKind, LiveRow, LiveRows, LiveSweep, RowsKind, read_by
from mobod.compilation.row_times import pays_side_by_side
from mobod.scalar.slot import Slot
from mobod.scalar.step import SweepStep
from mobod.system import Stage


def side_by_side(sweeps: Mapping[Stage, LiveSweep], n_rows: int, stored_at: int) -> tuple[dict[Stage, GroupedSweep], int]:
    """The sweeps with groups of this many rows where this saves time, rows of chains in parts.

    stored_at  offset of the memory for numbers that the parts store
    returns    the sweeps, and the size of this memory
    """
    done: dict[Stage, GroupedSweep] = {}
    end = stored_at
    for stage, sweep in sweeps.items():
        done[stage] = in_groups(sweep, n_rows)
        in_parts, end = chains_in_parts(sweep, done[stage], n_rows, end)
        if in_parts is not sweep:
            done[stage] = in_groups(in_parts, n_rows)
    return done, end - stored_at


def in_groups(sweep: LiveSweep, n_rows: int) -> GroupedSweep:
    """The sweep with groups of this many rows where this saves time. Steps keep their places among the rows."""
    rows: list[LiveRow | LiveRows | SweepStep] = []
    between: list[LiveRow] = []  # steps
    for row in sweep.rows:
        if isinstance(row, SweepStep):
            rows += [*_Order(between, n_rows).rows(), row]
            between = []
        else:
            between.append(row)
    rows += _Order(between, n_rows).rows()
    return GroupedSweep(sweep.clears, rows)


class _Order:
    """An order of rows in which many of one kind are together."""

    def __init__(self, rows: Sequence[LiveRow], n_rows: int):
        self._given, self._n = rows, n_rows
        self._before, self._sums = _dependencies(rows)
        self._after: list[list[int]] = [[] for _ in rows]
        for row, before in enumerate(self._before):
            for each in before:
                self._after[each].append(row)
        self._height = [0] * len(rows)  # length of the longest chain of rows that wait for it
        for row in reversed(range(len(rows))):
            for each in self._before[row]:
                self._height[each] = max(self._height[each], self._height[row] + 1)
        can_be = self._most_at_once()
        self._pays = {kind: most >= n_rows and pays_side_by_side(kind, n_rows) for kind, most in can_be.items()}
        self._done = [False] * len(rows)

    def _most_at_once(self) -> dict[LiveKind, int]:
        """For each kind the greatest number of rows that might be done at the same time, if each row takes the same time."""
        level = [0] * len(self._given)  # length of the longest chain of rows that come before it
        for row in range(len(self._given)):
            level[row] = max((level[each] + 1 for each in self._before[row]), default=0)
        end = max((a + b for a, b in zip(level, self._height, strict=True)), default=0)
        changes: dict[LiveKind, list[tuple[int, int]]] = defaultdict(list)  # a row can be done from its level to the end less its height
        for row, given in enumerate(self._given):
            changes[given.kind] += [(level[row], 1), (end - self._height[row] + 1, -1)]
        return {kind: max(accumulate(change for _, change in sorted(each))) for kind, each in changes.items()}

    def rows(self) -> list[LiveRow | LiveRows]:
        waits_for = [len(before) for before in self._before]
        left: dict[LiveKind, int] = defaultdict(int)
        ready: dict[LiveKind, list[int]] = defaultdict(list)
        for row, n in enumerate(waits_for):
            left[self._given[row].kind] += 1
            if not n:
                ready[self._given[row].kind].append(row)
        result: list[LiveRow | LiveRows] = []
        last: LiveKind | None = None
        while ready:
            chosen = self._next(ready, left, last)
            last = self._given[chosen[0]].kind
            for row in chosen:
                self._done[row] = True
                kind = self._given[row].kind
                left[kind] -= 1
                ready[kind].remove(row)
                if not ready[kind]:
                    del ready[kind]
            for row in chosen:
                for each in self._after[row]:
                    waits_for[each] -= 1
                    if not waits_for[each]:
                        ready[self._given[each].kind].append(each)
            given = [self._given[row] for row in chosen]
            result.append(given[0] if len(given) == 1 else LiveRows(RowsKind(given[0].kind, len(given)), tuple(given)))
        return result

    def _next(self, ready: dict[LiveKind, list[int]], left: dict[LiveKind, int], last: LiveKind | None) -> list[int]:
        """One row or a group; of the last kind if possible, since processors predict calls of the same function best."""
        of_last = {last: ready[last]} if last in ready else {}
        if of_last and not self._can_wait(last, left):
            return [self._single(of_last, left)]
        return self._group(of_last) or self._group(ready) or [self._single(ready, left)]

    def _can_wait(self, kind: LiveKind, left: dict[LiveKind, int]) -> bool:
        """Whether rows of the kind may form a group later."""
        return self._pays[kind] and left[kind] >= self._n

    def _group(self, ready: dict[LiveKind, list[int]]) -> list[int]:
        """The rows of one kind for which most others wait, in the order given; empty if no kind has enough rows."""
        best: list[int] = []
        for kind, rows in ready.items():
            if len(rows) >= self._n and self._pays[kind]:
                group: list[int] = []
                for row in sorted(rows, key=lambda row: (-self._height[row], row)):
                    if len(group) < self._n and all(self._done[each] or each in group for each in self._sums[row]):
                        group.append(row)
                if len(group) == self._n and (not best or self._height[group[0]] > self._height[best[0]]):
                    best = group
        return sorted(best)

    def _single(self, ready: dict[LiveKind, list[int]], left: dict[LiveKind, int]) -> int:
        """The row for which most others wait, first of kinds of which too few are left for a group."""
        rows = [row for each in ready.values() for row in each if all(self._done[before] for before in self._sums[row])]
        return max(rows, key=lambda row: (not self._can_wait(self._given[row].kind, left), self._height[row], -row))


def _dependencies(rows: Sequence[LiveRow]) -> tuple[list[set[int]], list[set[int]]]:
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
                (sums if rows[each].kind == kind else before)[i].add(each)
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
