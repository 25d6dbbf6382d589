"""The rows that must be computed before witnesses within a step."""

from collections import Counter
from collections.abc import Iterable, Mapping, Set

from mobod.compilation.liveness import LiveRow, LiveSweep, read_by
from mobod.scalar.procedure import Procedure
from mobod.scalar.slot import Slot
from mobod.system import Stage


def sweeps_before_witnesses(sweeps: Mapping[Stage, LiveSweep], read: Iterable[int], last: Stage, sums: Set[int]) -> dict[Stage, LiveSweep]:
    """The rows of the sweeps from TIME to `last` on which the offsets in `read` depend.

    sums  what `shared_sums` returns. If one row that adds to a sum is included, all such rows are, so that the sum is complete.

    A row computes all its results, as in the whole sweep, so that both call the same kernels.
    """
    wanted = set(read)
    while True:
        needed = _rows_before({stage: sweep for stage, sweep in sweeps.items() if Stage.TIME <= stage <= last}, wanted)
        begun = {offset for sweep in needed.values() for row in sweep.rows for slot in _written_by(row) for offset in slot.offsets} & sums
        if begun <= wanted:
            return needed
        wanted |= begun


def shared_sums(sweeps: Mapping[Stage, LiveSweep]) -> Set[int]:
    """The offsets that more than one row writes."""
    written = Counter(offset for sweep in sweeps.values() for row in sweep.rows for slot in _written_by(row) for offset in slot.offsets)
    return {offset for offset, times in written.items() if times > 1}


def _rows_before(sweeps: Mapping[Stage, LiveSweep], read: Set[int]) -> dict[Stage, LiveSweep]:
    used, needed = set(read), dict[Stage, LiveSweep]()
    for stage in sorted(sweeps, reverse=True):
        rows = []
        for row in reversed(sweeps[stage].rows):
            if not used.isdisjoint(offset for slot in _written_by(row) for offset in slot.offsets):
                rows.append(row)
                setting = [row.row.outputs[i] for i in row.kind.live - row.kind.adds] if isinstance(row, LiveRow) else row.outputs
                used.difference_update(offset for slot in setting for offset in slot.offsets)
                used.update(read_by(row))
        clears = [(first, count) for first, count in sweeps[stage].clears if not used.isdisjoint(range(first, first + count))]
        used.difference_update(offset for first, count in clears for offset in range(first, first + count))
        if rows or clears:
            needed[stage] = LiveSweep(clears, rows[::-1])
    return needed


def _written_by(row: LiveRow | Procedure) -> list[Slot]:
    return [row.row.outputs[i] for i in row.kind.live] if isinstance(row, LiveRow) else list(row.outputs)
