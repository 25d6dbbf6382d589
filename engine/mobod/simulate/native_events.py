"""Events of a run in C: calls of reporters, and records of events for the results."""

import numpy as np

from mobod.compilation.native.integration import Integration
from mobod.compilation.native.native_run import NativeRun
from mobod.errors import EventError
from mobod.simulate.noted_impacts import NotedImpacts
from mobod.simulate.run_record import EventRecord, RunRecord
from mobod.system import Stage, State, System
from mobod.system.events.handlers import Cause
from mobod.system.events.table import TERMINATED, EventRow, EventTable
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
        self._of_impacts = state.layout.kept(NotedImpacts, system)
        self._noted = self._of_impacts.read(state.values)
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
        """Copy what handlers set to the State. Not after a failure of an event."""
        self._found = []
        values = self._run.values()
        layout = self._state.layout
        self._state.move_to(float(values[layout.time.offset]), values[layout.y.slice])
        self._state.take_numbers(values)
        self._done.variables_changed()
        self._warn_of_impacts(values)
        return integration

    def _warn_of_impacts(self, values: np.ndarray) -> None:
        before, self._noted = self._noted, self._of_impacts.read(values)
        for message in self._of_impacts.sliding_messages(before, self._noted):
            self._done.warn(message)
        for message in self._of_impacts.messages(before, self._noted):
            if self._ambiguous_is_an_error:
                raise EventError(message)
            self._done.warn(message)

    def _hear(self, number: int, direction: int, is_done: bool) -> None:
        if self._table.rows[number].event.is_in_results:
            self._note(self._table.rows[number], direction, is_done)

    def _note(self, row: EventRow, direction: int, is_done: bool) -> None:
        values, layout, event = self._run.values(), self._state.layout, row.event
        time, y = float(values[layout.time.offset]), values[layout.y.slice].copy()
        if event.is_reporter:
            call_reporter(self._system, self._state, row, values)
        elif not is_done:
            self._found.append(y)
            return
        found = y if event.is_reporter else self._found[-1]
        self._done.events.append(EventRecord(time, event.name, event.cause, event.is_reporter, direction, found, y))


def call_reporter(system: System, state: State, row: EventRow, values: np.ndarray) -> None:
    """Call a reporter with a copy of the State that has the numbers of a run in C."""
    state, layout = state.copy(), state.layout
    time = float(values[layout.time.offset])
    state.move_to(time, values[layout.y.slice])
    state.take_numbers(values)
    system.realize(state, Stage.ACCELERATION)
    with errors_of(row.event.title, time):
        row.reporter.handle_event(state)
