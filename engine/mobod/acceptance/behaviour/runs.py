"""Runs in co-simulation at three communication steps, whose outputs are compared."""

import math
from typing import final

import numpy as np

from mobod.acceptance.behaviour.comparison import TOLERANCE, RunComparison, outputs_of, plotted
from mobod.acceptance.behaviour.grid import Grid, choose_grid, is_at
from mobod.acceptance.behaviour.probe import Probe
from mobod.acceptance.behaviour.result import Budget, RunFindings
from mobod.acceptance.behaviour.tested import Tested
from mobod.errors import first_of
from mobod.fmi.loading import Interface
from mobod.importer.variable import ForeignVariable

PARTS = (1, 2, 4)
_SECONDS = 12.0  # for the three runs; they are shortened for a slow FMU
MOST_NAMES = 20
NUDGE = 1e-9  # relative change of start values, to see whether differences grow


@final
class TrialRun:
    """A run with steps of h / parts.

    times  (m,)    s   points of the grid that it reached
    rows   (m, n)      real outputs there
    ended          s   time at which the FMU ended the simulation; None if it did not
    """

    def __init__(self, tested: Tested, grid: Grid, parts: int, found: RunFindings, budget: Budget, nudge: float = 0.0) -> None:
        self._tested, self._grid, self._found = tested, grid, found
        self._outputs = outputs_of(tested)
        self.ended: float | None = None
        times, rows = [grid.start], []
        with Probe(tested, "co-simulation", name=f"{tested.model.name}, steps of {grid.step / parts:g} s") as probe:
            if nudge:
                _nudge(probe, nudge)
            probe.initialize(grid.stop)
            values = probe.values(self._outputs)
            rows.append(values.get_reals())
            self._check_finite(rows[0], grid.start)
            step = grid.step / parts
            for point in range(grid.points):
                for k in range(point * parts, (point + 1) * parts):
                    self.ended = probe.step(grid.start + k * step, step)
                    if self.ended is not None:
                        break
                if self.ended is not None or budget.is_spent:
                    break
                if not self._is_on_time(probe, grid.time(point + 1), step):
                    break
                rows.append(values.get_reals())
                times.append(grid.time(point + 1))
                if not self._check_finite(rows[-1], times[-1]):
                    break
            if self.ended is None:
                probe.call("Terminate")
        self.times, self.rows = np.array(times), np.array(rows)

    def _is_on_time(self, probe: Probe, time: float, step: float) -> bool:
        """Whether it may be where it is: at the communication point, and in FMI 3.0 elsewhere, if it says so."""
        clock = self._tested.clock
        if clock is None:
            return True
        shown = float(probe.get(clock)[0])
        if is_at(shown, time, step):
            return True
        if probe.fmi_version == "2":
            message = f"after a step of {step:g} s to {time:.12g} s, '{clock}' is {shown!r}"
            self._found.add("communication-point", message, "step")
        elif probe.reached is None or not is_at(shown, probe.reached, step):
            message = f"after a step of {step:g} s to {time:.12g} s, '{clock}' is {shown!r}, but lastSuccessfulTime is {probe.reached!r}"
            self._found.add("last-successful-time", message, "step")
        else:
            self._found.note("It does not land on each communication point, and returns that as lastSuccessfulTime.")
            return True
        return False

    def _check_finite(self, row: list[float], time: float) -> bool:
        for name, value in zip(element_names(self._tested, self._outputs), row, strict=False):
            if not math.isfinite(value):
                self._found.add("not-finite", f"'{name}' is {value} at {time:.12g} s", "values")
                return False
        return True


def _nudge(probe: Probe, relative: float) -> None:
    """Change all start values a little, to see how differences grow."""
    for variable in probe.tested.accessible:
        start = variable.start_values
        is_state = variable.description.initial == "exact" and variable.causality in ("local", "output")
        is_state = is_state and variable.variability != "constant"
        is_parameter = variable.causality == "parameter" and variable.variability in ("fixed", "tunable")
        if start and isinstance(start[0], float) and (is_state or is_parameter):
            size = probe.size(variable)
            elements = [float(each) for each in (start if len(start) == size else start * size)]
            changed = [value * (1 + relative) for value in elements]
            if all(map(variable.is_within, changed)):
                probe.set({variable: changed})


def element_names(tested: Tested, variables: list[ForeignVariable]) -> list[str]:
    """A name for each element of the variables."""
    names = []
    for variable in variables:
        shape = tested.model.shape(variable)
        names += [str(variable)] if not shape else [f"{variable}[{k + 1}]" for k in range(math.prod(shape))]
    return names


def check_run(tested: Tested, interface: Interface, found: RunFindings) -> None:
    """It runs at three communication steps, lands on each point, and its outputs are finite and converge."""
    grid = choose_grid(tested, found)
    budget = Budget(_SECONDS)
    # the shortest steps first: they say how far the FMU comes in the time
    runs = {}
    for parts in reversed(PARTS):
        share = Budget(_SECONDS * parts / sum(PARTS))
        runs[parts] = TrialRun(tested, grid, parts, found, share if parts == PARTS[-1] else budget)
    if found.findings:
        return
    ends = [grid.stop if run.ended is None else run.ended for run in runs.values()]
    if max(ends) - min(ends) > grid.step * (1 + 1e-9):
        message = f"it ends the simulation at {min(ends):.12g} s or at {max(ends):.12g} s, depending on the communication step"
        found.add("step-dependence", message, "step")
        return
    if min(ends) < grid.stop:
        found.note(f"It ended the simulation at {min(ends):.12g} s.")
    if tested.clock is None:
        found.note("It has no independent variable, so where it landed cannot be seen.")
    reached = min(len(run.times) for run in runs.values())
    if reached - 1 < grid.points and min(ends) >= grid.stop:
        found.note(f"It is slow: the runs were compared until {runs[4].times[reached - 1]:.6g} s instead of {grid.stop:.6g} s.")
    _compare(tested, grid, found, [runs[parts] for parts in PARTS], reached)


def _compare(tested: Tested, grid: Grid, found: RunFindings, runs: list[TrialRun], reached: int) -> None:
    outputs = outputs_of(tested)
    if not outputs:
        found.note("It has no output that is a real number.")
        return
    names = element_names(tested, outputs)
    elements = tested.of_elements(outputs)
    units, nominals = [each.unit for each in elements], [each.nominal for each in elements]
    comparison = RunComparison(names, units, nominals, [run.rows[:reached] for run in runs], tested.experiment.tolerance or TOLERANCE)
    differing = comparison.differing()
    if differing:
        nudged = TrialRun(tested, grid, 4, RunFindings(tested), Budget(_SECONDS), NUDGE).rows
        horizon = comparison.allow_for_growth(nudged, NUDGE)
        if horizon is not None:
            found.note(
                f"Small differences grow in this model: a change of its start values by {NUDGE:g} of their size grows to "
                f"{horizon.growth:.2g} of the outputs' size. The runs are compared until {runs[2].times[horizon.point]:.6g} s."
            )
        differing = comparison.differing()
    found.differences.extend(comparison.differences)
    if differing:
        message = f"halving the communication step does not bring these outputs together: {first_of(differing, MOST_NAMES)}"
        found.add("step-dependence", message, "step")
    converging = [each.output for each in comparison.differences if each.verdict == "converge"]
    if converging:
        found.note(f"More than the tolerance explains, but converging: {', '.join(converging[:MOST_NAMES])}.")
    for column in plotted(names):
        for parts, run in zip(PARTS, runs, strict=True):
            label = f"steps of {grid.step / parts:g} s"
            found.curves.append(comparison.curve(column, label, run.times[:reached], run.rows[:reached]))
