"""The witnesses of triggered events: their values and rates at a time and y."""

import numpy as np

from mobod.errors import EventError
from mobod.scalar.sweep_function import TangentFunction
from mobod.system import Stage, State, System
from mobod.system.event_table import EventRow, EventTable
from mobod.system.events import TriggeredEvent
from mobod.system.stage_sweeps import stage_sweeps
from mobod.system.users_code import told_of

_LAST_PLACES = 8 * 2.0**-52
_PATTERNS = 4
_DIFFERENCE = 1e-5  # of the time in which y changes by its own size; the error of a central difference is its square


class Witnesses:
    """Of all triggered events of a State, in order.

    Recorded ones are computed by a sweep, and their rates by its tangent; those of plain Python, and any in a System that computes by
    Python hooks, have rates by central differences.
    """

    def __init__(self, system: System, state: State, table: EventTable, rows: list[EventRow]):
        """rows: those of the table that count."""
        self.rows = [row for row in rows if isinstance(row.event, TriggeredEvent)]
        self._system, self._state, self._table = system, state, table
        self._recorded = np.array([row.witness is not None for row in self.rows], dtype=bool)
        self._at = np.array([row.witness.offset for row in self.rows if row.witness is not None], dtype=np.intp)
        self._has_tangents = len(self._at) > 0 and not any(each.why_not_recordable() for each in system.subsystems)

    def stage(self, row: int) -> Stage:
        """At which a witness is known."""
        return self.rows[row].triggered.witness_stage(self._state)

    @property
    def last_stage(self) -> Stage:
        """At which all of them are known."""
        return max((self.stage(row) for row in range(len(self.rows))), default=Stage.TIME)

    def values(self, time: float, y: np.ndarray, stage: Stage | None = None) -> np.ndarray:
        """(n,) the State is moved to the time and y. Only those that are known at the stage have a meaning; None: all of them."""
        state = self._state
        stage = self.last_stage if stage is None else stage
        state.move_to(time, y)
        values = np.full(len(self.rows), np.inf)
        if len(self._at):
            self._system.realize(state, stage)
            state.layout.run(self._table.witnesses, state.values, self._system.as_text, state)
            values[self._recorded] = state.values[self._at]
        for i in np.flatnonzero(~self._recorded).tolist():
            if self.stage(i) <= stage:
                values[i] = self._plain(self.rows[i])
        for i in np.flatnonzero(np.isnan(values)).tolist():
            if self.stage(i) <= stage:
                raise EventError(f"at {time:.9g} s the witness of {self.rows[i].event.told} is not a number.")
        return values

    def values_and_rates(self, time: float, y: np.ndarray, y_dot: np.ndarray, stage: Stage) -> tuple[np.ndarray, np.ndarray]:
        """(n,), (n,) rates along y_dot, of the witnesses that are known at the stage."""
        rates = np.empty(len(self.rows))
        is_exact = self._recorded & self._has_tangents
        if not is_exact.all():
            fastest = np.abs(y_dot / (1 + np.abs(y))).max(initial=0.0)
            difference = _DIFFERENCE / max(1.0, fastest)
            before, after = (self.values(time + d, y + d * y_dot, stage) for d in (-difference, difference))
            rates[~is_exact] = ((after - before) / (2 * difference))[~is_exact]
        values = self.values(time, y, stage)
        if self._has_tangents:
            rates[is_exact] = self._tangent_function(stage)(self._state.values, np.concatenate([[1.0], y_dot]))
        return values, rates

    def noise(self, time: float, y: np.ndarray) -> np.ndarray:
        """(n,) how far round-off may put the values: what becomes of changes of y in its last places, in some patterns of signs."""
        values, noise = self.values(time, y), np.zeros(len(self.rows))
        entries = np.arange(len(y))
        for bit in range(_PATTERNS):
            signs = 1.0 - 2.0 * (entries >> bit & 1)
            noise = np.maximum(noise, np.abs(self.values(time, y * (1 + _LAST_PLACES * signs)) - values))
        self._state.move_to(time, y)
        return noise

    def _plain(self, row: EventRow) -> float:
        event = row.triggered
        self._system.realize(self._state, event.stage)
        with told_of(f"the witness of {event.told}", self._state.time):
            return float(event.witness(self._state))

    def _tangent_function(self, last: Stage) -> TangentFunction:
        layout = self._state.layout
        known = (layout.time.offset, *range(layout.y.offset, layout.y.offset + layout.n_y))
        wanted = tuple(int(offset) for offset in self._at)
        key = (known, wanted, last)
        if key not in layout.tangents:
            sweeps = stage_sweeps(self._system.realization_order, layout, [])
            before = [sweeps[stage] for stage in sorted(sweeps) if Stage.MODEL < stage <= last]
            layout.tangents[key] = TangentFunction([*before, self._table.witnesses], known, wanted)
        return layout.tangents[key]
