"""A run by the C runtime, in pieces so that progress can be told and the user can interrupt."""

from collections.abc import Callable
from typing import Any

import numpy as np

from mobod.compile.model_source import generate, start_values
from mobod.compile.native import INTEGRATED, NO_ROOM, NOT_FINITE, NOT_PROJECTED, Integration, NativeModel, NativeRun
from mobod.errors import IntegrationError, SingularMechanismError
from mobod.matter.constraint_consistency import contradiction
from mobod.simulate.delays import delay_rows, excerpts, past_size
from mobod.simulate.failure import no_room, not_projected, steps_too_small, stopped_by
from mobod.simulate.projection import constrained_matter
from mobod.simulate.quaternions import normalize
from mobod.simulate.run import Run
from mobod.system import Stage, State, System

_STEPS_AT_ONCE = 2000


def native_model(system: System, state: State) -> NativeModel:
    """The compiled form of a State's structure; made once. Raises UnsupportedError, NoCompilerError or CompileError."""
    layout = state.layout
    if layout.native is None:
        layout.native = NativeModel(generate(system, state))
    model: NativeModel = layout.native
    return model


def run_native(
    system: System,
    state: State,
    until: float,
    report_times: list[float] | None,
    *,
    accuracy: float,
    constraint_tolerance: float,
    max_step: float,
    progress: Callable[[float, float], Any] | None,
) -> Run:
    """Move the State to `until`.

    report_times  between the start and `until`; None: the end of each step. The start and the end are always reported.
    """
    layout = state.layout
    delays = delay_rows(system, state)
    done = Run()
    done.report(state.time, np.array(state.y), state)
    pending = None if report_times is None else np.array(report_times)
    with native_model(system, state).open(
        start_values(state), accuracy, constraint_tolerance=constraint_tolerance, largest_step=max_step
    ) as run:
        while state.time < until:
            integration, new_times, new_ys, pasts = run.run(
                until, report_times=pending, most_steps=_STEPS_AT_ONCE, most_rows=_STEPS_AT_ONCE, past_size=past_size(delays)
            )
            normalize(layout, new_ys)  # interpolated ones are not quite of unit length
            for report_time, y, past in zip(new_times.tolist(), new_ys, pasts, strict=True):
                done.report(report_time, y, state, excerpts(delays, past))
            done.steps += integration.n_steps
            done.evaluations += integration.n_evaluations
            if pending is not None:
                pending = pending[len(new_times) :]
            values = run.values()
            time = float(values[layout.time.offset])
            for delay in delays:
                state.values[delay.memory.slice] = values[delay.memory.slice]
            state.move_to(time, values[layout.y.slice])
            if integration.outcome != INTEGRATED:
                raise _failure(system, state, integration, run)
            if progress is not None:
                progress(time, until)
    if report_times is not None and until > done.times[-1]:
        done.report(until, np.array(state.y), state)
    return done


def _failure(system: System, state: State, integration: Integration, run: NativeRun) -> IntegrationError:
    """Why it stopped: what the elements say at the last good step, a constraint, or which state asks for too small a step."""
    matter = constrained_matter(system)
    if integration.outcome == NO_ROOM:
        return no_room(delay_rows(system, state)[integration.culprit], integration.time)
    if integration.outcome == NOT_PROJECTED:
        assert matter is not None
        return not_projected(matter.constraints[integration.culprit].name, integration.value, state.time)
    if integration.outcome == NOT_FINITE and matter is not None:
        table, values = matter.constraint_sweeps(state.layout).table, run.values()
        if table.misses(values).any():
            return stopped_by(contradiction(table, table.misses(values)), state.time)
    try:
        system.realize(state, Stage.ACCELERATION)
    except SingularMechanismError as cause:
        return stopped_by(cause, state.time)
    reason = f"less than {integration.step_size:.3g} s at {integration.time:.9g} s"
    return steps_too_small(system, state, np.array(state.y), run.rates(state.time, state.y), reason)
