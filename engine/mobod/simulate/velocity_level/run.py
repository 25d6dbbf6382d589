"""A run by fixed steps at velocity level."""

import logging
from collections.abc import Callable
from math import ceil
from typing import Any

import numpy as np

from mobod.errors import InputError, UnsupportedError
from mobod.matter import MatterSubsystem, MultibodySystem
from mobod.simulate.contacts import release_contacts
from mobod.simulate.delays import delay_rows
from mobod.simulate.failure import state_names
from mobod.simulate.projection import FAR, project_start
from mobod.simulate.run import Run
from mobod.simulate.velocity_level.engagement import EngagementRule
from mobod.simulate.velocity_level.stepper import VelocityLevelStepper
from mobod.system import Stage, State, System
from mobod.system.events import Cause

INTEGRATOR = "velocity_level"
_WHOLE = 1e-9  # of a step: round-off of times

_log = logging.getLogger("mobod")


def checked_matter(system: System, state: State) -> MatterSubsystem:
    """What the steps are of. Raises UnsupportedError, by name, for what they would leave out."""
    if not isinstance(system, MultibodySystem) or not system.has_matter:
        raise _unsupported(f"System '{system.name}' has no matter")
    for event in system.events.table(state.layout).rows if system.has_events else ():
        if event.event.cause is not Cause.UNILATERAL:
            raise _unsupported(f"it steps over events, and {event.event.told} is one")
    for delay in delay_rows(system, state):
        raise _unsupported(f"it does not remember what delay '{delay.name}' is read from")
    for errors in state.layout.errors:
        raise _unsupported(f"it does not keep the constraint errors of '{errors.name}', which are a subsystem's own")
    return system.matter


def _unsupported(why: str) -> UnsupportedError:
    return UnsupportedError(f"integrator='{INTEGRATOR}': {why}. Use one of the integrators with error control, such as 'RK45'.")


def run_at_velocity_level(
    system: System,
    state: State,
    until: float,
    report_every: float | None,
    *,
    step: float,
    engagement: EngagementRule,
    constraint_tolerance: float,
    progress: Callable[[float, float], Any] | None,
) -> Run:
    """Move the State to `until`, by steps of this size from where it is; the last one may be shorter."""
    reported = 1 if report_every is None else _steps_in(report_every, step)
    stepper = VelocityLevelStepper(system, checked_matter(system, state), state, engagement)
    start, run = state.time, Run()
    system.realize(state, Stage.VELOCITY)
    if not stepper.goes_on:
        release_contacts(system, state)
        project_start(system, state, constraint_tolerance)
    q = np.array(state.q)
    stepper.begin()
    _tell_if_moved(system, state, q)
    run.report(state.time, np.array(state.y), state)
    n = ceil((until - start) / step - _WHOLE)
    for k in range(1, n + 1):
        stepper.step(until if k == n else start + k * step)
        run.steps += 1
        if k == n or k % reported == 0:
            run.variables_changed()
            run.report(state.time, np.array(state.y), state)
        if progress is not None:
            progress(state.time, until)
    run.evaluations = run.steps
    return run


def _steps_in(report_every: float, step: float) -> int:
    n = round(report_every / step)
    if n < 1 or abs(report_every / step - n) > _WHOLE * n:
        raise InputError(
            f"Simulation.run: report_every is {report_every:g} s, and between the ends of steps of {step:g} s nothing is known. "
            "Take a whole multiple of the step."
        )
    return n


def _tell_if_moved(system: System, state: State, q: np.ndarray) -> None:
    moved = np.abs(state.q - q) / (1 + np.abs(q))
    if moved.max(initial=0.0) > FAR:
        worst = int(np.argmax(moved))
        _log.warning(
            "System '%s': the start was outside of its limits, and was moved: '%s' from %.6g to %.6g.",
            system.name,
            state_names(system, state)[worst],
            q[worst],
            state.q[worst],
        )
