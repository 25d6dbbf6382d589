"""Realization of a State from one stage to a later one. All sweeps between two pieces of Python are one call of the C runtime."""

# Decision: docs/decisions/020-realization-pieces.md

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, final

import numpy as np

from mobod.errors import MobodError
from mobod.runtime.collector import collector_waits
from mobod.runtime.library import ffi, ints, runtime, scratch
from mobod.scalar import Slot, Sweep
from mobod.scalar.kernel_calls import KernelCalls
from mobod.scalar.procedure import Procedure, PythonProcedure
from mobod.system.stage import STAGES, Stage
from mobod.system.state.handles import CacheEntry
from mobod.system.state.layout import Layout
from mobod.system.state.state import State
from mobod.system.subsystem import Subsystem
from mobod.system.subsystem_turn import SubsystemTurn

Piece = Callable[[State], None]
_MOST_VARIANTS = 64
_NONE = ffi.NULL


class _Need(NamedTuple):
    """A lazy value that is computed if it is out of date.

    bit        its bit in the number of a variant
    is_out_of_date
               whether it is, because its stage was invalidated before the realization
    condition  offset of a flag, if there is one; if the flag is 0, nothing reads the value
    begin      see Layout.begins
    """

    bit: int
    entry: CacheEntry
    is_out_of_date: bool
    condition: int | None
    begin: Callable[[np.ndarray], bool] | None


class _Check(NamedTuple):
    """Numbers that must be finite. If not, `explain` is called, which raises the error."""

    slot: Slot
    turn: SubsystemTurn
    explain: Piece


@collector_waits()
def pieces(order: list[Subsystem], state: State, first: int, last: Stage) -> list[Piece]:
    """The pieces, in order, of a realization from stage `first` to `last`, for all States of this layout.

    order  of the subsystems within a stage
    """
    plan = _Plan(state, first)
    for number in range(first + 1, last + 1):
        done: frozenset[int] = frozenset()
        for subsystem in order:
            plan.take(subsystem, SubsystemTurn(subsystem.index, STAGES[number], done))
            done |= {subsystem.index}
    return [each.function() if isinstance(each, _SweepsInC) else each for each in plan.pieces]


class _Plan:
    def __init__(self, state: State, first: int):
        self.pieces: list[Piece | _SweepsInC] = []
        self._first = first
        self._layout, self._state, self._as_text = state.layout, state, state.system.as_text
        self._open: _SweepsInC | None = None  # the last piece, as long as sweeps can be added to it

    def take(self, subsystem: Subsystem, turn: SubsystemTurn) -> None:
        """Add a subsystem's sweep, then its hook."""
        layout, key = self._layout, (turn.subsystem, turn.stage)
        sweep = layout.sweeps.get(key)
        if sweep is not None:
            for entry in layout.needs.get(sweep.name, ()):
                self._need(entry, turn, layout.conditions.get((sweep.name, entry)))
            self._sweep(sweep, turn)
            for entry in layout.marks.get(sweep.name, ()):
                self._in_c().mark(entry)
        if key in layout.finite:
            self._in_c().checks.append(_Check(layout.finite[key], turn, subsystem.explain_not_finite))
        if subsystem.calls_hook(turn.stage):
            self._in_python(partial(subsystem.run_hook, stage=turn.stage), turn)

    def _sweep(self, sweep: Sweep, turn: SubsystemTurn) -> None:
        if self._as_text:
            self._in_python(lambda state: state.layout.run(sweep, state.values, True, state), turn)
        else:
            for part in self._layout.function(sweep).parts:
                if isinstance(part, PythonProcedure):
                    self._in_python(partial(_run_python, part), turn)
                else:
                    self._in_c().sweeps.append((0, part))
        for procedure in sweep.calls:
            if isinstance(procedure, Procedure) and procedure.finite is not None:
                self._in_c().checks.append(_Check(procedure.finite, turn, partial(_raise_problem, procedure)))

    def _need(self, entry: CacheEntry, turn: SubsystemTurn, condition: Slot | None) -> None:
        offset = None if condition is None else condition.offset
        if not self._is_in_c(entry, turn):
            self._in_python(partial(_ensure, entry, offset), turn)
            return
        for each in entry.prerequisites:
            if isinstance(each, CacheEntry) and each.computed_by is None:
                self._need(each, turn, condition)
        piece = self._in_c()
        bit = 1 << len(piece.needs)
        piece.needs.append(_Need(bit, entry, entry.earliest > self._first, offset, self._layout.begins.get(entry)))
        (calls,) = self._layout.function(self._layout.lazy_sweeps[entry]).parts
        assert isinstance(calls, KernelCalls)
        piece.sweeps.append((bit, calls))

    def _is_in_c(self, entry: CacheEntry, turn: SubsystemTurn) -> bool:
        """Whether a lazy value, with all that it depends on, is computed by sweeps in C and may be at this turn."""
        layout, sweep = self._layout, self._layout.lazy_sweeps.get(entry)
        if sweep is None or self._as_text or self._state.has_computation(entry) or layout.needs.get(sweep.name):
            return False
        if not sweep.calls or any(isinstance(call, PythonProcedure) for call in sweep.calls):
            return False
        if not _is_known(entry.subsystem, entry.earliest, turn):
            return False
        others = [each for each in entry.prerequisites if isinstance(each, CacheEntry)]
        return all(
            self._is_in_c(each, turn) if each.computed_by is None else _is_known(each.subsystem, each.computed_by, turn) for each in others
        )

    def _in_c(self) -> "_SweepsInC":
        if self._open is None:
            self._open = _SweepsInC(self._layout)
            self.pieces.append(self._open)
        return self._open

    def _in_python(self, call: Piece, turn: SubsystemTurn) -> None:
        self._open = None
        self.pieces.append(lambda state: state.run_at(turn, call))


class _Variant(NamedTuple):
    """The C structure of a sequence of sweeps, the size of their scratch memory (0: they need none), and the objects that it refers to."""

    in_c: object
    n_scratch: int
    kept: object


@final
class _SweepsInC:
    """A sequence of sweeps without Python between them.

    sweeps  each with the bit of the need that it computes; 0: always run
    """

    def __init__(self, layout: Layout):
        self.sweeps: list[tuple[int, KernelCalls]] = []
        self.needs: list[_Need] = []
        self.checks: list[_Check] = []
        self._marks: list[tuple[int, CacheEntry]] = []  # lazy entries that sweeps set, with the number of checks before each
        self._n_values = layout.size
        self._variants: dict[int, _Variant] = {}

    def mark(self, entry: CacheEntry) -> None:
        """Note a lazy entry that the last sweep sets."""
        self._marks.append((len(self.checks), entry))

    def function(self) -> Piece:
        """What runs them, once all are added: a function of local names, which takes less time than a method."""
        needs, variants, variant, explain, run = tuple(self.needs), self._variants, self._variant, self._explain, runtime().mobod_realize
        n_checks, marked = len(self.checks), tuple(entry.number for _, entry in self._marks)

        def piece(state: State) -> None:
            versions, values, wanted = state.versions, state.values, 0
            for bit, entry, is_out_of_date, condition, begin in needs:
                if condition is not None and not values.item(condition):
                    continue
                if is_out_of_date or not versions.is_valid(entry) or not state.system.uses_cache:
                    versions.mark_one_valid(entry.number)
                    if begin is None or begin(values):
                        wanted |= bit
            in_c, n_scratch, _ = variants.get(wanted) or variant(wanted)
            first_not_finite = run(in_c, state.in_c or state.numbers_in_c(), scratch.at_least(n_scratch) if n_scratch else _NONE)
            if first_not_finite < n_checks:
                explain(state, first_not_finite)
            if marked:
                versions.mark_valid(*marked)

        return piece

    def _variant(self, wanted: int) -> "_Variant":
        """For the wanted lazy values."""
        sweeps = [calls for bit, calls in self.sweeps if not bit or bit & wanted]
        for each in sweeps:
            each.check_size(self._n_values)
        calls = ffi.new("KernelCalls[]", [each.in_c for each in sweeps])
        numbers = np.array([(each.slot.offset, each.slot.size) for each in self.checks], dtype=np.intc).ravel()
        ranges = ints(numbers)
        realization = ffi.new("Realization *", [len(sweeps), calls, len(self.checks), ranges])
        if len(self._variants) >= _MOST_VARIANTS:
            self._variants.clear()
        n_scratch = max((each.n_registers for each in sweeps if each.needs_scratch), default=0)
        variant = _Variant(realization, n_scratch, (calls, numbers, ranges))
        self._variants[wanted] = variant
        return variant

    def _explain(self, state: State, first: int) -> None:
        """Raise the error of a failed check, with the State as it was at that check."""
        for number, check in enumerate(self.checks[first:], first):
            if not np.isfinite(state.values[check.slot.slice]).all():
                for n_checks, entry in self._marks:
                    if n_checks <= number:
                        state.versions.mark_valid(entry.number)
                state.run_at(check.turn, check.explain)


def _is_known(subsystem: int, stage: Stage, turn: SubsystemTurn) -> bool:
    """Whether a subsystem has reached a stage at this place."""
    return stage < turn.stage or (stage == turn.stage and (subsystem in turn.done or subsystem == turn.subsystem))


def _ensure(entry: CacheEntry, condition: int | None, state: State) -> None:
    if condition is None or state.values[condition]:
        state.cached(entry)


def _raise_problem(procedure: Procedure, state: State) -> None:
    problem: MobodError | None = procedure.problem(state.values)
    if problem is not None:
        raise problem


def _run_python(procedure: PythonProcedure, state: State) -> None:
    procedure.run_on(state, state.values)
