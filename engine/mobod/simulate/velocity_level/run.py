"""A run with fixed steps at velocity level."""

from collections.abc import Callable

import numpy as np

from mobod.errors import InputError
from mobod.simulate.pieces import Pieces
from mobod.simulate.projection import changes_by_limits
from mobod.simulate.run_driver import RunDriver
from mobod.simulate.run_failure import jammed_steps
from mobod.simulate.run_record import RunRecord
from mobod.simulate.velocity_level.fixed_steps import INTEGRATOR, WHOLE, count_steps


def run_at_velocity_level(
    driver: RunDriver,
    run: RunRecord,
    until: float,
    every: int,
    progress: Callable[[float, float], object] | None,
) -> None:
    """Move the State of the driver, which was prepared, to `until` by fixed steps; the last one may be shorter.

    every  number of steps from one report to the next
    """
    state, fixed, stepper = driver.state, driver.options.fixed_steps, driver.fix_steps()
    assert fixed is not None
    assert stepper is not None
    start, q = state.time, np.array(state.q)
    with np.errstate(all="ignore"):  # overflow is reported by errors of mobod
        stepper.begin()
        for each in changes_by_limits(run.system, state, q):
            run.warn(each)
        run.report(state.time, np.array(state.y), state)
        driver.bound_steps()
        n, done, pieces = count_steps(start, until, fixed.size), 0, Pieces()
        while done < n:
            last = min(n, (done // every + 1) * every, done + pieces.n_steps)
            pieces.begin()
            stepper.take(start, until, done + 1, last)
            seconds = pieces.end(last - done)
            done = last
            if driver.changes_over:
                driver.note_work(done, seconds, until, is_over=done == n)
            if done == n or done % every == 0:
                run.variables_changed()
                run.report(state.time, np.array(state.y), state)
            if progress is not None:
                progress(state.time, until)
    run.steps = run.evaluations = n
    run.jammed_steps, first_jam = driver.native.jams()
    if run.jammed_steps:
        run.warn(jammed_steps(run.jammed_steps, first_jam))
    run.integrator = INTEGRATOR


def steps_in(report_every: float, step: float) -> int:
    """The number of steps from one report to the next. Raises InputError if it is not whole."""
    n = round(report_every / step)
    if n < 1 or abs(report_every / step - n) > WHOLE * n:
        raise InputError(
            f"Simulation.run: report_every is {report_every:g} s, but values are known only at the ends of steps of {step:g} s. "
            f"Use a whole multiple of the step, such as {max(n, 1) * step:g} s."
        )
    return n
