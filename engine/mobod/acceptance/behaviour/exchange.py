"""Model exchange: CVODE integrates the FMU at two tolerances; both runs agree with each other, and with co-simulation."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import final

import numpy as np

from mobod.acceptance.behaviour.comparison import GROWTH, TOLERANCE, largest_gap, outputs_of, plotted
from mobod.acceptance.behaviour.defects import steps_agree
from mobod.acceptance.behaviour.grid import Grid, choose_grid
from mobod.acceptance.behaviour.result import Budget, NotCheckedError, RunFindings
from mobod.acceptance.behaviour.runs import NUDGE, TrialRun, element_names
from mobod.acceptance.behaviour.tested import Tested
from mobod.acceptance.report import PlottedCurve
from mobod.errors import MobodError
from mobod.fmi.loaded_fmu import LoadedFmu
from mobod.fmi.loading import Interface
from mobod.importer.driver import InputDriver
from mobod.importer.instance import FmuInstance
from mobod.importer.model_exchange import ModelExchange

MOST_POINTS = 500
_SECONDS = 12.0
_FINE = 0.01  # the second tolerance, as a part of the first
_SHARE = 0.05  # of its range by which an output may differ between co-simulation and model exchange, besides errors that are known
MOST_NAMES = 20
_MOST_GROWTH = 1e3  # of small differences, up to which the interfaces are compared


class _OutOfTimeError(Exception):
    """The run takes too long."""


@final
class _ValueRecorder:
    """Takes the rows of a run at its points; at an event that with the new values."""

    def __init__(self, tested: Tested, instance: FmuInstance, points: np.ndarray) -> None:
        self._values = instance.values(outputs_of(tested))
        self._points = points
        self.rows: list[list[float]] = []

    def record(self, time: float) -> None:
        row = self._values.get_reals()
        position = len(self.rows)
        if position and time <= self._points[position - 1]:
            self.rows[-1] = row
        elif position < len(self._points) and time >= self._points[position] * (1 - 1e-12) - 1e-300:
            self.rows.append(row)


def check_exchange(tested: Tested, interface: Interface, found: RunFindings) -> None:
    """CVODE can integrate it, its events end, and its outputs agree with those of co-simulation."""
    grid = choose_grid(tested, RunFindings(tested)) if "co-simulation" in tested.model.interfaces else None
    experiment = tested.experiment
    count = grid.points if grid else experiment.points
    step = grid.step if grid else experiment.step
    tolerance = tested.experiment.tolerance or TOLERANCE
    points = experiment.start + step * np.arange(min(count, MOST_POINTS) + 1)
    runs = []
    for each in (tolerance, _FINE * tolerance):
        rows, ended = _integrate(tested, found, points, each)
        if ended is None and len(rows) < len(points):
            if len(rows) < 3:
                raise NotCheckedError(f"CVODE needs more than {_SECONDS:g} s for {2 * step:g} s.")
            points = points[: len(rows)]
            found.note(f"It is slow: it was integrated until {points[-1]:.6g} s.")
        runs.append((rows, ended))
    reached = min(len(rows) for rows, _ in runs)
    ends = [ended for _, ended in runs if ended is not None]
    if ends:
        found.note(f"It ended the simulation at {ends[0]:.12g} s.")
    coarse, fine = (np.array(rows[:reached]) for rows, _ in runs)
    if not outputs_of(tested) or reached < 2:
        found.note("It has no output that is a real number.")
        return
    _check_finite(tested, found, coarse, points)
    names = element_names(tested, outputs_of(tested))
    units = [each.unit for each in tested.of_elements(outputs_of(tested))]
    for column in plotted(names):
        curve = PlottedCurve(
            names[column],
            f"model exchange, tolerance {_FINE * tolerance:g}",
            units[column],
            points[:reached].tolist(),
            fine[:, column].tolist(),
        )
        found.curves.append(curve)
    if grid is not None and not found.findings:
        _compare_with_co_simulation(tested, grid, found, coarse, fine)


def _integrate(tested: Tested, found: RunFindings, points: np.ndarray, tolerance: float) -> tuple[list[list[float]], float | None]:
    """The rows at the points, and the time at which the FMU ended the simulation."""
    start, stop = float(points[0]), float(points[-1])
    budget = Budget(_SECONDS / 2)
    with _noting_calls(tested), FmuInstance(tested.model, "model-exchange") as instance:
        instance.initialize(start, stop, tolerance, {})
        recorder = _ValueRecorder(tested, instance, points)
        equations = ModelExchange(instance, points, tolerance)
        ended = None

        def progress(_time: float, _until: float) -> None:
            if budget.is_spent:
                raise _OutOfTimeError

        try:
            if equations.run(InputDriver(instance, None), np.empty(0), np.empty(0), recorder, progress) is not None:
                ended = instance.time
        except _OutOfTimeError:
            pass
        found.note(f"CVODE took {equations.steps} steps at a tolerance of {tolerance:g}.")
    return recorder.rows, ended


@contextmanager
def _noting_calls(tested: Tested) -> Iterator[None]:
    """Note each call of the FMU, since it may not return."""
    LoadedFmu.observer = tested.monitor.note
    try:
        yield
    finally:
        LoadedFmu.observer = None


def _check_finite(tested: Tested, found: RunFindings, rows: np.ndarray, points: np.ndarray) -> None:
    names = element_names(tested, outputs_of(tested))
    for row, column in np.argwhere(~np.isfinite(rows))[:1].tolist():
        found.add("not-finite", f"'{names[column]}' is {rows[row, column]} at {points[row]:.12g} s in model exchange", "values")


def _compare_with_co_simulation(tested: Tested, grid: Grid, found: RunFindings, coarse: np.ndarray, fine: np.ndarray) -> None:
    try:
        half, quarter = (TrialRun(tested, grid, parts, RunFindings(tested), Budget(_SECONDS / 3)).rows for parts in (2, 4))
    except MobodError as error:
        found.note(f"It was not compared with co-simulation: {error}")
        return
    count = min(len(each) for each in (coarse, fine, half, quarter))
    outputs = tested.of_elements(outputs_of(tested))
    names = element_names(tested, outputs_of(tested))
    gaps, allowances = [], []
    for column, variable in enumerate(outputs):
        one, other = quarter[:count, column], fine[:count, column]
        size = max(float(np.abs(other).max()), variable.nominal)
        spread = 2 * largest_gap(half[:count, column], one) + 2 * largest_gap(coarse[:count, column], other)
        tolerance = tested.experiment.tolerance or TOLERANCE
        allowances.append(GROWTH * tolerance * size + spread + _SHARE * float(np.ptp(other)))
        gaps.append(largest_gap(one, other))
    differing = [name for name, gap, allowed in zip(names, gaps, allowances, strict=True) if gap > allowed]
    if not differing:
        found.note("Co-simulation and model exchange agree.")
    elif (growth := _growth(tested, grid, quarter[:count])) > _MOST_GROWTH:
        found.note(
            f"Co-simulation and model exchange were not compared: a change of the start values by {NUDGE:g} of their size grows "
            f"{growth:.2g} times."
        )
    elif steps_agree(tested, grid):
        found.note(
            f"Co-simulation and model exchange differ in: {', '.join(differing[:MOST_NAMES])}. Each step agrees with the derivatives, so "
            "the solver of co-simulation is coarse."
        )
    else:
        worst = max(range(len(names)), key=lambda k: gaps[k] / allowances[k] if allowances[k] else 0.0)
        message = (
            f"model exchange and co-simulation give different outputs: {', '.join(differing[:MOST_NAMES])}. "
            f"'{names[worst]}' differs by {gaps[worst]:.3g} {outputs[worst].unit}".rstrip()
        )
        found.add("interfaces-differ", message, "equations")


def _growth(tested: Tested, grid: Grid, rows: np.ndarray) -> float:
    """How much a small change of the start values grows in co-simulation."""
    nudged = TrialRun(tested, grid, 4, RunFindings(tested), Budget(_SECONDS / 3), NUDGE).rows
    count = min(len(nudged), len(rows))
    sizes = np.maximum(np.abs(rows).max(axis=0), 1e-300)
    return float((np.abs(nudged[:count] - rows[:count]).max(axis=0) / sizes).max() / NUDGE)
