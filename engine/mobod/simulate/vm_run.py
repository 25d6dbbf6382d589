"""A run by SciPy's methods: what is reported of it."""

from collections import deque
from collections.abc import Callable
from typing import Any, final

import numpy as np
from scipy.integrate import DenseOutput

from mobod.simulate.quaternions import normalize
from mobod.simulate.run import Run
from mobod.simulate.time_stepper import TimeStepper
from mobod.system import State, System


def run_on_vm(
    system: System,
    state: State,
    until: float,
    report_times: list[float] | None,
    *,
    accuracy: float,
    constraint_tolerance: float,
    method: str,
    max_step: float,
    progress: Callable[[float, float], Any] | None,
) -> Run:
    """Move the State to `until`, or to where an event ends the run.

    report_times  between the start and `until`; None: the end of each step. The start and the end are always reported.
    """
    run = Run()
    with np.errstate(all="ignore"):  # an overflow is a step refused, and told at last in our words
        stepper = TimeStepper(
            system, state, accuracy=accuracy, constraint_tolerance=constraint_tolerance, method=method, max_step=max_step, run=run
        )
        stepper.begin()
        run.report(state.time, np.array(state.y), state)
        if stepper.happen() and (report_times is None or until == state.time or stepper.is_terminated):
            run.report(state.time, np.array(state.y), state)
        stepper.step_to(until, _Reporter(run, state, stepper, until, report_times, progress))
        y = np.array(state.y)
        stepper.end()
        run.terminated_by = stepper.terminated_by
        if not np.array_equal(state.y, y):
            run.report(state.time, np.array(state.y), state)
    state.time = run.times[-1]
    state.y = run.ys[-1]
    run.steps, run.evaluations = stepper.steps, stepper.evaluations
    return run


@final
class _Reporter:
    """Reports at the times asked for, or at the end of each step; and the end."""

    def __init__(
        self,
        run: Run,
        state: State,
        stepper: TimeStepper,
        until: float,
        report_times: list[float] | None,
        progress: Callable[[float, float], Any] | None,
    ):
        self._run, self._state, self._stepper, self._until, self._progress = run, state, stepper, until, progress
        self._reports_steps = report_times is None
        self._pending = deque(report_times or ())

    def wants_inside(self, until: float) -> float:
        return self._pending[0] if self._pending else until

    def step_taken(self, interpolant: DenseOutput | None) -> None:
        end = self._stepper.time
        while interpolant is not None and self._pending and self._pending[0] <= end:
            time = self._pending.popleft()
            y = np.array(interpolant(time))
            normalize(self._state.layout, y)
            self._run.report(time, y, self._state)
        if self._reports_steps or end == self._until:
            self._run.report(end, self._stepper.y, self._state)

    def step_done(self, *, has_changed: bool) -> None:
        is_at_end = self._stepper.time == self._until
        is_cut_short = self._stepper.is_terminated and not is_at_end
        is_new = has_changed and (self._reports_steps or is_at_end or is_cut_short)
        if is_new or (is_cut_short and not self._reports_steps):
            self._run.report(self._state.time, np.array(self._state.y), self._state)
        if self._progress is not None:
            self._progress(self._stepper.time, self._until)
