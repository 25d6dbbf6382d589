"""What delays of a System are read from is recorded while a run goes on. A twin of fmu_src/native/delays.c."""

from collections.abc import Callable
from typing import final

import numpy as np

from mobod.numerics.history import between
from mobod.simulate.failure import no_room
from mobod.simulate.quaternions import normalize
from mobod.system import State, System
from mobod.system.measures import MeasureSubsystem
from mobod.system.measures.delay_table import DelayRow, longest_step

SAFETY, LEAST_FACTOR, LARGEST_FACTOR = 0.9, 0.1, 5.0
SHORTEST = 1e-9  # of a step: a corner within it is met no better
LAST_ORDER = 5
"""Entries of one time from which on what follows is smooth enough."""

Moment = list[np.ndarray]
"""Of each delay (time, values, rates) of its operand at one time."""


def delay_rows(system: System, state: State) -> list[DelayRow]:
    """Of all delays of a System."""
    measures = next((each for each in system.subsystems if isinstance(each, MeasureSubsystem)), None)
    return [] if measures is None else measures.delays(state.layout)


def past_size(delays: list[DelayRow]) -> int:
    """How many numbers the C runtime writes for each report: see simulation.h."""
    return sum(1 + 2 * (1 + 2 * row.value.size) for row in delays)


def excerpts(delays: list[DelayRow], numbers: np.ndarray) -> list[np.ndarray]:
    """Of each delay the entries that it is read from at a report, from what the C runtime writes."""
    found, start = [], 0
    for row in delays:
        width = 1 + 2 * row.value.size
        entries = numbers[start + 1 : start + 1 + 2 * width].reshape(2, width)
        found.append(entries[: int(numbers[start])])
        start += 1 + 2 * width
    return found


def last_before(jump: float, delay: float) -> float:
    """s, the last moment at which what is read lies before a jump."""
    moment = jump + delay
    while moment - delay >= jump:
        moment = float(np.nextafter(moment, -np.inf))
    while (after := float(np.nextafter(moment, np.inf))) - delay < jump:
        moment = after
    return moment


@final
class DelayRecorder:
    """Records the operands of a State's delays; all that it remembers lies in the State.

    accuracy  of what lies between two entries, relative to 1 + the size of the operand
    """

    def __init__(self, system: System, state: State, accuracy: float):
        self._rows = delay_rows(system, state)
        self._system = system
        self._state = state
        self._accuracy = accuracy
        self.longest_step = longest_step(self._rows)

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self._rows)

    def begin(self) -> None:
        """At the start of a run, and wherever what is at the State's time may have changed: a jump is recorded as one.

        The start of a record is a jump too, from what a delay is worth before it. Raises IntegrationError as advance does.
        """
        if not self._rows:
            return
        time = self._state.time
        for row, entry in zip(self._rows, self._moment(), strict=True):
            past = row.history(self._state.values)
            past.forget_after(time)
            if past.count and (past.entry(past.count - 1)[0] < time or (past.find(time - row.delay) < 0 and not past.knows_start)):
                past.forget()  # there is a gap, or what will be needed was forgotten
            if past.count and np.array_equal(past.entry(past.count - 1), entry):
                continue
            if not past.count:
                still = entry.copy()
                still[1 + past.n :] = 0
                self._record(row, still)
            elif past.count > 1 and past.entry(past.count - 2)[0] == time:
                past.forget_newest()  # of several values at one time the first, from which it jumps, and the last
            self._record(row, entry)

    def next_stop(self, time: float) -> float:
        """s, the last moment before a delayed jump, at which a step from `time` must end; infinite if none is to come."""
        return min((stop for stop, _ in self._stops() if stop > time), default=np.inf)

    def pass_stop(self) -> bool:
        """If the State's time is such a moment, go on to the next, which is after the jump; y stays.

        What jumped there has corners here, one delay later its rate has them, and so on until it is smooth enough: there is one entry more
        each time, and steps end there too.
        """
        state, time = self._state, self._state.time
        orders = [n for stop, n in self._stops() if stop == time]
        if not orders:
            return False
        state.time = after = float(np.nextafter(time, np.inf))
        for row in self._rows:
            row.history(state.values).move_newest(after)
        self.begin()
        for row in self._rows:
            past = row.history(state.values)
            newest = past.entry(past.count - 1).copy()
            if min(orders) < LAST_ORDER and not (past.count > 1 and past.entry(past.count - 2)[0] == after):
                for _ in range(min(orders)):
                    self._record(row, newest)
        return True

    def _stops(self) -> list[tuple[float, int]]:
        """When steps must end, and how many entries there are of the jump that is read from there on."""
        w = self._state.values
        return [(last_before(jump, row.delay), count) for row in self._rows for jump, count in row.history(w).jumps()]

    def advance(self, start: float, y_at: Callable[[float], np.ndarray]) -> None:
        """The run has come from `start`, where it was recorded last, to the State's time.

        y_at  y between these times

        Raises IntegrationError, with the name of the delay, where there is no room.
        """
        if not self._rows:
            return
        state = self._state
        end, y_end = state.time, np.array(state.y)
        at_end = self._moment()
        time, length = start, self._first_length(start, end)
        for row in self._rows:
            row.history(state.values).forget_before(start - row.delay)
        shortest = max(SHORTEST * (end - start), 16 * np.spacing(max(abs(start), abs(end))))
        while time < end:
            is_last = 1.01 * length >= end - time
            if not is_last and 2 * length > end - time:
                length = (end - time) / 2  # two of a size, not a long one and a short one
            to = end if is_last else time + length
            at_middle = self._moment_at(time + (to - time) / 2, y_at)
            at_to = at_end if is_last else self._moment_at(to, y_at)
            error = max(self._error(row, *each) for row, *each in zip(self._rows, at_middle, at_to, strict=True))
            factor = SAFETY * error**-0.25 if error > 0 else LARGEST_FACTOR  # the error of a cubic grows with the fourth power
            if error <= 1 or to - time <= shortest:
                for row, entry in zip(self._rows, at_to, strict=True):
                    self._record(row, entry)
                time = to
                length *= min(LARGEST_FACTOR, max(1.0, factor))
            else:
                length = max(shortest, (to - time) * min(0.5, max(LEAST_FACTOR, factor)))
        state.move_to(end, y_end)

    def _first_length(self, start: float, end: float) -> float:
        """What the intervals before were like; the whole step if there are none."""
        past = self._rows[0].history(self._state.values)
        before = start - past.entry(past.count - 2)[0] if past.count > 1 else 0.0
        return min(2 * before, end - start) if before > 0 else end - start

    def _moment(self) -> Moment:
        state = self._state
        self._system.realize(state, max(row.stage for row in self._rows))
        w, time = state.values, state.time
        return [np.concatenate([[time], w[row.operand.slice], w[row.rate.slice]]) for row in self._rows]

    def _moment_at(self, time: float, y_at: Callable[[float], np.ndarray]) -> Moment:
        y = np.array(y_at(time))
        normalize(self._state.layout, y)
        self._state.move_to(time, y)
        return self._moment()

    def _error(self, row: DelayRow, at_middle: np.ndarray, at_to: np.ndarray) -> float:
        """In the middle of the interval that would be recorded, 1 being what is allowed."""
        past = row.history(self._state.values)
        values = at_middle[1 : 1 + past.n]
        miss = np.abs(between(at_middle[0], past.entry(past.count - 1), at_to)[0] - values)
        return float((miss / (self._accuracy * (1 + np.abs(values)))).max(initial=0.0))

    def _record(self, row: DelayRow, entry: np.ndarray) -> None:
        if not row.history(self._state.values).record(entry):
            raise no_room(row, entry[0])
