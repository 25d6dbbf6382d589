"""The tables of sweeps before witnesses for the C runtime: event_table.h in fmu_src/native."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, final

from mobod.compilation.events_source import Events
from mobod.compilation.liveness import LiveCall, LiveSweep
from mobod.compilation.witness_sweeps import shared_sums, sweeps_before_witnesses
from mobod.runtime.tables import Struct
from mobod.scalar.procedure import PythonProcedure
from mobod.system import Stage
from mobod.system.event_kinds import TriggeredEvent

_MOST_TIMES = 10  # limit for the total number of calls, relative to those of all sweeps


def witness_tables(
    sweeps: Mapping[Stage, LiveSweep], witnesses: LiveSweep, events: Events, table: Callable[[LiveSweep], Struct]
) -> dict[str, list[Struct | None]]:
    """The fields `before_witnesses`, `before_one` and `one` of `EventTable`; empty if the sweeps contain plain Python, which may read
    anything.

    table  makes a `Sweep` of sweep.h
    """
    if any(isinstance(call, PythonProcedure) for sweep in sweeps.values() for call in sweep.calls):
        return {}
    tables, sums = _Tables(table), shared_sums(sweeps)
    of_rows = [(row, max(row.event.stage, Stage.POSITION)) for row in events.rows if isinstance(row.event, TriggeredEvent)]
    of_decided = {Stage.POSITION, Stage.VELOCITY}  # free contacts, and slips
    stages = of_decided | {row.event.stage for row in events.rows}
    of_all = {last: sweeps_before_witnesses(sweeps, events.read_by_witnesses, last, sums) for last in stages}
    own, of_one = [], []
    for row, stage in of_rows:
        own.append(LiveSweep([], [each for each in witnesses.calls if isinstance(each, LiveCall) and row.witness in each.call.outputs]))
        read = [offset for each in own[-1].calls if isinstance(each, LiveCall) for slot in each.call.inputs for offset in slot.offsets]
        of_one.append(sweeps_before_witnesses(sweeps, read, stage, sums))
    n_calls = sum(len(sweep.calls) for each in of_one for sweep in each.values())
    if n_calls > _MOST_TIMES * sum(len(sweep.calls) for sweep in sweeps.values()):
        of_one = [of_all[stage] for _, stage in of_rows]
    return {
        "before_witnesses": [each for last in Stage for each in tables.by_stage(of_all.get(last, {}))],
        "before_one": [each for one in of_one for each in tables.by_stage(one)],
        "one": [table(each) for each in own],
    }


@final
class _Tables:
    """Makes tables of sweeps; equal sweeps share one structure."""

    def __init__(self, table: Callable[[LiveSweep], Struct]):
        self._table = table
        self._made: dict[Any, Struct] = {}

    def by_stage(self, sweeps: Mapping[Stage, LiveSweep]) -> Iterable[Struct | None]:
        """One table for each of the N_STAGES stages, or None."""
        return [self._of(sweeps[stage]) if stage in sweeps else None for stage in Stage]

    def _of(self, sweep: LiveSweep) -> Struct:
        key = (tuple(sweep.clears), tuple(map(id, sweep.calls)))  # the calls live as long as their sweeps
        if key not in self._made:
            self._made[key] = self._table(sweep)
        return self._made[key]
