"""LiveRuns: the runs of an ensemble that are advanced step by step."""

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from mobod.compilation.native.integration import Outcome
from mobod.compilation.native.native_run import NativeRun
from mobod.ensembles.deformations import WatchedSteps
from mobod.ensembles.depths import DepthsInSteps
from mobod.ensembles.group import SlotGroup
from mobod.ensembles.outputs import OutputTable
from mobod.ensembles.slots import SharedByRuns, outputs_in
from mobod.ensembles.starts import Starts, checked_runs
from mobod.errors import InputError
from mobod.runtime.library import doubles, ints, runtime
from mobod.simulate.projection import are_changed
from mobod.simulate.run_variables import check_settable
from mobod.spatial.rotation import check_quaternion
from mobod.system import CatalogueVariable, Stage, State, System

_STEPS_BETWEEN_LOOKS = 10  # integration steps of a run, until its flexible bodies are looked at again
Advance = Callable[[SlotGroup, Starts, bool], None]


@final
class LiveRuns:
    """Simulations of all runs at their present times.

    time     (n,) s
    failed   number of a run -> its error; it stays where its last step of the ensemble began
    is_failed (n,) the same as booleans
    warnings number of a run -> messages since its last reset: on what constraints have changed of its start, or of states that were set,
             and on flexible bodies beyond what their theory holds for
    advance  advances all members that have not ended to their ends; its last argument is whether they begin
    """

    def __init__(self, shared: SharedByRuns, starts: Starts, outputs: OutputTable, advance: Advance):
        self._shared, self._given, self._starts, self._advance = shared, starts, starts.copy(), advance
        self._n = len(starts)
        self._group = SlotGroup(shared, len(starts), None)
        self.failed: dict[int, BaseException] = {}
        self.warnings: dict[int, list[str]] = {}
        self._new_warnings: list[tuple[int, str]] = []
        self._has_set_states = False  # since the last step
        self._terminated = np.zeros(len(starts), dtype=np.intc)  # numbers of events, from 1
        self.is_failed = np.zeros(len(starts), dtype=bool)
        self.time = starts.times.copy()
        self._grid_start, self._grid_size, self._grid_count = self.time.copy(), np.zeros(len(self)), np.zeros(len(self))
        self._grid_reached = self.time.copy()  # s, the end of the last of these steps: of a time event, if that is round-off later
        rows = shared.system.events.table(shared.layout).rows if shared.system.has_events else ()
        self._looked_at = 0
        self._next_look = np.zeros(len(starts), dtype=np.int64)  # integration steps of each run
        self._watched = WatchedSteps(shared.system, shared.base, len(starts))
        self._depths = DepthsInSteps(shared.system, shared.base, len(starts))
        self._events: list[str | None] = [None, *(row.event.name for row in rows)]
        self._variables: dict[str, tuple[CatalogueVariable, np.ndarray, list[np.ndarray]]] = {}
        self.observe(outputs)
        self.reset(np.arange(len(self)), None)

    def __len__(self) -> int:
        return self._n

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
    def step(
        self, duration: float, inputs: Mapping[str, ArrayLike], chosen: np.ndarray | None, begins: tuple[np.ndarray, Starts | None] | None
    ) -> None:
        """Advance the chosen ones of the runs that have neither failed nor ended, with the inputs of all from now on.

        chosen  numbers of runs, or a mask; None: all
        begins  numbers of runs that begin again instead, and their States, as in `reset`; None: none
        """
        going = self._going(chosen)
        if begins is not None:
            going[begins[0]] = False
        size, count = self._grid_size, self._grid_count
        goes_on = (duration == size) & (self.time == self._grid_reached)
        start, count = np.where(goes_on, self._grid_start, self.time), np.where(goes_on, count + 1, 1.0)
        until = start + count * duration
        changes_time = until > self.time
        if not (0 < duration < inf and (changes_time.all() or changes_time[going].all())):
            raise InputError(
                f"Ensemble.step: the duration must be positive, finite, and long enough to change the time, not {duration!r} s."
            )
        self.set(inputs)
        self._advance_to(until, going, begins)
        arrived = self._without_failed(going)
        self._note_deformations(arrived)
        for block, new in (
            (self._grid_start, start),
            (self._grid_size, duration),
            (self._grid_count, count),
            (self._grid_reached, self.time),
        ):
            np.copyto(block, new, where=arrived)

    def step_to(self, until: float, chosen: np.ndarray | None) -> None:
        """Advance the chosen ones of the runs that have neither failed nor ended to a time that they have not passed, s."""
        going = self._going(chosen) & (until > self.time)
        self._advance_to(np.full(len(self), until), going)
        self._note_deformations(self._without_failed(going))
        self._grid_size[going] = 0

    def _advance_to(self, until: np.ndarray, going: np.ndarray, begins: tuple[np.ndarray, Starts | None] | None = None) -> None:
        members = self._group.members
        members.has_ended[:] = ~going
        np.copyto(members.t_end, until, where=going)
        members.keeps[:] = going
        if begins is not None:
            self._begin(*begins)
        try:
            self._prepare(going)
            self._advance(self._group, self._starts, False)
        except BaseException:  # Ctrl-C: as it was before
            for number in np.flatnonzero(going & (members.keeps == 0)).tolist():
                self._undo(number)
            members.keeps[:] = 0
            self._group.is_stopped = False
            raise
        if begins is None:
            self._finish(going, self._undo)
            return
        began = self._mask(begins[0])
        self._finish(going | began, lambda number: self._to_start(number) if began[number] else self._undo(number))
        self._note_starts(begins[0])

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
        self._has_set_states = bool((self._going(None) & ~going).any())  # of runs that wait

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

    @property
    def has_new_warnings(self) -> bool:
        """Whether there are some for `take_warnings`."""
        return bool(self._new_warnings)

    def take_warnings(self) -> list[tuple[int, str]]:
        """(number of the run, message) for each that has not been taken yet."""
        new, self._new_warnings = self._new_warnings, []
        return new

    def has_ended(self) -> np.ndarray:
        """(n,) whether an event has ended each run."""
        ended: np.ndarray = self._terminated != 0
        return ended

    def _going(self, chosen: np.ndarray | None) -> np.ndarray:
        """(n,) which ones of the chosen runs go on."""
        going = self._without_failed(self._terminated == 0)
        return going if chosen is None else going & self._mask(chosen)

    def _without_failed(self, chosen: np.ndarray) -> np.ndarray:
        """(n,) which ones of the chosen runs have not failed."""
        return chosen & ~self.is_failed if self.failed else chosen

    def _mask(self, chosen: np.ndarray) -> np.ndarray:
        """(n,) booleans"""
        if chosen.dtype == bool:
            return chosen
        is_chosen = np.zeros(self._n, dtype=bool)
        is_chosen[chosen] = True
        return is_chosen

    def _finish(self, chosen: np.ndarray, leave: Callable[[int], None]) -> None:
        """Note what has become of runs. leave: called for a run that has failed."""
        members = self._group.members
        for number in self._group.failed(slice(0, len(self))):
            if not chosen[number]:
                continue
            self.is_failed[number] = True
            error = self._group.slots[number].why(self._starts.start_speed(number))
            assert error is not None
            self.failed[number] = error
            leave(number)
        is_fine = self._without_failed(chosen)
        np.copyto(self.time, members.time, where=is_fine)
        np.copyto(self._terminated, members.terminated_by, where=is_fine)

    def _undo(self, number: int) -> None:
        self._group.slots[number].undo()

    def _to_start(self, number: int) -> None:
        self._group.slots[number].native.reset(self._starts.numbers(number))

    def reset(self, at: np.ndarray, states: Starts | None) -> None:
        """Begin the runs with the numbers `at` again: from these States, or from those that were given first."""
        self._group.members.has_ended[:] = 1
        self._begin(at, states)
        self._advance(self._group, self._starts, True)
        self._finish(self._mask(at), self._to_start)
        self._note_starts(at)

    def _begin(self, at: np.ndarray, states: Starts | None) -> None:
        """Let the next call of C begin these runs, and go no farther."""
        states = self._given.chosen(at) if states is None else states
        self._starts.replace(at, states)
        members = self._group.members
        if self.failed or self.warnings:
            for number in at.tolist():
                self.failed.pop(number, None)
                self.warnings.pop(number, None)
            self.is_failed[at] = False
            self._new_warnings = [each for each in self._new_warnings if each[0] in self.warnings]
        self._watched.begin(at)
        self._depths.begin(at)
        self._next_look[at] = 0
        self._terminated[at] = self._grid_size[at] = 0  # no duration of a step is 0: the next one begins a grid
        members.t_end[at] = self.time[at] = states.times
        self._group.begin(self._starts, at, at)

    def _note_deformations(self, arrived: np.ndarray) -> None:
        """Note which flexible bodies and compliant contacts are beyond their theory in the runs that have made a step.

        A run is looked at in its first step, and then after some integration steps, so that this costs a small part of them.
        """
        for number, message in self._depths.deep(self._group.members, np.flatnonzero(arrived)):
            self.warnings.setdefault(number, []).append(message)
            self._new_warnings.append((number, message))
        watched = self._watched
        if not len(watched):
            return
        n_steps = self._group.members.n_steps
        arrived = arrived & (n_steps >= self._next_look)
        if not arrived.any():
            return
        self._next_look[arrived] = n_steps[arrived] + _STEPS_BETWEEN_LOOKS
        found = watched.bent(self._group.w, self.time, np.flatnonzero(arrived))
        turning = watched.turning
        if turning is not None and (at := np.flatnonzero(arrived & watched.may_turn_too_fast)).size:
            if not turning.is_in_c:  # one run a step, in turn: Python computes them
                at = at[[int(np.searchsorted(at, self._looked_at)) % at.size]]
                self._looked_at = int(at[0]) + 1
            found += watched.turned(self._numbers(turning, at), self.time, at)
        for number, message in sorted(found, key=lambda each: each[0]):
            self.warnings.setdefault(number, []).append(message)
            self._new_warnings.append((number, message))

    def _note_starts(self, at: np.ndarray) -> None:
        """Note what projections have changed of the starts of runs."""
        if self._shared.has_constraints:
            begun = at[~self.is_failed[at]].tolist()
            self._note_changes(begun, self._group.given[begun], self._group.w[begun, self._shared.layout.y.slice])

    # values
    def set(self, inputs: Mapping[str, ArrayLike]) -> None:
        """Set variables of all runs, each to its row of an array. Nothing is set if a value is not valid."""
        found = []
        for name, given in inputs.items():
            if name not in self._variables:
                variable = self._shared.system.variable(self._shared.base, name)
                check_settable(variable)
                at = np.array(variable.slot.offsets, dtype=np.intc)
                self._variables[name] = variable, at, self._shared.base.layout.quaternions_among(at)
            variable, at, quaternions = self._variables[name]
            numbers = checked_runs(variable, given, self._n)
            for entries in quaternions:
                for run, quaternion in enumerate(numbers[:, entries]):
                    check_quaternion(quaternion, f"Ensemble: '{name}' of run {run}")
            found.append((variable, at, numbers))
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
            slot.make_room(*(each for each in (outputs, self._watched.turning) if each is not None))

    def is_doubtful(self, numbers: range) -> np.ndarray:
        """(len(numbers),) whether a Simulation may warn of the runs, which are the first ones."""
        return self._group.is_doubtful(self._starts, numbers)

    def observations(self) -> np.ndarray:
        """(n, outputs) at the present times; NaN where a number does not exist."""
        return self._numbers(self.outputs, np.arange(len(self)))

    def _numbers(self, table: OutputTable, at: np.ndarray) -> np.ndarray:
        """(len(at), numbers of the table) of runs at their present times; NaN where a number does not exist."""
        if table.is_in_c:
            rows = np.empty((len(self), len(table)))
            runtime().ensemble_read(len(self), self._group.members.in_c, table.in_c, doubles(rows.reshape(-1)))
            return rows if at.size == len(self) else rows[at]
        return np.array([outputs_in(self._shared.system, self.state(number), table) for number in at.tolist()]).reshape(at.size, len(table))
