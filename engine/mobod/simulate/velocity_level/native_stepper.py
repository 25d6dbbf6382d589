"""Fixed steps at velocity level by the C runtime: velocity_level.c in fmu_src/native."""

from typing import final

from mobod.compilation.integration import Integration, Outcome
from mobod.compilation.native import NativeRun, take_discrete
from mobod.errors import EventError, FrictionParadoxError, MobodError, SingularMechanismError
from mobod.matter import MatterSubsystem
from mobod.matter.constraint_rows.constraint_consistency import contradiction
from mobod.matter.unilateral.contact_events import Contact
from mobod.simulate.event_errors import flat_in_steps, jammed_joint, overlapping, unsolved_contact, unsolved_friction_of_step
from mobod.simulate.failure import next_value_not_finite, not_finite, stopped_by
from mobod.simulate.limits import decided_constraints
from mobod.simulate.projection import constraint_names
from mobod.simulate.quaternions import normalize
from mobod.simulate.velocity_level.fixed_steps import FixedSteps
from mobod.simulate.velocity_level.tolerances import row_tolerances
from mobod.system import Stage, State, System


@final
class NativeVelocityLevelStepper:
    """Moves a State by fixed steps.

    run  a run in C from the values of the State
    """

    def __init__(self, system: System, matter: MatterSubsystem, state: State, run: NativeRun, steps: FixedSteps):
        self._system, self._matter, self._state, self._run = system, matter, state, run
        run.fix_steps(steps.size, steps.rule_number, steps.place_number, steps.position_iterations, row_tolerances(system))
        self._decided = [variable for constraint in decided_constraints(system) for variable in constraint.decided]
        self._decided += [update.variable for update in state.layout.auto_updates.in_c]

    def begin(self) -> None:
        """Start, or continue after variables were set: decide which rows are active, and correct the coordinates."""
        self._follow(self._run.begin_fixed_steps())

    def take(self, start: float, until: float, first: int, last: int) -> None:
        """Take the steps with numbers first to last, from 1, of the steps from `start` to `until`. The last step may be shorter."""
        self._follow(self._run.take_fixed_steps(start, until, first, last))

    def _follow(self, integration: Integration) -> None:
        values, layout = self._run.values(), self._state.layout
        self._state.move_to(float(values[layout.time.offset]), values[layout.y.slice])
        take_discrete(self._state, values, self._decided)
        if integration.outcome != Outcome.INTEGRATED:
            raise self.failure(integration)

    def failure(self, failure: Integration) -> MobodError:
        """The error of failed steps."""
        state, layout = self._state, self._state.layout
        if failure.outcome == Outcome.CONTACT_OUTSIDE:
            event = self._system.events.table(layout).rows[failure.culprit].event
            assert isinstance(event, Contact)
            return EventError(overlapping(event, failure.time, failure.value))
        if failure.outcome == Outcome.CONTACT_LIES_FLAT:
            return EventError(flat_in_steps(self._system.events.table(layout).rows[failure.culprit].event, failure.time, failure.value))
        if failure.outcome == Outcome.CONTACT_UNSOLVED:
            event = self._system.events.table(layout).rows[failure.culprit].event
            assert isinstance(event, Contact)
            return EventError(unsolved_contact(event, failure.time))
        if failure.outcome == Outcome.FRICTION_UNSOLVED:
            event = self._system.events.table(layout).rows[failure.culprit].event
            return EventError(unsolved_friction_of_step(event, failure.time, failure.value))
        if failure.outcome == Outcome.JOINT_JAMMED:
            return FrictionParadoxError(jammed_joint(constraint_names(self._system, state)[failure.culprit], failure.time))
        if failure.outcome == Outcome.UPDATE_NOT_FINITE:
            return next_value_not_finite(self._system, state, failure.culprit, failure.value, failure.time)
        if failure.outcome == Outcome.STEP_UNSOLVED:
            name = constraint_names(self._system, state)[failure.culprit]
            return EventError(f"at {failure.time:.9g} s the impulses of constraints cannot be computed, because of round-off at '{name}'.")
        if failure.outcome == Outcome.ZERO_QUATERNION:
            y = self._run.values()[layout.y.slice]
            normalize(layout, y)  # raises IntegrationError for a zero quaternion
        table = self._matter.constraint_sweeps(layout).table if self._matter.constraints else None
        if table is not None and table.misses(values := self._run.values()).any():
            return stopped_by(contradiction(table, table.misses(values)), state.time)
        try:
            self._system.realize(state, Stage.ACCELERATION)
        except SingularMechanismError as cause:
            return stopped_by(cause, state.time)
        return not_finite(self._system, state, failure.culprit, failure.time)
