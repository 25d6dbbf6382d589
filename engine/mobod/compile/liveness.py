"""Which rows of the sweeps, and which of their results, anything wanted depends on: the rest is left out of the C code."""

from collections.abc import Iterable
from dataclasses import dataclass

from mobod.scalar.recording import Recording
from mobod.scalar.slot import Slot
from mobod.scalar.sweep import Kind, Row, Sweep
from mobod.system import Stage


@dataclass(frozen=True)
class LiveKind:
    """A kind, with the numbers of the results that are used."""

    kind: Kind
    live: frozenset[int]

    def recording(self) -> Recording:
        return self.kind.recording().with_outputs(self.live)


@dataclass(frozen=True)
class LiveRow:
    row: Row
    kind: LiveKind


def live_rows(sweeps: dict[Stage, Sweep], wanted: Iterable[int]) -> dict[Stage, list[LiveRow]]:
    """The rows that compute the wanted offsets or what these depend on, in order.

    A result counts as one: if one of its entries is used, all are computed, so that there are few variants of a kind.
    """
    used = set(wanted)
    kept: dict[Stage, list[LiveRow]] = {}
    for stage in sorted(sweeps, reverse=True):
        rows: list[LiveRow] = []
        for row in reversed(sweeps[stage].rows):
            live = frozenset(i for i, slot in enumerate(row.outputs) if not used.isdisjoint(_offsets(slot)))
            if live:
                rows.append(LiveRow(row, LiveKind(row.kind, live)))
                used.difference_update(offset for i in live - row.kind.adds for offset in _offsets(row.outputs[i]))
                sources = {source for i in live for entry in row.kind.recording().dependencies[i] for source in entry}
                used.update(row.inputs[i].offset + k for i, k in sources)
        kept[stage] = rows[::-1]
    return kept


def _offsets(slot: Slot) -> range:
    return range(slot.offset, slot.offset + slot.size)
