"""The error of a failed run: its cause in the words of the C runtime (failures/failure_causes.c in fmu_src/native), what singular
coordinates or missing inertia add to it, and what to do by the options of a Simulation. And what makes reports doubtful.
"""

from mobod.compilation.native.integration import Explanation, Integration, Outcome
from mobod.compilation.native.native_run import NativeRun
from mobod.errors import EventError, FrictionParadoxError, IntegrationError, MobodError, SingularMechanismError
from mobod.matter.constraint_rows.constraint_consistency import WHICH_OPEN
from mobod.matter.unilateral.contact_events import Contact
from mobod.simulate.depth_checks import deep_contacts
from mobod.simulate.failure import stopped_by
from mobod.simulate.run_record import RunRecord
from mobod.system import Stage, State, System

_PARADOXES = (Outcome.FRICTION_PARADOX, Outcome.JOINT_JAMMED)
_NOT_OF_EVENTS = (Outcome.EVENT_STOPPED, Outcome.KERNEL_STOPPED)
_MAY_BE_SINGULAR = (Outcome.NOT_FINITE, Outcome.STEP_NOT_FINITE, Outcome.TOO_INACCURATE, Outcome.TOO_MANY_STEPS, Outcome.KERNEL_STOPPED)

_REMEDIES = {
    Outcome.TOO_INACCURATE: " Use integrator='Rodas5P' for a stiff system, or a larger accuracy value.",
    Outcome.MOVED_TOO_FAR: " Or use a larger accuracy value, at least 1e-8.",
    Outcome.HISTORY_FULL: " Or use a larger accuracy value.",
    Outcome.FRICTION_PARADOX: " Or use integrator='velocity_level'.",
}


def inaccurate_reports(count: int, first: float, step: float) -> str:
    """Message on reports within steps that are not projected, the first at the time `first`. step: s, of fixed steps; else 0."""
    return (
        f"{count} reports between the ends of steps, the first at {first:.9g} s, satisfy the constraints "
        "less accurately than the ends of steps. Check for motions that change fast within a step, or for a closed loop that can "
        f"continue in several ways. Use {'a smaller step' if step else 'max_step or a smaller accuracy value'}."
    )


def jammed_steps(count: int, first: float) -> str:
    """Message on fixed steps in which bodies jam, the first at the time `first`; docs/decisions/213-jammed-steps.md"""
    steps = "1 step, at" if count == 1 else f"{count} steps, the first at"
    return (
        f"bodies jam in {steps} {first:.9g} s: their contacts contradict each other within the step, so that it keeps gaps "
        "which they close in it, or has no bounces. A body may stop short of a contact, by its speed times the step. Use a smaller step."
    )


def note_jams(record: RunRecord, run: NativeRun) -> None:
    """Note in how many fixed steps of a run bodies have jammed, with a warning."""
    record.jammed_steps, first = run.jams()
    if record.jammed_steps:
        record.warn(jammed_steps(record.jammed_steps, first))


def run_failure(system: System, state: State, failure: Integration, run: NativeRun, *, reports_steps: bool = False) -> MobodError:
    """The error of a failed run, whose State has the last good time and y.

    reports_steps  whether each step is reported, not only those at report times
    """
    if failure.outcome in (Outcome.NOT_FINITE, Outcome.KERNEL_STOPPED) and run.why_no_value is not None:
        return stopped_by(run.why_no_value, state.time)
    cause, explanation = run.cause(failure)
    if failure.outcome in _PARADOXES:
        return FrictionParadoxError(f"at {failure.time:.9g} s {cause}{_REMEDIES.get(failure.outcome, '')}")
    if is_of_event(failure):
        if explanation == Explanation.EXPLAINED_BY_FLAT_RIM:
            return EventError(f"at {failure.time:.9g} s {cause}")
        return _error_of_event(system, state, failure, run, cause)
    if explanation == Explanation.EXPLAINED_BY_OUTCOME:
        why_singular = ""
        if failure.outcome in _MAY_BE_SINGULAR:
            try:
                system.realize(state, Stage.ACCELERATION)
            except SingularMechanismError as error:
                return stopped_by(error, state.time)
            why_singular = _why_singular(system, state)
        cause += f" {why_singular}" if why_singular else _remedy(failure, run, reports_steps=reports_steps)
        for message in deep_contacts(system, _failed_state(state, failure, run)):
            cause += f" {message[0].upper()}{message[1:]}"
    elif explanation == Explanation.EXPLAINED_BY_CONTRADICTING_FRICTION:
        cause += WHICH_OPEN
    at = failure.time if explanation == Explanation.EXPLAINED_BY_OUTCOME else state.time  # of a step at velocity level: its end, its start
    return IntegrationError(f"the integration stopped at {at:.9g} s: {cause}")


def is_of_event(failure: Integration) -> bool:
    """Whether an event, a contact or the impulses of a step are the cause."""
    return failure.outcome == Outcome.STEP_UNSOLVED or (
        failure.outcome >= Outcome.WITNESS_NOT_A_NUMBER and failure.outcome not in _NOT_OF_EVENTS
    )


def _remedy(failure: Integration, run: NativeRun, *, reports_steps: bool) -> str:
    if failure.outcome == Outcome.TOO_MANY_STEPS:
        since = "in this run" if reports_steps else "since the last report"
        shorter = "" if run.fixed_step else "integrator='Rodas5P' for a stiff system, a larger accuracy value or "
        return f" They were tried {since}. Use {shorter}more reports (report_every), or allow more: Simulation(..., max_steps=...)."
    return _REMEDIES.get(failure.outcome, "")


def _why_singular(system: System, state: State) -> str:
    """Which coordinates are near a singularity; empty if none are."""
    return " ".join(filter(None, (subsystem.explain_failure(state) for subsystem in system.subsystems)))


def _error_of_event(system: System, state: State, failure: Integration, run: NativeRun, cause: str) -> MobodError:
    if failure.outcome == Outcome.FRICTION_UNSOLVED and not run.is_at_velocity_level:
        cause += " Or use integrator='velocity_level'."
    elif failure.outcome == Outcome.CONTACT_OUTSIDE:
        event, failed = system.events.table(state.layout).rows[failure.culprit].event, _failed_state(state, failure, run)
        assert isinstance(event, Contact)
        system.realize(failed, Stage.POSITION)
        cause += event.constraint.where(failed, event.row)
    elif failure.outcome == Outcome.WITNESS_NOT_A_NUMBER and (why := _why_singular(system, _failed_state(state, failure, run))):
        return IntegrationError(f"the integration stopped at {failure.time:.9g} s: {cause} {why}")
    return EventError(f"at {failure.time:.9g} s {cause}")


def _failed_state(state: State, failure: Integration, run: NativeRun) -> State:
    """A copy of the State with the present numbers of the run."""
    failed, values = state.copy(), run.values()
    failed.move_to(failure.time, values[state.layout.y.slice])
    failed.take_numbers(values)
    return failed
