"""Event mode and early return in co-simulation of FMI 3.0."""

import numpy as np

from mobod.acceptance.behaviour.comparison import GROWTH, TOLERANCE, largest_gap, outputs_of
from mobod.acceptance.behaviour.grid import choose_grid
from mobod.acceptance.behaviour.probe import OK, WARNING, Probe
from mobod.acceptance.behaviour.result import Budget, NotCheckedError, RunFindings
from mobod.acceptance.behaviour.runs import TrialRun, element_names
from mobod.acceptance.behaviour.tested import Tested
from mobod.fmi.loading import Interface

_MOST_POINTS = 200
_MOST_RETURNS = 1000  # early ones, within one step
_SECONDS = 4.0
_SHARE = 0.05  # of its range by which an output may differ with the handling of events


def check_events(tested: Tested, interface: Interface, found: RunFindings) -> None:
    """It runs in event mode, with and without early return, and gives the outputs of a run without event mode."""
    if tested.fmi_version == "2":
        raise NotCheckedError("FMI 2.0 has no event mode in co-simulation.")
    if tested.model.capabilities(interface).get("hasEventMode") is not True:
        raise NotCheckedError("Its model description does not declare event mode.")
    if not tested.has_clocks:
        _refuse_event_mode(tested, found)
    grid = choose_grid(tested, RunFindings(tested))
    plain = TrialRun(tested, grid, 1, RunFindings(tested), Budget(_SECONDS)).rows
    outputs = outputs_of(tested)
    names = element_names(tested, outputs)
    for early in (False, True):
        rows = _run(tested, found, early, min(grid.points, _MOST_POINTS))
        count = min(len(rows), len(plain))
        for column, name in enumerate(names):
            one, other = np.array(rows)[:count, column], plain[:count, column]
            allowed = GROWTH * (tested.experiment.tolerance or TOLERANCE) * max(1.0, float(np.abs(other).max()))
            gap = largest_gap(one, other)
            if gap > allowed + _SHARE * float(np.ptp(other)):
                kind = "with early return" if early else "without early return"
                found.note(f"In event mode {kind} '{name}' differs by {gap:.3g} from a run without event mode.")
    found.note("It ran in event mode, with and without early return.")


def _refuse_event_mode(tested: Tested, found: RunFindings) -> None:
    with Probe(tested, "co-simulation") as probe:
        probe.initialize()
        probe.where = "of an instance that was made without event mode"
        if probe.status("EnterEventMode") in (OK, WARNING):
            found.note("fmi3EnterEventMode returns OK for an instance that was made without event mode.")


def _run(tested: Tested, found: RunFindings, early: bool, points: int) -> list[list[float]]:
    """The rows of a run in event mode."""
    grid, budget = choose_grid(tested, RunFindings(tested)), Budget(_SECONDS)
    with Probe(tested, "co-simulation", events=True, early=early) as probe:
        probe.initialize(grid.stop)
        values = probe.values(outputs_of(tested))
        rows = [values.get_reals()]
        for point in range(points):
            if budget.is_spent or not _advance(probe, found, grid.time(point), grid.time(point + 1)):
                break
            rows.append(values.get_reals())
        else:
            probe.call("Terminate")
    return rows


def _advance(probe: Probe, found: RunFindings, start: float, end: float) -> bool:
    """Step to the next point, in several steps if the FMU returns early. Returns whether it was reached."""
    time = start
    for _ in range(_MOST_RETURNS):
        if probe.step(time, end - time) is not None:
            return False
        reached = probe.reached
        assert reached is not None  # after a step of FMI 3.0
        if not np.isfinite(reached) or reached < time - 1e-9 * (end - start):
            found.add("last-successful-time", f"a step from {time:.12g} s returns the lastSuccessfulTime {reached!r}", "step")
            return False
        if not probe.is_early:
            return True
        if reached > end + 1e-9 * (end - start):
            found.add("last-successful-time", f"a step to {end:.12g} s returns early at {reached!r}, which is later", "step")
            return False
        time = reached
        if end - time <= 1e-9 * (end - start):
            return True
    found.add("early-return", f"steps from {start:.12g} s return early again and again, without progress in time", "step")
    return False
