"""Errors of failed events in C, and warnings of ambiguous impacts."""

import numpy as np

from mobod.compilation.integration import Integration, Outcome
from mobod.compilation.native import take_discrete
from mobod.errors import EventError, FrictionParadoxError, IntegrationError, MobodError
from mobod.matter.unilateral.contact_events import AMBIGUOUS_AT, N_AMBIGUOUS, Contact
from mobod.simulate.event_errors import (
    MANY_SHORT,
    ambiguous_impacts,
    chattering_contact,
    chattering_event,
    friction_paradox,
    jammed_joint,
    outside,
    unsolved_contact,
    unsolved_friction,
)
from mobod.simulate.failure import stopped_by
from mobod.simulate.projection import constraint_names
from mobod.system import Stage, State, System
from mobod.system.event_table import N_SHORT, EventTable


class EventFailures:
    """Words what went wrong in the events of a run in C.

    state     of the same layout; `error` reads it, and does not change it
    contacts  the rows of unilateral constraints
    ambiguous_at
              the places in w of what `read_ambiguous` returns
    """

    def __init__(self, system: System, state: State):
        self._system, self._state = system, state
        self._table: EventTable = system.events.table(state.layout)
        self.contacts = [row for row in self._table.rows if isinstance(row.event, Contact)]
        entries = [row.memory[each].offset for row in self.contacts for each in (N_AMBIGUOUS, AMBIGUOUS_AT)]
        self.ambiguous_at = np.array(entries, dtype=np.intc)

    def error(self, failure: Integration, values: np.ndarray) -> MobodError | None:
        """The error of a failed run with these values of a State; None if events are not its cause."""
        if not Outcome.WITNESS_NOT_A_NUMBER <= failure.outcome < Outcome.KERNEL_STOPPED:
            return None
        if failure.outcome == Outcome.FRICTION_PARADOX:
            return FrictionParadoxError(friction_paradox(self._table.rows[failure.culprit].event, failure.time, failure.value))
        if failure.outcome == Outcome.JOINT_JAMMED:
            return FrictionParadoxError(jammed_joint(constraint_names(self._system, self._state)[failure.culprit], failure.time))
        if failure.outcome == Outcome.FRICTION_UNSOLVED:
            return EventError(unsolved_friction(self._table.rows[failure.culprit].event, failure.time, failure.value))
        return self._singular(failure, values) or EventError(self._why(failure, values))

    def read_ambiguous(self, values: np.ndarray) -> np.ndarray:
        """For each unilateral row: how often the order of impacts was unknown, and the last time of this."""
        return values[self.ambiguous_at]

    def new_ambiguous(self, before: np.ndarray, now: np.ndarray) -> list[str]:
        """A message for each time at which the order of impacts became unknown between two readings."""
        found: dict[float, list[str]] = {}
        for row, new, old in zip(self.contacts, now.reshape(-1, 2).tolist(), before.reshape(-1, 2).tolist(), strict=True):
            if new[0] > 0 and new != old:
                found.setdefault(new[1], []).append(row.event.name)
        return [ambiguous_impacts(names, time) for time, names in found.items()]

    def _singular(self, failure: Integration, values: np.ndarray) -> IntegrationError | None:
        """The error for a witness that is not a number because of singular coordinates; None if they are not singular."""
        if failure.outcome != Outcome.WITNESS_NOT_A_NUMBER:
            return None
        state = self._state.copy()
        state.move_to(failure.time, values[self._state.layout.y.slice])
        explanations = " ".join(filter(None, (subsystem.explain_failure(state) for subsystem in self._system.subsystems)))
        what = self._not_a_number(failure)
        return stopped_by(MobodError(f"{what[0].upper()}{what[1:]} {explanations}"), failure.time) if explanations else None

    def _not_a_number(self, failure: Integration) -> str:
        event = self._table.rows[failure.culprit].event
        what = f"the distance or the force of '{event.name}'" if isinstance(event, Contact) else f"the witness of {event.title}"
        return f"{what} is not a number."

    def _why(self, failure: Integration, values: np.ndarray) -> str:
        row = self._table.rows[failure.culprit]
        event, at = row.event, f"at {failure.time:.9g} s"
        names = constraint_names(self._system, self._state)
        constraint = names[failure.constraint] if 0 <= failure.constraint < len(names) else ""
        if failure.outcome == Outcome.EVENT_CHATTERING:
            return chattering_event(event, failure.time, failure.value, is_zeno=values[row.memory[N_SHORT].offset] <= MANY_SHORT)
        if isinstance(event, Contact) and failure.outcome >= Outcome.CONTACT_OUTSIDE:
            return self._why_of_contact(event, failure, values, constraint)
        return {
            Outcome.WITNESS_NOT_A_NUMBER: f"{at} {self._not_a_number(failure)}",
            Outcome.HANDLER_NOT_FINITE: f"{at} {event.title} failed: it sets a value that is not finite: {failure.value}.",
            Outcome.HANDLER_OUT_OF_BOUNDS: f"{at} {event.title} failed: it sets {failure.value!r}, which is out of bounds.",
            Outcome.HANDLER_NOT_PROJECTED: f"{at} {event.title} failed: the state after it does not satisfy constraint '{constraint}', and "
            f"the projection leaves an error of {failure.value:.3g}. Let it set values that nearly satisfy the constraints.",
            Outcome.HANDLER_IMPULSE: f"{at} {event.title} failed: no impulse along constraint '{constraint}' gives the velocity errors "
            "that its restitution requires. The constraint contradicts other ones, or its bodies have prescribed motions or no mass.",
            Outcome.HANDLER_SCHEDULES_PAST: f"{at} {event.title} failed: it schedules its next time at {failure.value!r} s, which is "
            "not later than now.",
        }[failure.outcome]

    def _why_of_contact(self, contact: Contact, failure: Integration, values: np.ndarray, constraint: str) -> str:
        at, layout = f"at {failure.time:.9g} s", self._state.layout
        if failure.outcome == Outcome.CONTACT_OUTSIDE:
            state = self._state.copy()
            state.move_to(failure.time, values[layout.y.slice])
            take_discrete(state, values)
            self._system.realize(state, Stage.POSITION)
            by = "" if failure.constraint < 0 else f"{self._table.rows[failure.constraint].event.title} failed: "
            return by + outside(contact, state)
        return {
            Outcome.CONTACT_UNSOLVED: unsolved_contact(contact, failure.time),
            Outcome.CONTACT_NOT_PROJECTED: f"{at} constraint '{constraint}' cannot be satisfied together with the active unilateral "
            f"constraints: an error of {failure.value:.3g} remains. Look for constraints that contradict the active limits.",
            Outcome.CONTACT_CHATTERING: chattering_contact(contact, failure.time),
        }[failure.outcome]
