"""RunHistory: the States that a stepped run has been in."""

from bisect import bisect_right
from math import inf
from typing import NamedTuple, final

import numpy as np

from mobod.compilation.native.native_run import NativeRun
from mobod.compilation.native.run_numbers import number_reader
from mobod.simulate.deformation_checks import warn_of_deformations
from mobod.simulate.delays import delay_rows
from mobod.simulate.depth_checks import largest_depths, messages_of_depths
from mobod.simulate.quaternions import normalize
from mobod.simulate.run_failure import note_jams
from mobod.simulate.run_record import RunRecord
from mobod.system import DiscreteVariable, Stage, State, System

MOST_BYTES = 64 * 2**20
"""If the rows need more, every second one is dropped."""

_OVERHEAD = 300  # bytes of a row besides its numbers
_MOST_CHANGED = 0.2  # of the discrete variables
_ROUND_OFF = 1e-9  # of the interval between rows


class _HistoryRow(NamedTuple):
    """The State at a time.

    serial            number of the row, which no other row of the run has
    t_and_y           [t q u z], float64
    base              the numeric discrete variables of this row or one before, as int64, shared by many rows
    changed, values   the places where this row differs from `base`, intp, and its numbers there, float64
    objects           the other discrete variables
    pasts             for each delay, the entries that it interpolates
    is_before_change  the next row has the same time
    """

    serial: int
    t_and_y: bytes
    base: np.ndarray
    changed: bytes
    values: bytes
    objects: tuple[object, ...]
    pasts: list[np.ndarray]
    is_before_change: bool

    @property
    def time(self) -> float:
        return float(np.frombuffer(self.t_and_y, count=1)[0])

    @property
    def discrete(self) -> np.ndarray:
        """The numeric discrete variables."""
        numbers = self.base.view(float).copy()
        numbers[np.frombuffer(self.changed, dtype=np.intp)] = np.frombuffer(self.values)
        return numbers

    def has_discrete_of(self, other: "_HistoryRow") -> bool:
        """Whether all discrete variables are those of the other row. False is also possible if they are equal."""
        is_same = self.base is other.base and self.changed == other.changed and self.values == other.values
        return is_same and all(one is two for one, two in zip(self.objects, other.objects, strict=True))


@final
class RunHistory:
    """The rows of a run. Each is taken as late as possible, when the run goes on, so that it has the inputs that were set at its time.

    report_every  s, the least time between rows; None: a row at the end of each step; inf: no rows
    """

    def __init__(self, system: System, state: State, native: NativeRun, report_every: float | None) -> None:
        self._system, self._state, self._native = system, state, native
        self._every = 0.0 if report_every is None else report_every
        self._delays = delay_rows(system, state)
        self._depths = largest_depths(system, state)
        self.objects: list[DiscreteVariable] = [
            each for each in state.discrete_variables if each.shape is None and each.invalidates > Stage.MODEL
        ]
        remembered = {offset for row in self._delays for offset in row.memory.offsets}
        self._n_first = 1 + state.layout.n_y
        self._discrete = np.array([each for each in state.layout.discrete.offsets if each not in remembered], dtype=np.intc)
        self._read = number_reader(native, self._discrete, [], 0)
        self._base = np.zeros(len(self._discrete), dtype=np.int64)
        self._changes = b"", (b"", b"")  # the discrete variables of the newest row, and where they differ from its base
        self._at_change = -1  # how often numbers had been set by then
        self._serial = 0
        self.begin()

    @property
    def is_kept(self) -> bool:
        """Whether there are rows."""
        return self._every < inf

    @property
    def mark(self) -> int:
        """For `go_back`: how far it is."""
        return self._serial

    def begin(self) -> None:
        """Begin with the present state."""
        self._serial += 1
        self._first = self._serial
        self._rows: list[_HistoryRow] = []
        self._dropped: list[tuple[int, int]] = []  # the first and the last serial number of rows that `go_back` has dropped, in order
        self._bytes = 0
        self._since, self._last = self._native.time, 0  # s, of the grid of `report_every`; the number of its newest row
        self._stride, self._passed = 1, 0  # a row at one in so many ends of steps; ends without a row
        self._is_due = self.is_kept

    # the run goes on
    def note_end_of_step(self) -> None:
        """A step has ended."""
        if not self.is_kept:
            return
        self._passed += 1
        if self._every:
            self._is_due = self._number() >= self._last + self._stride
        else:
            self._is_due = self._passed >= self._stride

    def take(self) -> None:
        """Take the row of the present state, if it is due."""
        if self._is_due:
            self._add()

    def take_change(self, *, is_before: bool) -> None:
        """Take a row before, or after, a change of the continuous state at this time."""
        if self.is_kept:
            self._add(is_before_change=is_before)

    def _number(self) -> int:
        """Of the present time on the grid of `report_every`."""
        return int((self._native.time - self._since) / self._every + _ROUND_OFF)

    def _add(self, *, is_before_change: bool = False) -> None:
        row = self._present(is_before_change)
        if self._rows and self._rows[-1].t_and_y == row.t_and_y:
            self._rows.pop()  # what was set at this time is all that differs
        self._bytes += _OVERHEAD + len(row.t_and_y) + len(row.changed) + len(row.values)
        if row.pasts:
            self._bytes += sum(each.nbytes for each in row.pasts)
        self._bytes += 0 if self._rows and self._rows[-1].base is row.base else row.base.nbytes
        self._rows.append(row)
        self._serial = row.serial
        self._is_due, self._passed = False, 0
        if self._every:
            self._last = self._number()
        if self._bytes > MOST_BYTES:
            self._thin()

    def _present(self, is_before_change: bool) -> _HistoryRow:
        self._note_discrete()
        objects, pasts = tuple(self._state.get(each) for each in self.objects) if self.objects else (), []
        if self._delays:
            values, time = self._native.values(), self._native.time
            pasts = [each.history(values).excerpt(time - each.delay) for each in self._delays]
        t_and_y = self._native.first_bytes(self._n_first)
        return _HistoryRow(self._serial + 1, t_and_y, self._base, *self._changes[1], objects, pasts, is_before_change)

    def _note_discrete(self) -> None:
        """Note the changes of discrete variables, of which there may be many, unless there are none."""
        native = self._native
        if native.n_sets == self._at_change and native.steps_change_y_alone:
            return
        discrete, self._at_change = self._read(), native.n_sets
        if (present := discrete.tobytes()) != self._changes[0]:
            self._changes = present, self._changes_of(discrete)

    def _changes_of(self, discrete: np.ndarray) -> tuple[bytes, bytes]:
        """The places where the discrete variables differ from the base, and their numbers there. They become the base if these are many."""
        bits = discrete.view(np.int64)  # so that NaN equals itself
        (changed,) = (bits != self._base).nonzero()
        if len(changed) > _MOST_CHANGED * len(bits):
            self._base, changed = bits.copy(), changed[:0]
        return changed.tobytes(), discrete[changed].tobytes()

    def _thin(self) -> None:
        """Drop every second row, except those at changes."""
        changes = {index for index, row in enumerate(self._rows) if row.is_before_change}
        changes |= {index + 1 for index in changes}
        self._rows = [row for index, row in enumerate(self._rows) if index % 2 == 0 or index in changes]
        self._bytes //= 2
        self._stride *= 2

    # the run goes back
    def go_back(self, mark: int) -> None:
        """Drop the rows after a mark; all, if they belong to another way that the run has gone. The present state gets a row."""
        if mark < self._first or any(first <= mark <= last for first, last in self._dropped):
            self.begin()
            return
        if self._serial > mark:
            while self._dropped and self._dropped[-1][0] > mark:
                self._dropped.pop()
            self._dropped.append((mark + 1, self._serial))
        del self._rows[bisect_right(self._rows, mark, key=lambda row: row.serial) :]
        self._is_due = self.is_kept

    # what it has
    def record(self, done: RunRecord, terminated_by: str | None, state: State) -> RunRecord:
        """The rows, and one of the present, with the events and warnings of `done`. state: the present one, which is changed"""
        record = RunRecord(self._system, events=list(done.events), warnings=list(done.warnings), terminated_by=terminated_by)
        record.steps, record.evaluations = self._native.steps, self._native.evaluations
        note_jams(record, self._native)
        self._write(record, state)
        return record

    def _write(self, record: RunRecord, state: State) -> None:
        present = self._present(False)
        rows = [*(self._rows[:-1] if self._rows and self._rows[-1].t_and_y == present.t_and_y else self._rows), present]
        ys = np.array([np.frombuffer(row.t_and_y)[1:] for row in rows]).reshape(len(rows), -1)
        normalize(state.layout, ys)  # projections move along the tangents of the constraints
        without, last = [row.variable for row in self._delays], None
        for row, y in zip(rows, ys, strict=True):
            if last is None or not row.has_discrete_of(last):
                for variable, value in zip(self.objects, row.objects, strict=True):
                    state.set(variable, value)
                state.values[self._discrete] = row.discrete
                state.move_to(row.time, y)
                record.take(state.snapshot(without))
            record.report(row.time, y, state, row.pasts)
            last = row
        if self._stride > 1:
            record.warn(
                f"the history of the run needs more than {MOST_BYTES // 2**20} MiB, so that only one in {self._stride} rows is kept. "
                "Simulation.start(state, report_every=...) takes fewer."
            )
        warn_of_deformations(self._system, record, state)
        for message in messages_of_depths(self._system, self._depths, largest_depths(self._system, state)):
            record.warn(message)
