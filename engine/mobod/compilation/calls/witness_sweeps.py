"""The calls that must be computed before witnesses within a step."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import final

from mobod.compilation.calls.liveness import LiveCall, LiveSweep, read_by
from mobod.scalar.procedure import Procedure
from mobod.scalar.regions import Regions
from mobod.scalar.slot import Slot
from mobod.system import Stage


def shared_sums(sweeps: Mapping[Stage, LiveSweep]) -> Set[int]:
    """The offsets that more than one call writes."""
    regions = _regions(sweeps)
    return set(regions.offsets(_sums_of(sweeps, regions)))


def _sums_of(sweeps: Mapping[Stage, LiveSweep], regions: Regions) -> Set[int]:
    """The regions that more than one call writes."""
    written = Counter(
        region for sweep in sweeps.values() for call in sweep.calls for slot in _written_by(call) for region in regions.of(slot)
    )
    return {region for region, times in written.items() if times > 1}


def _regions(sweeps: Mapping[Stage, LiveSweep]) -> Regions:
    """The array divided where calls read or write. Recorded calls may read single entries; procedures read whole slots."""
    calls = [call for sweep in sweeps.values() for call in sweep.calls]
    recorded = (slot for call in calls if isinstance(call, LiveCall) for slot in (*call.call.inputs, *call.call.outputs))
    of_procedures = (slot for call in calls if isinstance(call, Procedure) for slot in (*call.inputs, *call.outputs))
    clears = (Slot(first, (count,)) for sweep in sweeps.values() for first, count in sweep.clears)
    return Regions([*of_procedures, *clears], recorded)


_NOTHING = 0  # the number of the history of a value that nothing has written


@final
class WitnessSweeps:
    """The calls of sweeps from TIME on, and on which of them each value depends.

    One pass through the sweeps notes the history of each region of the array: its last writer and, if that adds to a sum, the history
    before it. A call depends on the histories that its inputs have when it is done. So each question follows only what its answer contains.
    """

    def __init__(self, sweeps: Mapping[Stage, LiveSweep]):
        self._sweeps = {stage: sweeps[stage] for stage in sorted(sweeps) if stage >= Stage.TIME}
        self._regions = _regions(sweeps)
        self._sums = _sums_of(sweeps, self._regions)
        self._writers: list[tuple[Stage, int]] = []  # number of a clear, or of clears + calls, of the stage
        self._read: list[set[int]] = []  # for each writer the histories that it reads
        self._histories = [(-1, _NOTHING)]  # writer, history before
        self._at_end: dict[Stage, list[int]] = {}  # the histories of all regions after each stage
        self._of_sums: dict[Stage, list[set[int]]] = {}  # after each stage, for each writer those of the sums that it writes
        self._follow()

    def before(self, read: Iterable[int], last: Stage) -> dict[Stage, LiveSweep]:
        """The calls of the stages up to `last` on which the offsets in `read` depend.

        If one call that adds to a sum is included, all such calls are, so that the sum is complete. A call computes all its results, as in
        the whole sweep, so that both call the same kernels.
        """
        last = max((stage for stage in self._sweeps if stage <= last), default=Stage.TIME)
        if last not in self._at_end:
            return {}
        at_end, of_sums = self._at_end[last], self._sums_after(last)
        found, seen, waiting = set[int](), {_NOTHING}, [at_end[at] for offset in read if (at := self._regions.at(offset)) is not None]
        while waiting:
            history = waiting.pop()
            if history in seen:
                continue
            seen.add(history)
            writer, before = self._histories[history]
            waiting.append(before)
            if writer not in found:
                found.add(writer)
                waiting += self._read[writer]
                waiting += of_sums[writer]
        return self._chosen(found)

    def _follow(self) -> None:
        """Fill the tables above."""
        regions = self._regions
        now = [_NOTHING] * len(regions)
        for stage in self._sweeps:
            for number, call, setting, adding in self._writers_of(stage):
                writer = len(self._writers)
                self._writers.append((stage, number))
                self._read.append(_histories_read(call, now, regions))
                for own in map(regions.of, setting):
                    now[own.start : own.stop] = [self._history(writer, _NOTHING)] * len(own)
                for own in map(regions.of, adding):
                    after = {before: self._history(writer, before) for before in set(now[own.start : own.stop])}
                    now[own.start : own.stop] = [after[before] for before in now[own.start : own.stop]]
            self._at_end[stage] = now.copy()

    def _history(self, writer: int, before: int) -> int:
        self._histories.append((writer, before))
        return len(self._histories) - 1

    def _all_writers(self) -> Iterator[tuple[int, LiveCall | Procedure | None, list[Slot], list[Slot]]]:
        for stage in self._sweeps:
            yield from self._writers_of(stage)

    def _writers_of(self, stage: Stage) -> Iterator[tuple[int, LiveCall | Procedure | None, list[Slot], list[Slot]]]:
        """(number, call or None, slots that it sets, slots to which it adds) of each clear and call, in the order of the sweep."""
        sweep = self._sweeps[stage]
        for number, (first, count) in enumerate(sweep.clears):
            yield number, None, [Slot(first, (count,))], []
        for number, call in enumerate(sweep.calls, len(sweep.clears)):
            adds = call.kind.adds if isinstance(call, LiveCall) else frozenset[int]()
            setting = [call.call.outputs[i] for i in call.kind.live - adds] if isinstance(call, LiveCall) else list(call.outputs)
            yield number, call, setting, [call.call.outputs[i] for i in call.kind.live & adds] if isinstance(call, LiveCall) else []

    def _sums_after(self, last: Stage) -> list[set[int]]:
        if last not in self._of_sums:
            at_end = self._at_end[last]
            self._of_sums[last] = [
                {
                    at_end[region]
                    for slot in (*setting, *adding)
                    if call is not None
                    for region in self._regions.of(slot)
                    if region in self._sums
                }
                for _, call, setting, adding in self._all_writers()
            ]
        return self._of_sums[last]

    def _chosen(self, writers: Set[int]) -> dict[Stage, LiveSweep]:
        chosen: dict[Stage, LiveSweep] = {}
        for stage, number in (self._writers[writer] for writer in sorted(writers)):
            whole, part = self._sweeps[stage], chosen.setdefault(stage, LiveSweep([], []))
            if number < len(whole.clears):
                part.clears.append(whole.clears[number])
            else:
                part.calls.append(whole.calls[number - len(whole.clears)])
        return chosen


def _histories_read(call: LiveCall | Procedure | None, now: list[int], regions: Regions) -> set[int]:
    """The present histories of a call's inputs, without the sums to which it adds."""
    if call is None:
        return set()
    if isinstance(call, Procedure):
        return {now[region] for slot in call.inputs for region in regions.of(slot)}
    return {now[region] for region in (regions.at(offset) for offset in read_by(call)) if region is not None}


def _written_by(call: LiveCall | Procedure) -> list[Slot]:
    return [call.call.outputs[i] for i in call.kind.live] if isinstance(call, LiveCall) else list(call.outputs)
