"""SlotGroup: simulations in C that make some runs of an ensemble at a time, in one thread."""

import weakref
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import final

import numpy as np

from mobod.c_calls import CCalls
from mobod.compilation.integration import Outcome
from mobod.ensembles.members import LanesOfGroup, Members
from mobod.ensembles.outputs import OutputTable
from mobod.ensembles.slots import RunSlot, SharedByRuns
from mobod.ensembles.starts import Starts
from mobod.errors import EventError
from mobod.runtime.library import doubles
from mobod.simulate.native import inaccurate_reports
from mobod.simulate.projection import change_of_start

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
    error         of each run, or None
    """

    starts: Starts
    until: float
    report_times: np.ndarray
    steps_of_row: int
    values: np.ndarray
    finals: Starts
    error: dict[int, BaseException] = field(default_factory=dict)
    warnings: dict[int, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        n = len(self.starts)
        self.steps, self.evaluations = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        self.methods, self.terminated = np.zeros(n, dtype=np.intc), np.zeros(n, dtype=np.intc)


@final
class SlotGroup:
    """`count` slots in one array of members.

    is_stopped  another thread sets it to end the work soon
    """

    def __init__(self, shared: SharedByRuns, count: int, outputs: OutputTable | None):
        self.shared, self.members = shared, Members(count)
        self.is_stopped = False
        resources = ExitStack()
        self.close = weakref.finalize(self, resources.close)  # frees the memory in C
        self.slots = [RunSlot(shared, self.members, at, outputs, resources) for at in range(count)]
        is_quiet = not shared.calls_python and (outputs is None or outputs.is_in_c)
        self._calls: list[CCalls] = [] if is_quiet else [slot.native.calls for slot in self.slots]
        self._n_steps = STEPS_OF_A_CALL if is_quiet else _STEPS_IN_PYTHON
        self._lanes_model = shared.model.lanes() if is_quiet else None
        self._lanes: dict[int, LanesOfGroup] = {}  # of each part of the slots, by its first one: a thread has its own
        self._empty = np.zeros(1)
        self._before: dict[int, list[tuple[float, float]]] = {}  # what contacts remembered at the start, by slot

    # all the way
    def run(self, runs: Runs, numbers: Sequence[int]) -> None:
        """Make some runs, not more than there are slots."""
        members, times = self.members, runs.report_times if len(runs.report_times) else self._empty
        members.has_ended[:] = 1
        for at, number in enumerate(numbers):
            slot, member = self.slots[at], members.in_c[at]
            members.t_end[at], members.n_reports[at] = runs.until, len(runs.report_times)
            members.steps_of_row[at] = runs.steps_of_row
            member.report_times, member.rows = doubles(times), doubles(runs.values[number].reshape(-1))
            slot.begin(runs.starts, number)
        self.note_start(runs.starts, dict(enumerate(numbers)))
        while not self.is_stopped and not members.has_ended.all():
            self._advance(runs.starts, numbers, range(len(numbers)))
        if not self.is_stopped:
            for at, number in enumerate(numbers):
                self._finish(runs, at, number)

    def _finish(self, runs: Runs, at: int, number: int) -> None:
        """Note what has become of a run."""
        shared, members, slot = self.shared, self.members, self.slots[at]
        error = slot.why(float(runs.starts.speeds[number]))
        if error is not None:
            runs.error[number] = error
        if not slot.has_begun:
            return
        values = slot.native.values()
        runs.steps[number], runs.evaluations[number] = members.n_steps[at], members.n_evaluations[at]
        runs.methods[number] = members.methods[at]
        objects = [slot.state.get(each) for each in runs.finals.object_variables] if shared.calls_python else []
        runs.finals.take(number, values, objects)
        runs.terminated[number] = members.terminated_by[at]
        found = self._warnings(runs, at, number, values)
        if found:
            runs.warnings[number] = found

    def _warnings(self, runs: Runs, at: int, number: int, values: np.ndarray) -> list[str]:
        shared, members, found = self.shared, self.members, []
        if shared.has_constraints:
            change = change_of_start(shared.system, shared.base, *self._moved(runs.starts, at, number))
            found += [] if change is None else [change]
        if members.n_not_projected[at]:
            first = float(members.not_projected_at[at])
            found.append(inaccurate_reports(int(members.n_not_projected[at]), first, shared.options.step))
        if shared.events is not None and at in self._before and number not in runs.error:
            found += shared.events.new_ambiguous(self._before[at], self._ambiguous(values))
        return found

    def _moved(self, starts: Starts, at: int, number: int) -> tuple[np.ndarray, np.ndarray]:
        """q at the start, as given and after the projection."""
        layout = self.shared.layout
        first = layout.q.offset - layout.y.offset
        return starts.y[number, first : first + layout.q.size], self.slots[at].prepared[layout.q.slice]

    def _ambiguous(self, values: np.ndarray) -> list[tuple[float, float]]:
        return [] if self.shared.events is None else self.shared.events.read_ambiguous(values)

    def note_start(self, starts: Starts, numbers: Mapping[int, int]) -> None:
        """Note what the contacts of runs remember at their starts. numbers: of the run in each slot."""
        if self.shared.events is not None and self.shared.events.contacts:
            self._before |= {at: self._ambiguous(starts.numbers(number)) for at, number in numbers.items()}

    # calls of C
    def advance_to_ends(self, starts: Starts, part: range) -> None:
        """Advance a part of the slots, whose runs have the same numbers, to their ends."""
        while not self.is_stopped and not self.members.has_ended[part.start : part.stop].all():
            self._advance(starts, range(len(self.members)), part)

    def _advance(self, starts: Starts, numbers: Sequence[int], part: range) -> None:
        """Advance the runs in a part of the slots to their ends, or by some steps each, and do what C asks for."""
        members = self.members
        going = [at for at in part if not members.has_ended[at]]
        if self._calls:
            for at in going:
                self._advance_alone(at)
        else:
            self._side_by_side(part.start).advance(part.start, len(part), self._n_steps)
        for at in going:
            if members.preparation_fault[at]:
                with self.shared.lock:
                    self.slots[at].prepare(starts, numbers[at])
            elif members.wants_tangents[at]:
                with self.shared.lock:
                    self.slots[at].native.set_tangents()
            if self.shared.returns_at_events:
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
        assert self.shared.events is not None
        now = self._ambiguous(self.slots[at].native.values())
        messages = self.shared.events.new_ambiguous(self._before[at], now)
        if messages and self.members.outcome[at] == Outcome.INTEGRATED:
            self.slots[at].end_by(EventError(messages[0]))
