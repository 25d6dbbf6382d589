"""A run with fixed steps at velocity level."""

import logging
from collections.abc import Callable

import numpy as np

from mobod.compilation.native import NativeRun
from mobod.errors import InputError, UnsupportedError
from mobod.matter import MatterSubsystem, MultibodySystem
from mobod.matter.unilateral.contact_events import CompliantContactEvent, Contact
from mobod.matter.unilateral.friction import FrictionEvent
from mobod.simulate.delays import delay_rows
from mobod.simulate.failure import state_names
from mobod.simulate.limits import release_contacts
from mobod.simulate.pieces import Pieces
from mobod.simulate.projection import FAR, project_start
from mobod.simulate.run_record import RunRecord
from mobod.simulate.velocity_level.fixed_steps import INTEGRATOR, WHOLE, FixedSteps, count_steps
from mobod.simulate.velocity_level.native_stepper import NativeVelocityLevelStepper
from mobod.system import Stage, State, System

_log = logging.getLogger("mobod")


def checked_matter(system: System, state: State, *, with_reporters: bool = True) -> MatterSubsystem:
    """The matter of the System. Raises UnsupportedError, which names it, for anything that the integrator ignores. FMUs have no
    reporters.
    """
    if not isinstance(system, MultibodySystem) or not system.has_matter:
        raise _unsupported(f"System '{system.name}' has no matter")
    for event in system.events.table(state.layout).rows if system.has_events else ():
        is_own = isinstance(event.event, (Contact, CompliantContactEvent, FrictionEvent))
        if not is_own and (with_reporters or not event.event.is_reporter):
            raise _unsupported(f"it does not support events such as {event.event.title}")
    for delay in delay_rows(system, state):
        raise _unsupported(f"it does not record the history of delay '{delay.name}'")
    for errors in state.layout.errors:
        raise _unsupported(f"it does not enforce the constraint errors '{errors.name}' of a subsystem")
    return system.matter


def _unsupported(why: str) -> UnsupportedError:
    return UnsupportedError(f"integrator='{INTEGRATOR}': {why}. Use one of the integrators with error control, such as 'RK45'.")


def run_at_velocity_level(
    system: System,
    state: State,
    until: float,
    report_every: float | None,
    *,
    steps: FixedSteps,
    constraint_tolerance: float,
    open_native: Callable[[], NativeRun],
    progress: Callable[[float, float], object] | None,
) -> RunRecord:
    """Move the State to `until` by fixed steps; the last one may be shorter.

    open_native  opens a run in C from the State
    """
    every = 1 if report_every is None else steps_in(report_every, steps.size)
    matter = prepare_start(system, state, constraint_tolerance, open_native)
    with open_native() as native:
        stepper = NativeVelocityLevelStepper(system, matter, state, native, steps)
        return _run(system, state, until, stepper, every, steps.size, progress)


def prepare_start(system: System, state: State, constraint_tolerance: float, open_native: Callable[[], NativeRun]) -> MatterSubsystem:
    """Project the start onto the constraints, unless it is the end of an earlier fixed step. Returns the matter, which is checked."""
    matter = checked_matter(system, state)
    system.realize(state, Stage.VELOCITY)
    with open_native() as native:
        goes_on = native.is_at_end_of_fixed_step()
    if not goes_on:
        release_contacts(system, state)
        project_start(system, state, constraint_tolerance)
    return matter


def _run(
    system: System,
    state: State,
    until: float,
    stepper: NativeVelocityLevelStepper,
    every: int,
    step: float,
    progress: Callable[[float, float], object] | None,
) -> RunRecord:
    start, q, run = state.time, np.array(state.q), RunRecord(system)
    stepper.begin()
    tell_if_moved(system, state, q)
    run.report(state.time, np.array(state.y), state)
    n, done, pieces = count_steps(start, until, step), 0, Pieces()
    while done < n:
        last = min(n, (done // every + 1) * every, done + pieces.n_steps)
        pieces.begin()
        stepper.take(start, until, done + 1, last)
        pieces.end(last - done)
        done = last
        if done == n or done % every == 0:
            run.variables_changed()
            run.report(state.time, np.array(state.y), state)
        if progress is not None:
            progress(state.time, until)
    run.steps = run.evaluations = n
    return run


def steps_in(report_every: float, step: float) -> int:
    """The number of steps from one report to the next. Raises InputError if it is not whole."""
    n = round(report_every / step)
    if n < 1 or abs(report_every / step - n) > WHOLE * n:
        raise InputError(
            f"Simulation.run: report_every is {report_every:g} s, but values are known only at the ends of steps of {step:g} s. "
            "Use a whole multiple of the step."
        )
    return n


def tell_if_moved(system: System, state: State, q: np.ndarray) -> None:
    """Log a warning if the coordinates changed; q (nq,): the earlier coordinates."""
    moved = np.abs(state.q - q) / (1 + np.abs(q))
    if moved.max(initial=0.0) > FAR:
        worst = int(np.argmax(moved))
        _log.warning(
            "System '%s': the start was outside of its limits and was changed: '%s' from %.6g to %.6g.",
            system.name,
            state_names(system, state)[worst],
            q[worst],
            state.q[worst],
        )
