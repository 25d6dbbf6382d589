"""A run with fixed steps at velocity level."""

from collections.abc import Callable

import numpy as np

from mobod.compilation.native import NativeRun
from mobod.errors import InputError, UnsupportedError
from mobod.matter import MatterSubsystem, MultibodySystem
from mobod.matter.unilateral.contact_events import CompliantContactEvent, Contact
from mobod.matter.unilateral.friction import FrictionEvent
from mobod.simulate.delays import delay_rows
from mobod.simulate.limits import release_contacts
from mobod.simulate.pieces import Pieces
from mobod.simulate.projection import changes_by_limits, changes_of_start, project_start
from mobod.simulate.run_record import RunRecord
from mobod.simulate.velocity_level.fixed_steps import INTEGRATOR, WHOLE, FixedSteps, count_steps
from mobod.simulate.velocity_level.native_stepper import NativeVelocityLevelStepper
from mobod.system import Stage, State, System
from mobod.system.scales import Scales


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
    scales: Scales,
    open_native: Callable[[], NativeRun],
    progress: Callable[[float, float], object] | None,
) -> RunRecord:
    """Move the State to `until` by fixed steps; the last one may be shorter.

    open_native  opens a run in C from the State
    """
    every = 1 if report_every is None else steps_in(report_every, steps.size)
    matter, given = prepare_start(system, state, constraint_tolerance, scales, open_native)
    done = RunRecord(system)
    for each in changes_of_start(system, state, given, constraint_tolerance, scales=scales):
        done.warn(each)
    with open_native() as native:
        stepper = NativeVelocityLevelStepper(system, matter, state, native, steps)
        return _run(done, state, until, stepper, every, steps.size, progress)


def prepare_start(
    system: System, state: State, constraint_tolerance: float, scales: Scales, open_native: Callable[[], NativeRun]
) -> tuple[MatterSubsystem, np.ndarray]:
    """Project the start onto the constraints, unless it is the end of an earlier fixed step. Returns the matter, which is checked, and y
    before the projection.
    """
    matter = checked_matter(system, state)
    system.realize(state, Stage.VELOCITY)
    with open_native() as native:
        goes_on = native.is_at_end_of_fixed_step()
    if goes_on:
        return matter, np.array(state.y)
    release_contacts(system, state)
    return matter, project_start(system, state, constraint_tolerance, scales)


def _run(
    run: RunRecord,
    state: State,
    until: float,
    stepper: NativeVelocityLevelStepper,
    every: int,
    step: float,
    progress: Callable[[float, float], object] | None,
) -> RunRecord:
    start, q = state.time, np.array(state.q)
    stepper.begin()
    for each in changes_by_limits(run.system, state, q):
        run.warn(each)
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
            f"Use a whole multiple of the step, such as {max(n, 1) * step:g} s."
        )
    return n
