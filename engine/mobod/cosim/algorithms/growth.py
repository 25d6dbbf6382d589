"""Growth: finds a coupling that is unstable at its communication step, and a step at which it is stable."""

from typing import final

import numpy as np

from mobod.cosim.algorithms.slow_growth import is_suspicious, tried_rates
from mobod.cosim.algorithms.trials import trials
from mobod.cosim.connections.range_watch import recorded
from mobod.cosim.step_sizes.control import CoupledRun
from mobod.cosim.strong_components import strong_components
from mobod.errors import MobodError, MobodWarning
from mobod.simulate.table import Table

_LEAST_ROWS, _LEAST_ROWS_OF_SLOW = 16, 64
_FACTOR = 1.1  # by which changes grow from one window of steps to the next
_ROUGH = 0.3  # changes in a step, relative to the values, that no resolved motion has
_SHORTER, _MOST_TRIALS = 0.8, 30
_MARGIN = 0.8  # of the longest step without growth
_TRIAL_STEPS = 48


@final
class GrowthWatch:
    """Looks at the results of fixed steps.

    A motion that grows by itself changes little in a step, and grows as fast with shorter ones. A coupling that is unstable changes values
    by their own size in each step, and by more in each following one. Near the limit of stability they grow slowly, and less at half the
    step.
    """

    def __init__(self, coupling: CoupledRun) -> None:
        self._coupling = coupling
        names = list(coupling.instances)
        feeds = np.zeros((len(names), len(names)), dtype=bool)
        for each in coupling.connections:
            feeds[names.index(each.source.component.name), names.index(each.target.component.name)] = True
        rings = [{names[k] for k in group} for group in strong_components(feeds) if len(group) > 1]
        # values that have no effect on themselves grow for another reason
        self._connections = [
            each for each in coupling.connections if any({each.source.component.name, each.target.component.name} <= ring for ring in rings)
        ]

    def looks_at(self, n_rows: int) -> bool:
        """Whether so many rows may show growth."""
        return n_rows >= _LEAST_ROWS and bool(self._connections)

    def check(self, table: Table, *, can_try: bool) -> None:
        """Warn if values that are exchanged grow without bound. can_try: whether the components are where the table ends,
        and can return there from steps of any size
        """
        if not self.looks_at(len(table.time)):
            return
        for name, values in self._signals(table):
            if _grows(values, self._coupling.order):
                message = (
                    f"co-simulation: the coupling is unstable at steps of {self._coupling.step:.4g} s: '{name}' changes by its own size in "
                    f"each step, and grew to {np.abs(values).max():.3g} at {table.time[-1]:.6g} s. {self._advice(table, values, can_try)}"
                )
                MobodWarning.warn(message)
                return
        if can_try and len(table.time) >= _LEAST_ROWS_OF_SLOW:
            self._check_slow(table)

    def _check_slow(self, table: Table) -> None:
        """Warn if the size of the steps makes values grow slowly, which trials from here with half of it show."""
        coupling, end = self._coupling, float(table.time[-1])
        places = {str(each.source): k for k, each in enumerate(coupling.connections)}
        for name, values in self._signals(table):
            if not is_suspicious(values):
                continue
            rates = tried_rates(coupling, places[name], end, len(values) // 2)
            if rates is not None and rates.is_by_coupling:
                stable = rates.stable(coupling.step)
                advice = (
                    "The coupling adds to it at any step. Take shorter ones"
                    if stable is None
                    else f"Steps of {stable:.2g} s would be stable"
                )
                message = (
                    f"co-simulation: '{name}' grows because of the steps of {coupling.step:.4g} s: by {rates.whole:.2g} of its size in a "
                    f"second at {end:.6g} s, in trials with half the step by {rates.half:.2g}. {advice}, or use input_order=1 or "
                    "algorithm='newton'."
                )
                MobodWarning.warn(message, stacklevel=3)
            return

    def _signals(self, table: Table) -> list[tuple[str, np.ndarray]]:
        """Recorded values of real outputs that are connected, by name."""
        found = {str(each.source): recorded(table, each.source) for each in self._connections if each.source.variable.kind == "float"}
        return [(name, values) for name, values in found.items() if values is not None]

    def _advice(self, table: Table, values: np.ndarray, can_try: bool) -> str:
        stable = self._tried(float(table.time[-1])) if can_try else None
        if stable is None:
            stable = _estimated(values, self._coupling.step)
        if stable is None:
            return "Take shorter steps, or use algorithm='newton'."
        return f"Steps of {stable:.2g} s would be stable. Or use algorithm='newton'."

    def _tried(self, time: float) -> float | None:
        """The longest step of a series at which values do not grow, by trial steps from here; None if there is none, or trials fail."""
        coupling, step = self._coupling, self._coupling.step
        try:
            with trials(coupling) as begin:
                for _ in range(_MOST_TRIALS):
                    step *= _SHORTER
                    begin()
                    rows = []
                    for k in range(_TRIAL_STEPS):
                        coupling.algorithm.advance(time + k * step, step)
                        rows.append([value for value in coupling.signals.values if isinstance(value, float)])
                    sizes = [np.abs(each).max() for each in np.split(np.array(rows), 4)]
                    if np.isfinite(sizes).all() and sizes[3] < sizes[2] < sizes[1]:
                        return _MARGIN * step
        except MobodError:  # of a component that cannot return, or that fails in a trial
            return None
        return None


def _grows(values: np.ndarray, order: int) -> bool:
    with np.errstate(over="ignore", invalid="ignore"):
        changes = np.abs(np.diff(values, n=order + 1))
        windows = np.array_split(changes[-max(_LEAST_ROWS, len(changes) // 2) :], 4)
        peaks = np.array([each.max() for each in windows])
        size = np.abs(values).max()
    grows = (peaks[1:] > _FACTOR * peaks[:-1]).all() and peaks[0] > 0
    return bool(grows and (not np.isfinite(size) or peaks[-1] > _ROUGH * size))


def _estimated(values: np.ndarray, step: float) -> float | None:
    """From the fastest growing mode of the recurrence: its factor per step is taken for that of an explicit Euler step.

    That overestimates the limit if the step is far above it, so half of the result is given.
    """
    order = 6
    rows = np.lib.stride_tricks.sliding_window_view(values[-40:], order + 1)
    scale = np.abs(rows).max(axis=1, keepdims=True)
    rows = rows[scale[:, 0] > 0] / scale[scale[:, 0] > 0]
    if len(rows) < order:
        return None
    coefficients = np.linalg.lstsq(rows[:, :-1], rows[:, -1], rcond=1e-10)[0]
    factor = max(np.roots(np.append(1.0, -coefficients[::-1])), key=abs)
    rate = (complex(factor) - 1) / step
    return -rate.real / abs(rate) ** 2 if rate.real < 0 else None
