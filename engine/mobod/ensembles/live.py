"""LiveRuns: the runs of an ensemble that are advanced step by step."""

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any, final

import numpy as np

from mobod.compilation.native import NativeRun
from mobod.ensembles.group import SlotGroup
from mobod.ensembles.outputs import OutputTable
from mobod.ensembles.slots import SharedByRuns, outputs_in
from mobod.ensembles.starts import Starts, checked_runs
from mobod.errors import InputError
from mobod.runtime.library import doubles, ints, runtime
from mobod.simulate.run_variables import check_settable, named_variable
from mobod.system import CatalogueVariable, Stage, State, System

Advance = Callable[[SlotGroup, Starts], None]


@final
class LiveRuns:
    """Simulations of all runs at their present times.

    time           (n,) s
    failed         number of a run -> its error; it stays where its last step of the ensemble began
    terminated_by  of each run: the name of the event that has ended it, or None
    advance        advances all members that have not ended to their ends
    """

    def __init__(self, shared: SharedByRuns, starts: Starts, outputs: OutputTable, advance: Advance):
        self._shared, self._given, self._starts, self._advance = shared, starts, starts.copy(), advance
        self._group = SlotGroup(shared, len(starts), None)
        self.failed: dict[int, BaseException] = {}
        self.terminated_by: list[str | None] = [None] * len(starts)
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
    def step(self, duration: float, inputs: Mapping[str, Any], chosen: Sequence[int]) -> None:
        """Advance the chosen ones of the runs that have neither failed nor ended, with the inputs of all from now on."""
        going = np.zeros(len(self), dtype=bool)
        going[list(chosen)] = True
        going &= self._going()
        size, count = self._grid_size, self._grid_count
        goes_on = (duration == size) & (self.time == self._grid_start + count * size)
        start, count = np.where(goes_on, self._grid_start, self.time), np.where(goes_on, count, 0.0)
        until = start + (count + 1) * duration
        if not (0 < duration < inf and (until > self.time)[going].all()):
            raise InputError(
                f"Ensemble.step: the duration must be positive, finite, and long enough to change the time, not {duration!r} s."
            )
        self.set(inputs)
        members = self._group.members
        members.has_ended[:] = ~going
        members.t_end[going] = until[going]
        members.keeps[:] = going
        try:
            self._advance(self._group, self._starts)
        except BaseException:  # Ctrl-C: as it was before
            for number in np.flatnonzero(going & (members.keeps == 0)).tolist():
                self._undo(number)
            members.keeps[:] = 0
            self._group.is_stopped = False
            raise
        self._finish(np.flatnonzero(going).tolist(), self._undo)
        arrived = going & ~self._is_failed()
        for block, new in ((self._grid_start, start), (self._grid_size, np.full(len(self), duration)), (self._grid_count, count + 1)):
            block[arrived] = new[arrived]

    def _is_failed(self) -> np.ndarray:
        is_failed = np.zeros(len(self), dtype=bool)
        is_failed[list(self.failed)] = True
        return is_failed

    def _going(self) -> np.ndarray:
        """(n,) which runs go on."""
        return ~self._is_failed() & np.array([each is None for each in self.terminated_by])

    def _finish(self, numbers: Sequence[int], leave: Callable[[int], None]) -> None:
        """Note what has become of runs. leave: called for a run that has failed."""
        members = self._group.members
        for number in numbers:
            slot = self._group.slots[number]
            if slot.error is None and not members.outcome[number]:
                self.time[number] = members.time[number]
                self.terminated_by[number] = self._events[members.terminated_by[number]]
                continue
            error = slot.why(float(self._starts.speeds[number]))
            assert error is not None
            self.failed[number] = error
            leave(number)

    def _undo(self, number: int) -> None:
        self._group.slots[number].undo()

    def _to_start(self, number: int) -> None:
        self._group.slots[number].native.reset(self._starts.numbers(number))

    def reset(self, numbers: Sequence[int], states: Starts | None) -> None:
        """Begin runs again: from these States, or from those that were given first."""
        self._starts.replace(numbers, self._given.chosen(numbers) if states is None else states)
        members = self._group.members
        members.has_ended[:] = 1
        for number in numbers:
            self.failed.pop(number, None)
            self.terminated_by[number] = None
            self._group.slots[number].begin(self._starts, number)
            time = self._starts.times[number]
            members.t_end[number] = self.time[number] = self._grid_start[number] = time
            self._grid_size[number] = self._grid_count[number] = 0
        self._group.note_start(self._starts, {number: number for number in numbers})
        self._advance(self._group, self._starts)
        self._finish(numbers, self._to_start)

    # values
    def set(self, inputs: Mapping[str, Any]) -> None:
        """Set variables of all runs, each to its row of an array. Nothing is set if a value is not valid."""
        found = []
        for name, given in inputs.items():
            if name not in self._variables:
                variable = named_variable(self._shared.system, self._shared.base, name)
                check_settable(variable)
                self._variables[name] = variable, np.array(variable.slot.offsets, dtype=np.intc)
            variable, at = self._variables[name]
            found.append((variable, at, np.ascontiguousarray(checked_runs(variable, given, len(self)))))
        for variable, at, numbers in found:
            stage = Stage.MODEL if variable.invalidates is None else variable.invalidates
            runtime().ensemble_set(len(self), self._group.members.in_c, len(at), ints(at), doubles(numbers.reshape(-1)), stage)

    def observe(self, outputs: OutputTable) -> None:
        """Choose the numbers of `observations`."""
        self.outputs = outputs
        for slot in self._group.slots:
            slot.make_room(outputs)

    def observations(self) -> np.ndarray:
        """(n, outputs) at the present times; NaN where a number does not exist."""
        rows = np.full((len(self), len(self.outputs)), np.nan)
        if self.outputs.is_in_c:
            runtime().ensemble_read(len(self), self._group.members.in_c, self.outputs.in_c, doubles(rows.reshape(-1)))
            return rows
        for number in range(len(self)):
            rows[number] = outputs_in(self._shared.system, self.state(number), self.outputs)
        return rows
