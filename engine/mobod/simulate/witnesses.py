"""The witnesses of triggered events: their values and rates at a time and y."""

import numpy as np

from mobod.errors import EventError
from mobod.scalar.sweep import TangentFunction
from mobod.simulate.event_errors import told_of
from mobod.system import Stage, State, System
from mobod.system.event_table import EventRow, EventTable
from mobod.system.stage_sweeps import stage_sweeps

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
        self.rows = [row for row in rows if hasattr(row.event, "witness")]
        self._system, self._state, self._table = system, state, table
        self._recorded = np.array([row.witness is not None for row in self.rows], dtype=bool)
        self._at = np.array([row.witness.offset for row in self.rows if row.witness is not None], dtype=np.intp)
        self._tangent = (
            self._tangent_function() if len(self._at) and not any(each.why_not_recordable() for each in system.subsystems) else None
        )

    def values(self, time: float, y: np.ndarray) -> np.ndarray:
        """(n,) the State is moved to the time and y."""
        state = self._state
        state.move_to(time, y)
        values = np.empty(len(self.rows))
        if len(self._at):
            self._system.realize(state, self._table.stage)
            state.layout.run(self._table.witnesses, state.values, self._system.as_text, state)
            values[self._recorded] = state.values[self._at]
        for i in np.flatnonzero(~self._recorded):
            values[i] = self._plain(self.rows[i])
        for row, value in zip(self.rows, values, strict=True):
            if np.isnan(value):
                raise EventError(f"at {time:.9g} s the witness of {row.event.told} is not a number.")
        return values

    def values_and_rates(self, time: float, y: np.ndarray, y_dot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(n,), (n,) rates along y_dot."""
        rates = np.empty(len(self.rows))
        is_exact = self._recorded if self._tangent is not None else np.zeros(len(self.rows), dtype=bool)
        if not is_exact.all():
            fastest = np.abs(y_dot / (1 + np.abs(y))).max(initial=0.0)
            difference = _DIFFERENCE / max(1.0, fastest)
            before, after = (self.values(time + d, y + d * y_dot) for d in (-difference, difference))
            rates[~is_exact] = ((after - before) / (2 * difference))[~is_exact]
        values = self.values(time, y)
        if self._tangent is not None:
            rates[is_exact] = self._tangent(self._state.values, np.concatenate([[1.0], y_dot]))
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
        event = row.event
        self._system.realize(self._state, event.stage)
        with told_of(f"the witness of {event.told}", self._state.time):
            return float(event.witness(self._state))  # type: ignore[attr-defined] # a triggered one has it

    def _tangent_function(self) -> TangentFunction:
        layout = self._state.layout
        known = (layout.time.offset, *range(layout.y.offset, layout.y.offset + layout.n_y))
        wanted = tuple(int(offset) for offset in self._at)
        if (known, wanted) not in layout.tangents:
            sweeps = stage_sweeps(self._system.realization_order, layout, [])
            before = [sweeps[stage] for stage in sorted(sweeps) if Stage.MODEL < stage <= self._table.stage]
            layout.tangents[known, wanted] = TangentFunction([*before, self._table.witnesses], known, wanted)
        return layout.tangents[known, wanted]
