"""The tables of sweeps before witnesses for the C runtime: event_table.h in fmu_src/native."""

# Decision: docs/decisions/071-witness-cost.md

from collections.abc import Callable, Iterable, Mapping
from typing import final

from mobod.compilation.calls.liveness import LiveCall, LiveSweep
from mobod.compilation.calls.witness_sweeps import WitnessSweeps
from mobod.compilation.source.events_source import Events
from mobod.runtime.tables import Struct
from mobod.scalar.procedure import Procedure, PythonProcedure
from mobod.scalar.slot import Slot
from mobod.system import Stage
from mobod.system.events.kinds import TriggeredEvent

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
    tables, of_witnesses = _Tables(table), WitnessSweeps(sweeps)
    of_rows = [(row, max(row.event.stage, Stage.POSITION)) for row in events.rows if isinstance(row.event, TriggeredEvent)]
    of_decided = {Stage.POSITION, Stage.VELOCITY}  # free contacts, and slips
    stages = of_decided | {row.event.stage for row in events.rows}
    of_all = {last: of_witnesses.before(events.read_by_witnesses, last) for last in stages}
    calls_of: dict[Slot, list[LiveCall | Procedure]] = {}
    for call in witnesses.calls:
        for slot in call.call.outputs if isinstance(call, LiveCall) else ():
            calls_of.setdefault(slot, []).append(call)
    own, of_one = [], []
    left = _MOST_TIMES * sum(len(sweep.calls) for sweep in sweeps.values())
    for row, stage in of_rows:
        own.append(LiveSweep([], [] if row.witness is None else calls_of.get(row.witness, [])))
        if left < 0:
            continue
        read = [offset for each in own[-1].calls if isinstance(each, LiveCall) for slot in each.call.inputs for offset in slot.offsets]
        of_one.append(of_witnesses.before(read, stage))
        left -= sum(len(sweep.calls) for sweep in of_one[-1].values())
    if left < 0:
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
        self._made: dict[object, Struct] = {}

    def by_stage(self, sweeps: Mapping[Stage, LiveSweep]) -> Iterable[Struct | None]:
        """One table for each of the N_STAGES stages, or None."""
        return [self._of(sweeps[stage]) if stage in sweeps else None for stage in Stage]

    def _of(self, sweep: LiveSweep) -> Struct:
        key = (tuple(sweep.clears), tuple(map(id, sweep.calls)))  # the calls live as long as their sweeps
        if key not in self._made:
            self._made[key] = self._table(sweep)
        return self._made[key]
