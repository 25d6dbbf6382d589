"""When events happen, and what is done then. A twin of fmu_src/native/events.c.

At one time reports come first, then handlers, each in the order in which they were added to the System. Then the constraints are projected
to, and every event says when it happens next. All that is remembered lies in the State, so that a run goes on where another one ended.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from mobod.errors import EventError, InputError
from mobod.scalar.slot import Slot
from mobod.simulate.contacts import Contacts
from mobod.simulate.endless_events import count
from mobod.simulate.failure import not_projected
from mobod.simulate.handler_actions import HandlerActions
from mobod.simulate.localisation import Crossing, Point, first_crossing, window_at
from mobod.simulate.projection import has_constraints
from mobod.simulate.quaternions import normalize
from mobod.simulate.run import EventRecord, Run
from mobod.simulate.step_projection import project_all
from mobod.simulate.step_witnesses import StepWitnesses
from mobod.simulate.witnesses import Witnesses
from mobod.system import Stage, State, System
from mobod.system.event_actions import NEVER
from mobod.system.event_table import (
    INTERVAL,
    LAST,
    NEXT,
    NOISE,
    SCHEDULED,
    SIDE,
    SINCE,
    TERMINATED,
    UNTIL,
    VALUE,
    EventRow,
    EventTable,
)
from mobod.system.events import Cause, Event
from mobod.system.users_code import told_of


class EventRuntime:
    """The events of a State during one run.

    run                   where calls are noted; None: nobody asks for them, and reporters are left out, as in an FMU
    accuracy              of the integration: how near to zero an extremum of a witness is looked at
    constraint_tolerance  that handlers' changes are projected to
    """

    def __init__(self, system: System, state: State, run: Run | None, *, accuracy: float, constraint_tolerance: float):
        self._system, self._state, self._run = system, state, run
        self._accuracy, self._tolerance = accuracy, constraint_tolerance
        self._has_constraints = has_constraints(system, state)
        self.table: EventTable = system.events.table(state.layout)
        self._contacts = Contacts(system, state, self.table, constraint_tolerance)
        self._rows = [row for row in self.table.rows if run is not None or not row.event.is_reporter]
        self._witnesses = Witnesses(system, state, self.table, self._rows)
        self._values = self._rates = np.zeros(len(self._witnesses.rows))  # where the next step begins
        self._expected: dict[int, int] = {}  # witness -> direction of the crossing that the step was shortened to
        self._missed_by = np.inf  # s, how far the last step to a crossing ended from it
        self._crossed: dict[int, _Crossed] = {}  # those that crossed at the end of the step just taken
        self._sides: list[tuple[int, float]] = []  # and noises
        self._observers = [row for row in self._rows if row.event.cause is Cause.OBSERVATION]
        self._timed = [row for row in self._rows if row.event.cause is Cause.SCHEDULED]

    # what lies in the State
    def _memory(self, row: EventRow) -> np.ndarray:
        return _at(self._state, row.memory)

    def _is_enabled(self, row: EventRow) -> bool:
        return bool(self._state.values[row.enabled.offset])

    @property
    def terminated_by(self) -> str | None:
        number = int(_at(self._state, self.table.shared)[TERMINATED])
        return self.table.rows[number - 1].event.name if number else None

    # the start
    def begin(self, initialized: Callable[[], None]) -> None:
        """Initialize, unless the State is the end of another run, which then goes on.

        initialized  called after the handlers, before anything looks at what they left
        """
        state, shared = self._state, _at(self._state, self.table.shared)
        shared[TERMINATED] = 0
        if shared[UNTIL] == state.time:
            self.resume(initialized, decides=True)
            return
        for row in self._rows:
            self._memory(row)[:] = 0
            self._memory(row)[[NEXT, SCHEDULED, INTERVAL]] = NEVER
            self._memory(row)[[LAST, SINCE]] = state.time
        self._handle([row for row in self._rows if row.event.cause is Cause.INITIALIZATION and self._is_enabled(row)], {})
        initialized()
        if self._contacts:
            self._contacts.resolve()
        self._handle(self._observers, {})
        self.look_again()
        self._decide_sides({}, True)
        self._schedule(includes_now=True)

    def resume(self, initialized: Callable[[], None], *, decides: bool) -> bool:
        """Go on: what is due now has been done before, but witnesses that cross because something was set meanwhile; see `begin`.

        decides  which unilateral rows are held, since something was set. Returns whether that changed y or its rate
        """
        self._expected, self._missed_by, self._crossed = {}, np.inf, {}
        initialized()
        has_decided = decides and bool(self._contacts) and self._contacts.resolve()
        self._handle(self._observers, {})
        self.look_again()
        if has_decided:
            self._decide_sides_of_contacts()
        for i, row in enumerate(self._witnesses.rows):
            if direction := self._jumped(row, self._values[i]):
                self._crossed[i] = _Crossed(direction, 0.0, 0.0)
        return has_decided

    def _decide_sides_of_contacts(self) -> None:
        """Of those that were resolved though nothing has crossed."""
        for i, row in enumerate(self._witnesses.rows):
            if row.event.cause is Cause.UNILATERAL:
                noise = self._contacts.rest_noise(row.event.index, self._values[i], self._rates[i])
                self._memory(row)[[SIDE, NOISE, VALUE]] = 1, noise, self._values[i]

    def _jumped(self, row: EventRow, value: float) -> int:
        """The direction in which a witness crossed between two runs because something was set, or 0."""
        memory = self._memory(row)
        side, before = memory[SIDE], memory[VALUE]
        is_across = side * value < 0 and abs(value) > 2 * abs(before) * (side * before <= 0)
        memory[VALUE] = value
        if not (is_across and value != before and self._is_enabled(row)):
            return 0
        if not row.triggered.wants(int(-side)):
            memory[SIDE] = -side
            return 0
        return int(-side)

    # times
    def next_time(self) -> float:
        """s, at which a step must end for events that know their time."""
        return min((float(min(self._memory(row)[[NEXT, SCHEDULED]])) for row in self._rows), default=NEVER)

    @property
    def has_witnesses(self) -> bool:
        return bool(self._witnesses.rows)

    # a step
    def end_of_step(self, start: float, end: float, y_end: np.ndarray, n_parts: int, inside: Any) -> float | None:
        """Look for crossings in the step just taken: the time at which it should have ended, or None if it ends well.

        inside  the StepPolynomial
        """
        times = [start, *(start + (end - start) * k / n_parts for k in range(1, n_parts)), end]
        witnesses = StepWitnesses(self._witnesses, self._state.layout, times, (self._values, self._rates), y_end, inside)
        window, target = window_at(max(abs(start), abs(end))), end
        self._sides = []
        found: dict[int, Crossing] = {}
        for i, row in enumerate(self._witnesses.rows):
            crossing, side, noise = self._search(i, row, times, witnesses.one(i))
            self._sides.append((side, noise))
            if crossing is not None:
                found[i] = crossing
                target = min(target, crossing.high)
        if target < end - window and (end - target < self._missed_by / 2 or not self._expected):
            self._missed_by = end - target if self._expected else np.inf
            self._expected = {i: crossing.direction for i, crossing in found.items() if crossing.high <= target + window}
            return target
        crossed = {i: crossing.direction for i, crossing in found.items() if crossing.direction}
        for i, direction in self._expected.items():
            if i not in crossed and direction:
                value, rate = (float(each[i]) for each in witnesses.all(end))
                beyond = value - direction * self._sides[i][1]  # of where it counts as across
                to_go = -beyond / rate if rate * direction > 0 else np.inf
                if not 0 <= to_go <= end - start:
                    continue  # there was no crossing but on the interpolant of a longer step
                event = self._witnesses.rows[i].triggered
                if to_go <= max(window, event.window) or abs(beyond) <= self._witnesses.noise(end, y_end)[i]:
                    crossed[i] = direction
                elif to_go < self._missed_by / 2:
                    self._missed_by = to_go
                    return end + to_go + window / 4
        self._values, self._rates = witnesses.all(end)
        self._crossed = {i: _Crossed(direction, 2 * abs(self._values[i]), self._rates[i]) for i, direction in crossed.items()}
        self._expected, self._missed_by = {}, np.inf
        for i, (row, (side, noise)) in enumerate(zip(self._witnesses.rows, self._sides, strict=True)):
            self._memory(row)[[SIDE, NOISE, VALUE]] = side, noise, self._values[i]
        return None

    def _search(self, i: int, row: EventRow, times: list[float], sample: Callable[[float], Point]) -> tuple[Crossing | None, int, float]:
        side, noise = self._memory(row)[[SIDE, NOISE]]
        event = row.triggered
        points = [sample(time) for time in times]
        if not self._is_enabled(row):
            return None, _sign(points[-1].value), 0.0
        window = max(event.window, window_at(max(abs(times[0]), abs(times[-1]))))
        return first_crossing(sample, points, int(side), float(noise), event.wants, window, self._accuracy)

    # what happens
    def happen(self, *, is_end_of_step: bool = True) -> bool:
        """Have everything happen that is due at the State's time; whether y or its rate may have changed."""
        state, time = self._state, self._state.time
        self._handle(self._observers, {})
        crossings, self._crossed = self._crossed, {}
        crossed = {self._witnesses.rows[i].event.index: crossing.direction for i, crossing in crossings.items()}
        due = [row for row in self._rows if self._is_enabled(row) and self._is_due(row, crossed, time, is_end_of_step)]
        _at(state, self.table.shared)[UNTIL] = time
        is_due_again = bool(crossings)
        for row in self._rows:
            memory = self._memory(row)
            is_due_again |= bool((memory[[NEXT, SCHEDULED]] <= time).any())  # also of one that is disabled
            if memory[SCHEDULED] <= time:
                memory[SCHEDULED] = NEVER
            if row.event.index in crossed and row.event.cause is not Cause.UNILATERAL:
                count(row, memory, time)
        self._report([row for row in due if row.event.is_reporter], crossed)
        has_met = self._meet(crossings)
        handlers = [row for row in due if not row.event.is_reporter and row.event.cause is not Cause.UNILATERAL]
        has_changed = self._handle(handlers, crossed) or has_met
        if has_changed or is_due_again:
            self._schedule(includes_now=False)
        if has_changed:
            self._handle(self._observers, {})
            self.look_again()
        if has_changed or crossings:
            self._decide_sides(crossings, has_changed)
        return has_changed

    def end(self) -> None:
        """Termination handlers, at the end of the run."""
        self._handle([row for row in self._rows if row.event.cause is Cause.TERMINATION and self._is_enabled(row)], {})

    def _is_due(self, row: EventRow, crossed: dict[int, int], time: float, is_end_of_step: bool) -> bool:
        memory = self._memory(row)
        if row.event.index in crossed or memory[NEXT] <= time or memory[SCHEDULED] <= time:
            return True
        return row.event.cause is Cause.TIME_ADVANCED and is_end_of_step

    def _report(self, rows: list[EventRow], crossed: dict[int, int]) -> None:
        for row in rows:
            copy = self._state.copy()
            self._system.realize(copy, Stage.ACCELERATION)
            with told_of(row.event.told, self._state.time):
                row.reporter.handle_event(copy)
            self._note(row, crossed, np.array(self._state.y))

    def _handle(self, rows: list[EventRow], crossed: dict[int, int]) -> bool:
        """Whether something was set on which accelerations depend."""
        state, time, has_changed = self._state, self._state.time, False
        for row in rows:
            found = np.array(state.y)
            event = row.handler
            direction = crossed.get(row.event.index, 0)
            actions = HandlerActions(self._system, state, self.table, row, direction, partial(self._settle, event), self._release)
            if row.event.stage < Stage.REPORT:
                state.invalidate(row.event.stage.next())
            self._system.realize(state, row.event.stage)
            before = state.version(Stage.ACCELERATION)
            with told_of(row.event.told, state.time), state.keeping_reads():
                event.handle_event(state, actions)
                self._check(row, time)
            has_changed |= state.version(Stage.ACCELERATION) != before
            if row.event.cause not in (Cause.TIME_ADVANCED, Cause.OBSERVATION):
                self._note(row, crossed, found)
        if rows and self._run is not None:
            self._run.variables_changed()
        if has_changed:
            self._settle(rows[-1].event)
            if self._contacts:
                with told_of(rows[-1].event.told, time):
                    self._contacts.resolve()
        return has_changed

    def _meet(self, crossings: "dict[int, _Crossed]") -> bool:
        """Impacts and releases of unilateral rows; whether y or its rate changed."""
        met = [row for i in crossings if (row := self._witnesses.rows[i]).event.cause is Cause.UNILATERAL]
        if not met:
            return False
        before = np.array(self._state.y)
        directions = [self._contacts.count(row.event.index) for row in met]
        has_changed = self._contacts.resolve()
        if self._run is not None:
            self._run.variables_changed()
        for row, direction in zip(met, directions, strict=True):
            self._note(row, {row.event.index: direction}, before)
        return has_changed

    def _release(self) -> None:
        """What changes the State must not find unilateral rows held."""
        if self._contacts:
            self._contacts.release()

    def _note(self, row: EventRow, crossed: dict[int, int], before: np.ndarray) -> None:
        event = row.event
        if self._run is None or not event.is_in_results:
            return
        direction = crossed.get(event.index, 0)
        self._run.events.append(
            EventRecord(self._state.time, event.name, event.cause, event.is_reporter, direction, before, np.array(self._state.y))
        )

    def _check(self, row: EventRow, time: float) -> None:
        if self._state.time != time:
            raise InputError("it sets the time, which only the integrator does. event.schedule(time) has it called then.")
        scheduled = float(self._memory(row)[SCHEDULED])
        if not scheduled > self._state.time:
            raise InputError(f"it schedules {scheduled!r} s, which is not later than now.")

    def _settle(self, event: Event) -> None:
        """Bring what handlers left to where quaternions are of unit length and constraints hold."""
        self._release()
        state = self._state
        y = np.array(state.y)
        normalize(state.layout, y)
        if not np.array_equal(y, state.y):
            state.y = y
        if self._has_constraints:
            failure = project_all(self._system, state, self._tolerance)
            if failure is not None:
                raise EventError(
                    f"{event.told}: what it left cannot be projected. {not_projected(failure.constraint, failure.error, state.time)}"
                )

    # afterwards
    def _schedule(self, *, includes_now: bool) -> None:
        """Ask every event that knows its time."""
        state = self._state
        for row in self._timed:
            event = row.scheduled
            self._system.realize(state, event.stage)
            with told_of(event.told, self._state.time):
                time = float(event.next_event_time(state, includes_now))
                if not (time >= state.time if includes_now else time > state.time):
                    raise InputError(f"its next_event_time is {time!r} s, which is not {'now or ' if includes_now else ''}later than now.")
            self._memory(row)[NEXT] = min(time, NEVER)

    def look_again(self) -> None:
        """Witnesses and their rates where the next step begins."""
        if self._witnesses.rows:
            state = self._state
            time, y = state.time, np.array(state.y)
            self._system.realize(state, Stage.ACCELERATION)
            y_dot = np.array(state.y_dot)
            self._values, self._rates = self._witnesses.values_and_rates(time, y, y_dot, self._witnesses.last_stage)

    def _decide_sides(self, crossings: "dict[int, _Crossed]", has_jumped: bool) -> None:
        """On which side of zero each witness is; of one at zero, the one to which it is going if something set it going."""
        time, noises = self._state.time, None
        for i, row in enumerate(self._witnesses.rows):
            if not (has_jumped or i in crossings):
                continue
            is_contact = row.event.cause is Cause.UNILATERAL
            # of a contact it has been decided anew what it is and where it lies: what it was before tells nothing
            nothing = _Crossed(0, 0.0, 0.0)
            value, rate, crossing = self._values[i], self._rates[i], nothing if is_contact else crossings.get(i, nothing)
            band = max(crossing.noise, window_at(time) * max(abs(rate), abs(crossing.rate)))
            side, noise = _sign(value), 0.0
            if abs(value) <= band:
                if noises is None:
                    noises = self._witnesses.noise(time, np.array(self._state.y))
                side, noise = _sign(rate) if has_jumped else 0, max(band, noises[i])
            if is_contact:
                side, noise = 1, max(noise, -2 * value, self._contacts.rest_noise(row.event.index, value, rate))
            self._memory(row)[[SIDE, NOISE, VALUE]] = side, noise, value


@dataclass(frozen=True)
class _Crossed:
    """A witness that crossed: which way, how far from zero it may still be found at this time, and its rate before handlers."""

    direction: int
    noise: float
    rate: float


def _at(state: State, slot: Slot) -> np.ndarray:
    """A view that can be written to."""
    return state.values[slot.slice]


def _sign(value: float) -> int:
    return int(value > 0) - int(value < 0)
