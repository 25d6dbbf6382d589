"""Words why a run in C has failed, and what makes its reports doubtful."""

import numpy as np

from mobod.compilation.integration import Integration, Outcome
from mobod.compilation.native import NativeRun
from mobod.errors import FrictionParadoxError, IntegrationError, MobodError, SingularMechanismError
from mobod.matter.constraint_rows.constraint_consistency import contradiction
from mobod.simulate.delays import delay_rows
from mobod.simulate.event_errors import flat_at_end, jammed_joint
from mobod.simulate.failure import (
    history_full,
    moved_too_far,
    next_value_not_finite,
    not_finite,
    not_projected,
    state_names,
    steps_too_small,
    stopped_by,
    too_many_steps,
)
from mobod.simulate.projection import constrained_matter, constraint_names
from mobod.system import Stage, State, System


def inaccurate_reports(count: int, first: float, step: float) -> str:
    """Message on reports within steps that are not projected, the first at the time `first`. step: s, of fixed steps; else 0."""
    return (
        f"{count} reports between the ends of steps, the first at {first:.9g} s, satisfy the constraints "
        "less accurately than the ends of steps. Check for motions that change fast within a step, or for a closed loop that can "
        f"continue in several ways. Use {'a smaller step' if step else 'max_step or a smaller accuracy value'}."
    )


def run_failure(
    system: System, state: State, integration: Integration, run: NativeRun, *, reports_steps: bool, step: float
) -> IntegrationError | FrictionParadoxError:
    """The error of a failed run: an element's explanation at the last good step, a constraint, or the state that needs too small steps.

    step  s, of fixed steps; else 0
    """
    matter = constrained_matter(system)
    if integration.outcome == Outcome.JOINT_JAMMED:
        return FrictionParadoxError(jammed_joint(constraint_names(system, state)[integration.culprit], integration.time))
    if integration.outcome in (Outcome.NOT_FINITE, Outcome.KERNEL_STOPPED) and run.why_no_value is not None:
        return stopped_by(run.why_no_value, state.time)
    if (flat := run.flat_rim(integration.outcome)) >= 0:
        return stopped_by(MobodError(flat_at_end(system.events.table(state.layout).rows[flat].event)), state.time)
    if integration.outcome == Outcome.TOO_MANY_STEPS:
        names = state_names(system, state)
        worst = names[integration.culprit] if names else ""
        return too_many_steps(integration.time, int(integration.value), integration.step_size, worst, reports_steps=reports_steps)
    if integration.outcome == Outcome.HISTORY_FULL:
        return history_full(delay_rows(system, state)[integration.culprit], integration.time)
    if integration.outcome == Outcome.UPDATE_NOT_FINITE:
        return next_value_not_finite(system, state, integration.culprit, integration.value, integration.time)
    if integration.outcome == Outcome.NOT_PROJECTED:
        return not_projected(constraint_names(system, state)[integration.culprit], integration.value, state.time, step)
    if integration.outcome == Outcome.MOVED_TOO_FAR:
        name = state_names(system, state)[integration.culprit]
        return moved_too_far(constraint_names(system, state)[integration.constraint], name, integration.value, state.time)
    if integration.outcome == Outcome.NOT_FINITE and matter is not None:
        table, values = matter.constraint_sweeps(state.layout).table, run.values()
        if table.misses(values).any():
            return stopped_by(contradiction(table, table.misses(values)), state.time)
    try:
        system.realize(state, Stage.ACCELERATION)
    except SingularMechanismError as cause:
        return stopped_by(cause, state.time)
    if integration.outcome == Outcome.STEP_NOT_FINITE or (step and integration.outcome == Outcome.NOT_FINITE):
        return not_finite(system, state, integration.culprit, integration.time)
    reason = f"less than {integration.step_size:.3g} s at {integration.time:.9g} s"
    return steps_too_small(system, state, np.array(state.y), run.rates(state.time, state.y), reason)
