"""OutputsOverTime: numbers of a System and their derivatives at many points of a run."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.compilation.calls.liveness import live_sweeps
from mobod.compilation.source.model_kernels import live_calls
from mobod.scalar.sweep_function import TangentFunction
from mobod.simulate.delays import delay_rows
from mobod.simulate.sampling import can_sample
from mobod.system import Stage, State, System
from mobod.system.named_numbers import NamedNumber
from mobod.system.stage_sweeps import stage_sweeps


@final
@dataclass(frozen=True)
class PartOfRun:
    """Points of a run between two events, and between two kinks of inputs.

    time     (m,) s
    y        (m, ny)
    values   (n,)           State.values before them, with the discrete variables of this part
    y_changes      (m, directions, ny)
    known_changes  (directions, known)  of other numbers that change along the directions
    inputs_at      (k,)    offsets of inputs that change with time
    inputs         (m, k)  their values
    """

    time: np.ndarray
    y: np.ndarray
    values: np.ndarray
    y_changes: np.ndarray
    known_changes: np.ndarray
    inputs_at: np.ndarray
    inputs: np.ndarray


@final
class OutputsOverTime:
    """Computes numbers at points of a run.

    outputs  the numbers
    known    offsets of the numbers besides y that change along directions
    """

    def __init__(self, system: System, state: State, outputs: Sequence[NamedNumber], known: Sequence[int], *, has_changes: bool):
        layout = state.layout
        self._system, self._state, self._outputs, self._known = system, state.copy(), list(outputs), list(known)
        self._at = np.array([each.offset for each in outputs], dtype=np.intp)
        self._y = layout.y.slice
        self._in_y = [layout.y.offset <= offset < layout.y.offset + layout.n_y for offset in self._at]
        self._is_state = all(self._in_y)
        self._calls: list | None = None
        self._tangent: TangentFunction | None = None
        if self._is_state:
            return
        entries = list(dict.fromkeys(each.variable.entry for each in outputs if each.variable.entry is not None))
        sweeps = {stage: sweep for stage, sweep in stage_sweeps(system.realization_order, layout, entries).items() if stage > Stage.MODEL}
        if can_sample(system, state) and not delay_rows(system, state):
            live = live_sweeps(sweeps, self._at.tolist())
            self._calls = [live_calls(sweep) for sweep in live.values() if sweep.calls or sweep.clears]
        if has_changes:
            along = [*layout.y.offsets, *self._known]
            self._tangent = TangentFunction([sweeps[stage] for stage in sorted(sweeps)], along, self._at.tolist())

    def values_and_changes(self, part: PartOfRun) -> tuple[np.ndarray, np.ndarray]:
        """(m, outputs) and (m, outputs, directions). Raises an error that explains a number that cannot be computed."""
        n_y = self._y.stop - self._y.start
        if self._is_state:
            columns = self._at - self._y.start
            return part.y[:, columns], np.swapaxes(part.y_changes[:, :, columns], 1, 2)
        n_directions = len(part.known_changes)
        values = np.empty((len(part.time), len(self._at)))
        changes = np.empty((len(part.time), len(self._at), n_directions))
        w = part.values.copy()
        direction = np.empty(n_y + len(self._known))
        for i, (time, y) in enumerate(zip(part.time, part.y, strict=True)):
            w[0], w[self._y], w[part.inputs_at] = time, y, part.inputs[i]
            values[i] = self._values_at(w)
            for k in range(n_directions):
                direction[:n_y], direction[n_y:] = part.y_changes[i, k], part.known_changes[k]
                assert self._tangent is not None
                changes[i, :, k] = self._tangent(w, direction)
        return values, changes

    def _values_at(self, w: np.ndarray) -> np.ndarray:
        for each in self._calls or ():
            each(w)
        if self._calls is not None and np.isfinite(w[self._at]).all():
            return w[self._at]
        state = self._state
        state.take_numbers(w)
        state.move_to(float(w[0]), w[self._y])
        arrays = {each.variable.name: self._system.value(state, each.variable).reshape(-1) for each in self._outputs}
        return np.array([arrays[each.variable.name][each.entry] for each in self._outputs])
