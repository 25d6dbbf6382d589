"""A whole run by the integrators of the C runtime, in pieces, so that progress can be reported and the user can interrupt it."""

from collections.abc import Callable
from contextlib import nullcontext

import numpy as np

from mobod.c_calls import interrupts_between_calls
from mobod.compilation.native.integration import Integration
from mobod.runtime.integrators import methods_used
from mobod.simulate.delays import delay_rows, excerpts, past_size
from mobod.simulate.pieces import Pieces
from mobod.simulate.quaternions import normalize
from mobod.simulate.run_driver import RunDriver
from mobod.simulate.run_failure import inaccurate_reports
from mobod.simulate.run_record import RunRecord


def run_integrated(
    driver: RunDriver,
    done: RunRecord,
    until: float,
    report_times: list[float] | None,
    progress: Callable[[float, float], object] | None,
) -> None:
    """Move the State of the driver, which was prepared, to `until`, or to the time at which an event ends the run. With fixed steps it ends
    where a step does if that equals `until` up to round-off, and at a time event that is round-off after it.

    report_times  times between the start and `until`; None: the end of each step. The start and the end are always reported.
    """
    state, run, layout = driver.state, driver.native, driver.state.layout
    updates, delays = layout.auto_updates, delay_rows(driver.system, state)
    pending = None if report_times is None else np.array(report_times)

    def checked(integration: Integration) -> Integration:
        return driver.checked(integration, reports_steps=report_times is None)

    events = driver.follow_events(done)
    with interrupts_between_calls() if run.calls_python else nullcontext():
        until = run.end_near(until)
        if events is not None:
            checked(run.begin())
        done.report(state.time, state.copied_y(), state)
        has_changed = events is not None and checked(run.process_events()).has_changed
        is_over = run.has_reached(until) or driver.terminated_by is not None
        if has_changed and (pending is None or is_over):
            done.report(state.time, state.copied_y(), state)
        methods = n_not_projected = 0
        first_not_projected = until
        if run.host is not None:
            run.host.when_updated = lambda: done.take(state.snapshot(without=[row.variable for row in delays]))
        changes_in_steps = bool(updates.called_back) or (events is not None and events.has_time_advanced)
        pieces = Pieces(1 if changes_in_steps else None)
        driver.bound_steps()
        while not is_over:
            at_start = done.remember(state)  # handlers change it at the end of the piece
            pieces.begin()
            integration, new_times, new_ys, pasts, updated = run.run(
                until, report_times=pending, most_steps=pieces.n_steps, most_rows=pieces.n_steps, past_size=past_size(delays)
            )
            seconds = pieces.end(integration.n_steps)
            normalize(layout, new_ys)  # projections move along the tangents of the constraints
            if integration.n_not_projected and not n_not_projected:
                first_not_projected = integration.not_projected_at
            n_not_projected += integration.n_not_projected
            for report_time, y, past, numbers in zip(new_times.tolist(), new_ys, pasts, updated[:-1], strict=True):
                if updates.in_c:
                    done.take(updates.in_snapshot(at_start, numbers))
                done.report(report_time, y, state, excerpts(delays, past))
            if updates.in_c:
                done.take(updates.in_snapshot(at_start, updated[-1]))
                state.take_numbers(updates.in_values(state.values, updated[-1]))
            done.steps += integration.n_steps
            done.evaluations += integration.n_evaluations
            methods |= integration.methods
            if pending is not None:
                pending = pending[len(new_times) :]
            values = run.values()
            time, y = float(values[layout.time.offset]), values[layout.y.slice]
            for delay in delays:
                state.values[delay.memory.slice] = values[delay.memory.slice]
            is_over = run.has_reached(until)
            if is_over and pending is not None:
                done.report(time, np.array(y if events is None else events.y_before(y)), state)
            state.move_to(time, y)
            checked(integration)
            is_cut_short = not is_over and driver.terminated_by is not None
            is_over = is_over or is_cut_short
            if (integration.has_changed and (pending is None or is_over)) or (is_cut_short and pending is not None):
                done.report(time, np.array(y), state)
            if driver.changes_over:
                driver.note_work(done.evaluations, seconds, until, is_over=is_over)
            if progress is not None:
                progress(time, until)
        if events is not None:
            before = state.copied_y()
            checked(run.end())
            done.terminated_by = events.terminated_by
            if not np.array_equal(before, state.y):
                done.report(state.time, state.copied_y(), state)
        if n_not_projected:
            done.warn(inaccurate_reports(n_not_projected, first_not_projected, driver.options.step))
        done.integrator = " and ".join(methods_used(methods)) if methods else driver.options.integrator
