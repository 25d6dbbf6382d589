"""LiveRuns: the runs of an ensemble that are advanced step by step."""

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from mobod.compilation.integration import Outcome
from mobod.compilation.native_run import NativeRun
from mobod.ensembles.group import SlotGroup
from mobod.ensembles.outputs import OutputTable
from mobod.ensembles.slots import SharedByRuns, outputs_in
from mobod.ensembles.starts import Starts, checked_runs
from mobod.errors import InputError
from mobod.runtime.library import doubles, ints, runtime
from mobod.simulate.projection import are_changed
from mobod.simulate.run_variables import check_settable
from mobod.system import CatalogueVariable, Stage, State, System

Advance = Callable[[SlotGroup, Starts], None]


@final
class LiveRuns:
    """Simulations of all runs at their present times.

    time     (n,) s
    failed   number of a run -> its error; it stays where its last step of the ensemble began
    warnings number of a run -> messages on what constraints have changed of its start, or of states that were set, since its last reset
    advance  advances all members that have not ended to their ends
    """

    def __init__(self, shared: SharedByRuns, starts: Starts, outputs: OutputTable, advance: Advance):
        self._shared, self._given, self._starts, self._advance = shared, starts, starts.copy(), advance
        self._group = SlotGroup(shared, len(starts), None)
        self.failed: dict[int, BaseException] = {}
        self.warnings: dict[int, list[str]] = {}
        self._new_warnings: list[tuple[int, str]] = []
        self._has_set_states = False  # since the last step
        self._terminated = np.zeros(len(starts), dtype=np.intc)  # numbers of events, from 1
        self.time = starts.times.copy()
        self._grid_start, self._grid_size, self._grid_count = self.time.copy(), np.zeros(len(self)), np.zeros(len(self))
        rows = shared.system.events.table(shared.layout).rows if shared.system.has_events else ()
        self._events: list[str | None] = [None, *(row.event.name for row in rows)]
        self._variables: dict[str, tuple[CatalogueVariable, np.ndarray]] = {}
        self.observe(outputs)
        self.reset(list(range(len(self))), None)

    def __len__(self) -> int:
        return len(self._starts)

    @property
    def steps(self) -> np.ndarray:
        """(n,) integration steps since the start."""
        return self._group.members.n_steps.copy()

    @property
    def terminated_by(self) -> list[str | None]:
        """Of each run: the name of the event that has ended it, or None."""
        return [self._events[number] for number in self._terminated.tolist()]

    @property
    def system(self) -> System:
        return self._shared.system

    @property
    def base(self) -> State:
        """A State of the same structure."""
        return self._shared.base

    def native(self, number: int) -> NativeRun:
        """The simulation of a run."""
        return self._group.slots[number].native

    def state(self, number: int) -> State:
        """The present State of a run, a copy."""
        slot = self._group.slots[number]
        slot.follow()
        return slot.state.copy()

    def close(self) -> None:
        self._group.close()

    # steps
    def step(self, duration: float, inputs: Mapping[str, ArrayLike], chosen: Sequence[int]) -> None:
        """Advance the chosen ones of the runs that have neither failed nor ended, with the inputs of all from now on."""
        going = self._going(chosen)
        size, count = self._grid_size, self._grid_count
        goes_on = (duration == size) & (self.time == self._grid_start + count * size)
        start, count = np.where(goes_on, self._grid_start, self.time), np.where(goes_on, count, 0.0)
        until = start + (count + 1) * duration
        if not (0 < duration < inf and (until > self.time)[going].all()):
            raise InputError(
                f"Ensemble.step: the duration must be positive, finite, and long enough to change the time, not {duration!r} s."
            )
        self.set(inputs)
        self._advance_to(until, going)
        arrived = going & ~self.is_failed()
        for block, new in ((self._grid_start, start), (self._grid_size, np.full(len(self), duration)), (self._grid_count, count + 1)):
            block[arrived] = new[arrived]

    def step_to(self, until: float, chosen: Sequence[int]) -> None:
        """Advance the chosen ones of the runs that have neither failed nor ended to a time that they have not passed, s."""
        going = self._going(chosen) & (until > self.time)
        self._advance_to(np.full(len(self), until), going)
        self._grid_size[going] = 0

    def _advance_to(self, until: np.ndarray, going: np.ndarray) -> None:
        members = self._group.members
        members.has_ended[:] = ~going
        members.t_end[going] = until[going]
        members.keeps[:] = going
        try:
            self._prepare(going)
            self._advance(self._group, self._starts)
        except BaseException:  # Ctrl-C: as it was before
            for number in np.flatnonzero(going & (members.keeps == 0)).tolist():
                self._undo(number)
            members.keeps[:] = 0
            self._group.is_stopped = False
            raise
        self._finish(going, self._undo)

    def _prepare(self, going: np.ndarray) -> None:
        """Project states that were set, as the step does first, and note what this changes. A run that cannot be projected fails in the
        step.
        """
        has_set_states, self._has_set_states = self._has_set_states, False
        if not (has_set_states and self._shared.has_constraints):
            return
        y = self._shared.layout.y.slice
        for number in np.flatnonzero(going).tolist():
            native = self.native(number)
            native.keep()
            try:
                given = native.prepare()
                is_done = native.advanced().outcome == Outcome.INTEGRATED
            except Exception:  # an element's own error, which comes again in the step
                is_done = False
            if is_done:
                self._group.members.keeps[number] = 0
                self._note_changes([number], given[None], native.values()[None, y], "the state that was set")
            else:
                native.undo()
        self._has_set_states = bool((self._going(range(len(self))) & ~going).any())  # of runs that wait

    def note_states(self) -> None:
        """Note that a state was set."""
        self._has_set_states = True

    def _note_changes(self, numbers: Sequence[int], given: np.ndarray, now: np.ndarray, what: str = "the start") -> None:
        """Note what a projection has changed of y (m, ny) of some runs."""
        shared = self._shared
        for row in np.flatnonzero(
            are_changed(shared.layout, given, now, shared.model.y_scales, shared.options.constraint_tolerance)
        ).tolist():
            messages = shared.changes(float(self.time[numbers[row]]), given[row], now[row], what)
            self.warnings.setdefault(numbers[row], []).extend(messages)
            self._new_warnings += [(numbers[row], message) for message in messages]

    def take_warnings(self) -> list[tuple[int, str]]:
        """(number of the run, message) for each that has not been taken yet."""
        new, self._new_warnings = self._new_warnings, []
        return new

    def has_ended(self) -> np.ndarray:
        """(n,) whether an event has ended each run."""
        ended: np.ndarray = self._terminated != 0
        return ended

    def is_failed(self) -> np.ndarray:
        """(n,) whether each run has failed."""
        is_failed = np.zeros(len(self), dtype=bool)
        is_failed[list(self.failed)] = True
        return is_failed

    def _going(self, chosen: Sequence[int]) -> np.ndarray:
        """(n,) which ones of the chosen runs go on."""
        is_chosen = np.zeros(len(self), dtype=bool)
        is_chosen[list(chosen)] = True
        return is_chosen & ~self.is_failed() & (self._terminated == 0)

    def _finish(self, chosen: np.ndarray, leave: Callable[[int], None]) -> None:
        """Note what has become of runs. leave: called for a run that has failed."""
        members, is_fine = self._group.members, chosen.copy()
        for number in self._group.failed(slice(0, len(self))):
            if not chosen[number]:
                continue
            is_fine[number] = False
            error = self._group.slots[number].why(float(self._starts.speeds[number]))
            assert error is not None
            self.failed[number] = error
            leave(number)
        self.time[is_fine] = members.time[is_fine]
        self._terminated[is_fine] = members.terminated_by[is_fine]

    def _undo(self, number: int) -> None:
        self._group.slots[number].undo()

    def _to_start(self, number: int) -> None:
        self._group.slots[number].native.reset(self._starts.numbers(number))

    def reset(self, numbers: Sequence[int], states: Starts | None) -> None:
        """Begin runs again: from these States, or from those that were given first."""
        self._starts.replace(numbers, self._given.chosen(numbers) if states is None else states)
        members, at = self._group.members, np.array(numbers, dtype=int)
        members.has_ended[:] = 1
        for number in numbers:
            self.failed.pop(number, None)
            self.warnings.pop(number, None)
        self._new_warnings = [each for each in self._new_warnings if each[0] not in numbers]
        self._terminated[at] = self._grid_size[at] = self._grid_count[at] = 0
        members.t_end[at] = self.time[at] = self._grid_start[at] = self._starts.times[at]
        self._group.begin(self._starts, at, numbers)
        self._advance(self._group, self._starts)
        is_chosen = np.zeros(len(self), dtype=bool)
        is_chosen[at] = True
        self._finish(is_chosen, self._to_start)
        if self._shared.has_constraints:
            begun = [number for number in numbers if number not in self.failed]
            self._note_changes(begun, self._group.given[begun], self._group.w[begun, self._shared.layout.y.slice])

    # values
    def set(self, inputs: Mapping[str, ArrayLike]) -> None:
        """Set variables of all runs, each to its row of an array. Nothing is set if a value is not valid."""
        found = []
        for name, given in inputs.items():
            if name not in self._variables:
                variable = self._shared.system.variable(self._shared.base, name)
                check_settable(variable)
                self._variables[name] = variable, np.array(variable.slot.offsets, dtype=np.intc)
            variable, at = self._variables[name]
            found.append((variable, at, checked_runs(variable, given, len(self))))
            self._has_set_states = self._has_set_states or variable.role == "state"
        for variable, at, numbers in found:
            self.write(at, numbers, Stage.MODEL if variable.invalidates is None else variable.invalidates)

    def write(self, at: np.ndarray, numbers: np.ndarray, stage: Stage) -> None:
        """Set numbers (n, len(at)) of w of all runs. stage: the first one that depends on them."""
        in_c = doubles(np.ascontiguousarray(numbers).reshape(-1))
        runtime().ensemble_set(len(self), self._group.members.in_c, len(at), ints(at), in_c, stage)

    def observe(self, outputs: OutputTable) -> None:
        """Choose the numbers of `observations`."""
        self.outputs = outputs
        for slot in self._group.slots:
            slot.make_room(outputs)

    def is_doubtful(self, numbers: range) -> np.ndarray:
        """(len(numbers),) whether a Simulation may warn of the runs, which are the first ones."""
        return self._group.is_doubtful(self._starts, numbers)

    def observations(self) -> np.ndarray:
        """(n, outputs) at the present times; NaN where a number does not exist."""
        rows = np.full((len(self), len(self.outputs)), np.nan)
        if self.outputs.is_in_c:
            runtime().ensemble_read(len(self), self._group.members.in_c, self.outputs.in_c, doubles(rows.reshape(-1)))
            return rows
        for number in range(len(self)):
            rows[number] = outputs_in(self._shared.system, self.state(number), self.outputs)
        return rows
