"""RunsSideBySide: runs of a sweep of a System as an ensemble, in this process and on one thread."""

from collections.abc import Callable, Sequence
from typing import final

import numpy as np

from mobod.analysis.named_numbers import check_parameter
from mobod.ensembles.group import Runs, SlotGroup
from mobod.ensembles.live import LiveRuns
from mobod.ensembles.outputs import OutputTable
from mobod.ensembles.slots import SharedByRuns
from mobod.ensembles.starts import Starts
from mobod.ensembles.threads import Threads
from mobod.ensembles.whole_runs import MOST_SLOTS, WholeRuns, report_times
from mobod.errors import MobodError
from mobod.runtime.library import enumerators
from mobod.simulate import Simulation
from mobod.sweeps.figures import Figure
from mobod.system import Stage, State
from mobod.system.named_numbers import NamedNumber

CHANGED_BY_END = enumerators("ChangesAtEnd")["CHANGED_BY_END"]
TOGETHER, FEWEST = 8, 4  # runs of an ensemble: lanes of the widest vectors, and those for which an ensemble is worth its start

Found = tuple[np.ndarray, np.ndarray]
"""(n, figures) the figures, and (n,) whether they are known."""


@final
class RunsSideBySide:
    """Makes runs that differ in some numbers.

    report_every  s, of figures over time

    Raises MobodError for runs that must be made one by one.
    """

    def __init__(
        self,
        simulation: Simulation,
        state: State,
        numbers: Sequence[NamedNumber],
        figures: Sequence[Figure],
        until: float,
        report_every: float | None,
    ):
        system = simulation.system
        self._system, self._state, self._numbers, self._figures, self._until = system, state, numbers, figures, until
        for each in numbers:
            check_parameter(each, "sweep")
        self._shared = shared = SharedByRuns(system, state, simulation.options, simulation.chosen_backend(state))
        self._table = OutputTable(system, shared.base, [figure.variable for figure in figures])
        if shared.calls_python or not self._table.is_in_c:
            raise MobodError("runs that call Python are made one by one.")
        self._columns = np.array([self._table.named.columns_of(figure.variable) for figure in figures], dtype=int)
        self._at = np.array([each.offset for each in numbers], dtype=np.intc)
        self._stage = min((each.variable.invalidates or Stage.MODEL for each in numbers), default=Stage.MODEL)
        bounds = [(each.variable.minimum, each.variable.maximum) for each in numbers]
        self._least = np.array([-np.inf if least is None else least for least, _ in bounds])
        self._greatest = np.array([np.inf if greatest is None else greatest for _, greatest in bounds])
        is_over_time = any(figure.function is not None for figure in figures)
        self._runs: Callable[[np.ndarray], Found] = self._over_time if is_over_time else self._at_end
        self._live: LiveRuns | None = None
        self._whole_runs = WholeRuns(shared, Threads(1))
        if is_over_time:
            self._time, self._steps_of_row = report_times(simulation.options, state.time, until, report_every)

    def run(self, values: np.ndarray) -> Found:
        """The figures of runs with these values (n, numbers). Those that are not known are made alone, for their messages and warnings."""
        fits = ((values >= self._least) & (values <= self._greatest) & np.isfinite(values)).all(axis=1)
        figures, is_known = np.full((len(values), len(self._figures)), np.nan), np.zeros(len(values), dtype=bool)
        if fits.any():
            figures[fits], is_known[fits] = self._runs(values[fits])
        return figures, is_known & np.isfinite(figures).all(axis=1)

    def close(self) -> None:
        """Free the memory in C. It is taken again on the next use."""
        self._whole_runs.close()
        if self._live is not None:
            self._live.close()
            self._live = None

    def _starts(self, values: np.ndarray) -> Starts:
        names = [each.name for each in self._numbers]
        return Starts.varied(self._system, self._state, len(values), dict(zip(names, values.T, strict=True)))

    # values at the end, as `SteppedRun.step_to` gives them
    def _at_end(self, values: np.ndarray) -> Found:
        size = min(len(values), MOST_SLOTS)
        if self._live is None or len(self._live) < size:
            self.close()
            self._live = LiveRuns(self._shared, Starts.varied(self._system, self._state, size, {}), self._table, _advance)
        parts = [values[first : first + len(self._live)] for first in range(0, len(values), len(self._live))]
        found = [self._part_at_end(self._live, part) for part in parts]
        return np.concatenate([figures for figures, _ in found]), np.concatenate([is_known for _, is_known in found])

    def _part_at_end(self, live: LiveRuns, values: np.ndarray) -> Found:
        n, has_events = len(values), self._system.has_events
        numbers = np.arange(n)
        if has_events:  # handlers of the start depend on the values
            live.reset(numbers, self._starts(values))
        else:
            live.reset(numbers, None)
            live.write(self._at, np.concatenate([values, np.tile(values[:1], (len(live) - n, 1))]), self._stage)
        live.step_to(self._until, numbers)
        is_known = ~live.is_doubtful(range(n)) if has_events else np.ones(n, dtype=bool)
        is_known[live.is_failed[:n]] = False
        return live.observations()[:n, self._columns], is_known

    # figures over time, as `Simulation.run` gives them
    def _over_time(self, values: np.ndarray) -> Found:
        runs = self._whole_runs.run(self._starts(values), self._until, self._time, self._steps_of_row, self._table, reads_ends=True)
        figures, is_known = np.full((len(values), len(self._figures)), np.nan), (runs.changes_at_end & CHANGED_BY_END) == 0
        is_known[[*runs.error, *runs.warnings]] = False
        for number in np.flatnonzero(is_known).tolist():
            time, rows = self._points(runs, number)
            if np.isfinite(rows).all():
                columns = [np.ascontiguousarray(rows[:, column]) for column in self._columns.tolist()]
                figures[number] = [figure.of(time, column) for figure, column in zip(self._figures, columns, strict=True)]
        return figures, is_known

    def _points(self, runs: Runs, number: int) -> tuple[np.ndarray, np.ndarray]:
        """(m,) the times and (m, outputs) the numbers of the points of a run, as they are in its Results."""
        assert runs.at_end is not None
        n, end = int(runs.n_rows[number]), runs.finals.times[number]
        time, rows = self._time[:n].copy(), runs.values[number, :n]
        if n == len(self._time):
            time[-1] = end
        if runs.changes_at_end[number]:
            return np.append(time, end), np.concatenate([rows, runs.at_end[number : number + 1]])
        return time, rows


def _advance(group: SlotGroup, starts: Starts, is_start: bool) -> None:
    group.advance_to_ends(starts, range(len(group.slots)))
