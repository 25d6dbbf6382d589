"""Events of a run in C: calls of reporters, and records of events for the results."""

import numpy as np

from mobod.compilation.integration import Integration, Outcome
from mobod.compilation.native import NativeRun, take_discrete
from mobod.errors import EventError, IntegrationError, MobodError
from mobod.matter.unilateral.contact_events import AMBIGUOUS_AT, N_AMBIGUOUS, Contact
from mobod.simulate.event_errors import MANY_SHORT, ambiguous_impacts, chattering_contact, chattering_event, outside, unsolved_contact
from mobod.simulate.failure import stopped_by
from mobod.simulate.projection import constraint_names
from mobod.simulate.run_record import EventRecord, RunRecord
from mobod.system import Stage, State, System
from mobod.system.event_table import N_SHORT, TERMINATED, EventRow, EventTable
from mobod.system.events import Cause
from mobod.system.users_code import errors_of


class NativeEvents:
    """Calls reporters, and records the calls of handlers.

    state                  gets the discrete variables of the run in C
    ambiguous_is_an_error  whether impacts of unknown order raise an EventError instead of a warning
    """

    def __init__(self, system: System, state: State, run: NativeRun, done: RunRecord, *, ambiguous_is_an_error: bool):
        self._system, self._state, self._run, self._done = system, state, run, done
        self._ambiguous_is_an_error = ambiguous_is_an_error
        self._table: EventTable = system.events.table(state.layout)
        self._contacts = [row for row in self._table.rows if isinstance(row.event, Contact)]
        self._ambiguous = self._read_ambiguous(state.values)
        self._found: list[np.ndarray] = []  # y before the handlers of this call
        self.has_time_advanced = any(row.event.cause is Cause.TIME_ADVANCED for row in self._table.rows)
        run.call_for_events(self._hear)

    @property
    def terminated_by(self) -> str | None:
        number = int(self._state.values[self._table.shared[TERMINATED].offset])
        return self._table.rows[number - 1].event.name if number else None

    def y_before(self, y: np.ndarray) -> np.ndarray:
        """y before the first handler of the last call, or y if no handler was called."""
        return self._found[0] if self._found else y

    def take(self, integration: Integration) -> Integration:
        """Raise the error of a failed run; otherwise copy what handlers set to the State."""
        self._found = []
        values = self._run.values()
        if integration.outcome >= Outcome.WITNESS_NOT_A_NUMBER:
            raise self._singular(integration, values) or EventError(self._why(integration, values))
        layout = self._state.layout
        self._state.move_to(float(values[layout.time.offset]), values[layout.y.slice])
        take_discrete(self._state, values)
        self._done.variables_changed()
        self._note_ambiguous_impacts(values)
        return integration

    def _read_ambiguous(self, values: np.ndarray) -> list[tuple[float, float]]:
        """For each unilateral row: how often the order of impacts was unknown, and the last time of this."""
        return [(values[row.memory[N_AMBIGUOUS].offset], values[row.memory[AMBIGUOUS_AT].offset]) for row in self._contacts]

    def _note_ambiguous_impacts(self, values: np.ndarray) -> None:
        before, self._ambiguous = self._ambiguous, self._read_ambiguous(values)
        found: dict[float, list[str]] = {}
        for row, now, then in zip(self._contacts, self._ambiguous, before, strict=True):
            if now[0] > 0 and now != then:
                found.setdefault(now[1], []).append(row.event.name)
        for time, names in found.items():
            message = ambiguous_impacts(names, time)
            if self._ambiguous_is_an_error:
                raise EventError(message)
            self._done.warn(message)

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

    def _hear(self, number: int, direction: int, is_done: bool) -> None:
        if self._table.rows[number].event.is_in_results:
            self._note(self._table.rows[number], direction, is_done)

    def _note(self, row: EventRow, direction: int, is_done: bool) -> None:
        values, layout, event = self._run.values(), self._state.layout, row.event
        time, y = float(values[layout.time.offset]), values[layout.y.slice].copy()
        if event.is_reporter:
            state = self._state.copy()
            state.move_to(time, y)
            take_discrete(state, values)
            self._system.realize(state, Stage.ACCELERATION)
            with errors_of(event.title, time):
                row.reporter.handle_event(state)
        elif not is_done:
            self._found.append(y)
            return
        found = y if event.is_reporter else self._found[-1]
        self._done.events.append(EventRecord(time, event.name, event.cause, event.is_reporter, direction, found, y))

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
