"""Grid: the communication points of the runs, at steps that the FMU can take."""

import functools
import itertools
from dataclasses import dataclass
from typing import final

from mobod.acceptance.behaviour.probe import Probe
from mobod.acceptance.behaviour.result import RunFindings
from mobod.acceptance.behaviour.tested import Tested
from mobod.errors import FmuFileError
from mobod.importer.co_simulation import fixed_step_of

_PROBED = 8  # times
_MOST_PROBED = 1000  # steps
_EXACT = 1e-6  # of the step; allows for the round-off of an FMU that sums its steps


@final
@dataclass(frozen=True)
class Grid:
    """Points at which runs with steps h, h/2 and h/4 are compared.

    start, step  s
    points       number of steps of size h
    """

    start: float
    step: float
    points: int

    @property
    def stop(self) -> float:
        return self.start + self.points * self.step

    def time(self, point: int) -> float:
        return self.start + point * self.step


def choose_grid(tested: Tested, found: RunFindings) -> Grid:
    """The grid of the experiment; its steps are longer for an FMU that has steps of its own, which are too long for h/4."""
    experiment = tested.experiment
    try:
        fixed = fixed_step_of(tested.model.capabilities("co-simulation"))
    except FmuFileError:
        fixed = None  # the rules of the model description report it
    if fixed is not None:
        found.note(f"It declares a fixed internal step of {fixed:g} s; the three communication steps are multiples of it.")
        return _multiples(tested, fixed)
    internal = _internal_step(tested, experiment.step / 4)
    if internal is None:
        return Grid(experiment.start, experiment.step, experiment.points)
    found.note(
        f"Its time moves in steps of {internal:.6g} s, which it does not declare; the three communication steps are multiples of it."
    )
    return _multiples(tested, internal)


def _multiples(tested: Tested, fixed: float) -> Grid:
    experiment = tested.experiment
    step = 4 * fixed * max(1, round(experiment.step / (4 * fixed)))
    return Grid(experiment.start, step, max(2, int((experiment.stop - experiment.start) / step * (1 + 1e-12))))


def _internal_step(tested: Tested, step: float) -> float | None:
    """The distance of the times that it can reach (s), if that is longer than a communication step; None if it lands on each point."""
    clock, start = tested.clock, tested.experiment.start
    if clock is None:
        return None
    shown, behind = [start], []
    with Probe(tested, "co-simulation") as probe:
        probe.initialize(start + _MOST_PROBED * step)
        for k in range(_MOST_PROBED):
            if probe.step(start + k * step, step) is not None:
                break
            time = float(probe.get(clock)[0])
            behind.append(start + (k + 1) * step - time)
            if abs(time - shown[-1]) > _EXACT * step:
                shown.append(time)
            if len(shown) > _PROBED:
                break
    if len(shown) < 3:
        return None
    moves = [after - before for before, after in itertools.pairwise(shown)]
    if min(moves) <= 0 or max(behind) <= _EXACT * step:
        return None
    unit = functools.reduce(_common_divisor, moves)
    is_bounded = all(-_EXACT * step <= each <= unit * (1 + 1e-6) for each in behind)
    return unit if is_bounded and unit > 1e-3 * step else None


def _common_divisor(one: float, other: float) -> float:
    """The greatest number of which both are multiples, despite round-off."""
    smallest = 1e-6 * min(one, other)
    while other > smallest:
        one, other = other, abs(one - round(one / other) * other)
    return one


def is_at(shown: float, time: float, step: float) -> bool:
    """Whether an FMU that shows this time (s) has reached the communication point."""
    return abs(shown - time) <= _EXACT * step
