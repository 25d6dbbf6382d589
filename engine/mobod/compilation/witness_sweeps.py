"""What witnesses need within a step: the rows that compute what they read; and which of them are linear in time and y."""

from collections.abc import Iterable, Mapping

from mobod.compilation.liveness import LiveRow, LiveSweep, read_by
from mobod.scalar.derivative import tangents_along
from mobod.scalar.sweep import Row
from mobod.system import Continuous, DiscreteVariable, Layout, Stage


def sweeps_before_witnesses(sweeps: Mapping[Stage, LiveSweep], read: Iterable[int], last: Stage) -> dict[Stage, LiveSweep]:
    """Those rows of the sweeps from TIME to `last` that the offsets depend on which are read.

    A row computes all that it does in the whole sweep, so that both call the same kernels.
    """
    changing = {stage: sweep for stage, sweep in sweeps.items() if Stage.TIME <= stage <= last}
    used, needed = set(read), dict[Stage, LiveSweep]()
    for stage in sorted(changing, reverse=True):
        rows = []
        for row in reversed(changing[stage].rows):
            slots = [row.row.outputs[i] for i in row.kind.live] if isinstance(row, LiveRow) else row.outputs
            if not used.isdisjoint(offset for slot in slots for offset in slot.offsets):
                rows.append(row)
                setting = [row.row.outputs[i] for i in row.kind.live - row.kind.adds] if isinstance(row, LiveRow) else row.outputs
                used.difference_update(offset for slot in setting for offset in slot.offsets)
                used.update(read_by(row))
        clears = [(first, count) for first, count in changing[stage].clears if not used.isdisjoint(range(first, first + count))]
        used.difference_update(offset for first, count in clears for offset in range(first, first + count))
        if rows or clears:
            needed[stage] = LiveSweep(clears, rows[::-1])
    return needed


def is_linear(row: Row, layout: Layout) -> bool:
    """Whether a witness is linear in time and y, and reads nothing else that changes within a step. Quaternions are normalised there."""
    changing = []
    quaternions = {offset + k for offset in layout.quaternions for k in range(4)}
    for slot in row.inputs:
        whats = [owner.what for owner in layout.owners(slot)]
        if not all(isinstance(what, (Continuous, DiscreteVariable)) for what in whats) or not quaternions.isdisjoint(slot.offsets):
            return False
        changing.append([offset == layout.time.offset or offset in layout.y.offsets for offset in slot.offsets])
    tangent, n = tangents_along(row.kind.recording(), changing), len(row.inputs)
    sources = {source for output in tangent.dependencies for entry in output for source in entry}
    return not any(i < n and changing[i][k] for i, k in sources)
