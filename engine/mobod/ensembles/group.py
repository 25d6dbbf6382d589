"""SlotGroup: simulations in C that make some runs of an ensemble at a time, in one thread."""

import weakref
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import final

import numpy as np

from mobod.c_calls import CCalls
from mobod.compilation.native.integration import Outcome
from mobod.ensembles.members import LanesOfGroup, Members
from mobod.ensembles.outputs import OutputTable
from mobod.ensembles.slots import RunSlot, SharedByRuns
from mobod.ensembles.starts import Starts
from mobod.errors import EventError
from mobod.runtime.library import doubles, runtime
from mobod.simulate.projection import are_changed
from mobod.simulate.run_failure import inaccurate_reports, jammed_steps

STEPS_OF_A_CALL = 1000  # of each run, between two moments at which Ctrl-C acts
_STEPS_IN_PYTHON = 50  # the same for runs that call Python


@final
@dataclass
class Runs:
    """The runs of an ensemble to one end, and what is known of them afterwards.

    starts, until
    report_times  s, between the start and the end
    steps_of_row  steps of velocity level from one row to the next
    values        (n, k, outputs)  NaN where there is no row
    finals        the States at the ends
    at_end        (n, outputs) at the ends, after the events there; None: not computed
    error         of each run that failed

    And for each run: steps, evaluations, methods, the event that has ended it, n_rows in `values`, and a ChangesAtEnd of member.h.
    """

    starts: Starts
    until: float
    report_times: np.ndarray
    steps_of_row: int
    values: np.ndarray
    finals: Starts
    at_end: np.ndarray | None = None
    error: dict[int, BaseException] = field(default_factory=dict)
    warnings: dict[int, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        n = len(self.starts)
        self.steps, self.evaluations = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        self.methods, self.terminated = np.zeros(n, dtype=np.intc), np.zeros(n, dtype=np.intc)
        self.n_rows, self.changes_at_end = np.zeros(n, dtype=np.intc), np.zeros(n, dtype=np.intc)


@final
class SlotGroup:
    """`count` slots in one array of members.

    w           (count, n_w) the numbers of the starts; if C prepares them, the first ones alone
    given       (count, ny) y of the starts before their projection, with what motions and locks determine
    is_stopped  another thread sets it to end the work soon
    """

    def __init__(self, shared: SharedByRuns, count: int, outputs: OutputTable | None):
        self.shared, self.members = shared, Members(count)
        self.w = np.tile(shared.w, (count, 1))
        self._w_in_c = self.w.ctypes.data + self.w.strides[0] * np.arange(count, dtype=np.uintp)
        self._outputs = outputs
        self.is_stopped = False
        self._y = shared.layout.y.slice
        self.given = np.zeros((count, shared.layout.n_y))
        resources = ExitStack()
        self.close = weakref.finalize(self, resources.close)  # frees the memory in C
        self.slots = [RunSlot(shared, self.members, at, self.w[at], self.given[at], outputs, resources) for at in range(count)]
        is_quiet = not shared.calls_python and (outputs is None or outputs.is_in_c)
        self._calls: list[CCalls] = [] if is_quiet else [slot.native.calls for slot in self.slots]
        self._n_steps = STEPS_OF_A_CALL if is_quiet else _STEPS_IN_PYTHON
        self._lanes_model = shared.model.lanes() if is_quiet else None
        self._lanes: dict[int, LanesOfGroup] = {}  # of each part of the slots, by its first one: a thread has its own
        contacts = np.empty(0, dtype=np.intc) if shared.impacts is None else shared.impacts.places
        self._ambiguous_at = contacts
        self._ambiguous = np.empty((count, len(contacts)))  # what contacts remembered at the start

    # all the way
    def run(self, runs: Runs, numbers: range) -> None:
        """Make some runs, not more than there are slots."""
        members, part = self.members, slice(0, len(numbers))
        members.has_ended[:] = 1
        members.t_end[part], members.n_reports[part] = runs.until, len(runs.report_times)
        members.steps_of_row[part] = runs.steps_of_row
        members.report_times[part] = runs.report_times.ctypes.data
        members.rows[part] = runs.values.ctypes.data + runs.values.strides[0] * np.array(numbers, dtype=np.uintp)
        self.begin(runs.starts, part, numbers)
        while not self.is_stopped and not members.has_ended.all():
            self._advance(runs.starts, numbers, range(len(numbers)))
        if not self.is_stopped:
            self._finish(runs, numbers)

    def begin(self, starts: Starts, places: slice | np.ndarray, numbers: range | np.ndarray) -> None:
        """Let the next advance begin runs, each in its place."""
        members, of_runs = self.members, slice(numbers.start, numbers.stop) if isinstance(numbers, range) else numbers
        starts.write(of_runs, self.w, places)
        if len(self._ambiguous_at):
            self._ambiguous[places] = self.w[places][:, self._ambiguous_at]
        if self.shared.calls_python:
            for at, number in zip(np.arange(len(members))[places].tolist(), numbers, strict=True):
                self.slots[at].prepare(starts, number)
            return
        members.restart(places)
        members.start[places] = self._w_in_c[places]
        members.preparation[places] = self.shared.preparation_in_c

    def _finish(self, runs: Runs, numbers: range) -> None:
        """Note what has become of runs."""
        members, part = self.members, slice(0, len(numbers))
        for place in self.failed(part):
            error = self.slots[place].why(runs.starts.start_speed(numbers[place]))
            assert error is not None
            runs.error[numbers[place]] = error
        begun = members.start[part] == 0
        at, chosen = (part, slice(numbers.start, numbers.stop)) if begun.all() else (begun, numbers.start + np.flatnonzero(begun))
        for block, found in (
            (runs.steps, members.n_steps),
            (runs.evaluations, members.n_evaluations),
            (runs.methods, members.methods),
            (runs.terminated, members.terminated_by),
            (runs.n_rows, members.n_rows),
            (runs.changes_at_end, members.changes_at_end),
        ):
            block[chosen] = found[part][at]
        runs.finals.take(chosen, members.get(0, len(numbers), runs.finals.offsets)[at])
        if runs.at_end is not None and self._outputs is not None:
            rows = runs.at_end[numbers.start : numbers.stop].reshape(-1)
            runtime().ensemble_read(len(numbers), members.in_c, self._outputs.in_c, doubles(rows))
        if runs.finals.object_variables and self.shared.calls_python:
            for place in np.flatnonzero(begun).tolist():
                state = self.slots[place].state
                runs.finals.objects[numbers[place]] = [state.get(each) for each in runs.finals.object_variables]
        for place in np.flatnonzero(begun & self.is_doubtful(runs.starts, numbers)).tolist():
            warnings = self._warnings(runs, place, numbers[place])
            if warnings:
                runs.warnings[numbers[place]] = warnings

    def failed(self, part: slice) -> list[int]:
        """The places of runs that have failed."""
        members = self.members
        has_failed = members.has_error[part] | (members.outcome[part] != 0)
        found: list[int] = (part.start + has_failed.nonzero()[0]).tolist() if has_failed.any() else []
        return found

    def is_doubtful(self, starts: Starts, numbers: range) -> np.ndarray:
        """(len(numbers),) whether there may be warnings of the runs, which are in the first slots."""
        members, n = self.members, len(numbers)
        is_doubtful = (members.n_not_projected[:n] > 0) | (members.jammed_steps[:n] > 0)
        if len(self._ambiguous_at):
            is_doubtful |= (members.get(0, n, self._ambiguous_at) != self._ambiguous[:n]).any(axis=1)
        if self.shared.has_constraints:
            is_doubtful |= are_changed(self.shared.layout, self.given[:n], self.w[:n, self._y], self.shared.model.y_scales, self._tolerance)
        return is_doubtful

    def _warnings(self, runs: Runs, at: int, number: int) -> list[str]:
        shared, members, found = self.shared, self.members, []
        if shared.has_constraints:
            found += shared.changes(float(runs.starts.times[number]), self.given[at], self.w[at, self._y])
        if members.n_not_projected[at]:
            first = float(members.not_projected_at[at])
            found.append(inaccurate_reports(int(members.n_not_projected[at]), first, shared.options.step))
        if members.jammed_steps[at]:
            found.append(jammed_steps(int(members.jammed_steps[at]), float(members.first_jam[at])))
        if shared.impacts is not None and number not in runs.error:
            found += shared.impacts.messages(self._ambiguous[at], members.get(at, 1, self._ambiguous_at)[0])
        return found

    @property
    def _tolerance(self) -> float:
        return self.shared.options.constraint_tolerance

    # calls of C
    def advance_to_ends(self, starts: Starts, part: range) -> None:
        """Advance a part of the slots, whose runs have the same numbers, to their ends."""
        has_ended, numbers = self.members.has_ended[part.start : part.stop], range(len(self.members))
        while not self.is_stopped and not has_ended.all():
            self._advance(starts, numbers, part)

    def _advance(self, starts: Starts, numbers: Sequence[int], part: range) -> None:
        """Advance the runs in a part of the slots to their ends, or by some steps each, and do what C asks for."""
        members, places = self.members, slice(part.start, part.stop)
        going = members.has_ended[places] == 0
        if self._calls:
            for at in (part.start + going.nonzero()[0]).tolist():
                self._advance_alone(at)
        else:
            self._side_by_side(part.start).advance(part.start, len(part), self._n_steps)
        asks = going & ((members.preparation_fault[places] | members.wants_tangents[places]) != 0)
        for at in (part.start + asks.nonzero()[0]).tolist():
            with self.shared.lock:
                if members.preparation_fault[at]:
                    self.slots[at].prepare(starts, numbers[at])
                else:
                    self.slots[at].native.set_tangents()
        if self.shared.returns_at_events:
            for at in (part.start + going.nonzero()[0]).tolist():
                self._check_ambiguous(at)

    def _side_by_side(self, first: int) -> LanesOfGroup | Members:
        """What advances the part of the slots that begins there."""
        if self._lanes_model is None:
            return self.members
        if first not in self._lanes:
            self._lanes[first] = LanesOfGroup(self._lanes_model, self.members)
        return self._lanes[first]

    def _advance_alone(self, at: int) -> None:
        """Advance a run that may call Python. An error there is that of the run."""
        try:
            with self._calls[at]:
                self.members.advance(at, 1, self._n_steps)
        except Exception as error:  # an element's or a user's own error
            self.slots[at].end_by(error)

    def _check_ambiguous(self, at: int) -> None:
        assert self.shared.impacts is not None
        now = self.members.get(at, 1, self._ambiguous_at)[0]
        messages = self.shared.impacts.messages(self._ambiguous[at], now)
        if messages and self.members.outcome[at] == Outcome.INTEGRATED:
            self.slots[at].end_by(EventError(messages[0]))
