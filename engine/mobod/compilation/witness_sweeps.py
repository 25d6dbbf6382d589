"""The calls that must be computed before witnesses within a step."""

from collections import Counter
from collections.abc import Iterable, Mapping, Set

from mobod.compilation.liveness import LiveCall, LiveSweep, read_by
from mobod.scalar.procedure import Procedure
from mobod.scalar.slot import Slot
from mobod.system import Stage


def sweeps_before_witnesses(sweeps: Mapping[Stage, LiveSweep], read: Iterable[int], last: Stage, sums: Set[int]) -> dict[Stage, LiveSweep]:
    """The calls of the sweeps from TIME to `last` on which the offsets in `read` depend.

    sums  what `shared_sums` returns. If one call that adds to a sum is included, all such calls are, so that the sum is complete.

    A call computes all its results, as in the whole sweep, so that both call the same kernels.
    """
    wanted = set(read)
    while True:
        needed = _rows_before({stage: sweep for stage, sweep in sweeps.items() if Stage.TIME <= stage <= last}, wanted)
        begun = {
            offset for sweep in needed.values() for call in sweep.calls for slot in _written_by(call) for offset in slot.offsets
        } & sums
        if begun <= wanted:
            return needed
        wanted |= begun


def shared_sums(sweeps: Mapping[Stage, LiveSweep]) -> Set[int]:
    """The offsets that more than one call writes."""
    written = Counter(offset for sweep in sweeps.values() for call in sweep.calls for slot in _written_by(call) for offset in slot.offsets)
    return {offset for offset, times in written.items() if times > 1}


def _rows_before(sweeps: Mapping[Stage, LiveSweep], read: Set[int]) -> dict[Stage, LiveSweep]:
    used, needed = set(read), dict[Stage, LiveSweep]()
    for stage in sorted(sweeps, reverse=True):
        calls = []
        for call in reversed(sweeps[stage].calls):
            if not used.isdisjoint(offset for slot in _written_by(call) for offset in slot.offsets):
                calls.append(call)
                setting = [call.call.outputs[i] for i in call.kind.live - call.kind.adds] if isinstance(call, LiveCall) else call.outputs
                used.difference_update(offset for slot in setting for offset in slot.offsets)
                used.update(read_by(call))
        clears = [(first, count) for first, count in sweeps[stage].clears if not used.isdisjoint(range(first, first + count))]
        used.difference_update(offset for first, count in clears for offset in range(first, first + count))
        if calls or clears:
            needed[stage] = LiveSweep(clears, calls[::-1])
    return needed


def _written_by(call: LiveCall | Procedure) -> list[Slot]:
    return [call.call.outputs[i] for i in call.kind.live] if isinstance(call, LiveCall) else list(call.outputs)
