"""DifferenceRun: runs of a Simulation from changed numbers, with derivatives by central differences of whole runs."""

import warnings
from collections.abc import Sequence
from typing import final

import numpy as np

from mobod.analysis.driving_inputs import DrivingInputs
from mobod.analysis.named_numbers import set_numbers
from mobod.analysis.tangent_run import RunWithDerivatives, ended_early
from mobod.compilation.native.native_changes import set_ramps
from mobod.errors import MobodWarning
from mobod.simulate import Simulation, SteppedRun
from mobod.system import State
from mobod.system.named_numbers import NamedNumber

# What a run computes repeats up to this part if parameters change a little: with error control the number of steps changes, and the errors
# of many steps add up; with fixed steps there is round-off.
_NOISE_OF_STEPS, _ROUND_OFF = 10.0, 1e-14


@final
class DifferenceRun:
    """The same as TangentRun for Systems without tangents. Handlers, reporters and everything else in Python is called as in any run."""

    def __init__(
        self,
        simulation: Simulation,
        state: State,
        parameters: Sequence[NamedNumber],
        outputs: Sequence[NamedNumber],
        times: np.ndarray,
        inputs: DrivingInputs | None,
    ):
        self._simulation, self._start = simulation, state.copy()
        self._parameters, self._outputs, self._times, self._inputs = list(parameters), list(outputs), times, inputs
        self._names = list(dict.fromkeys(each.variable.name for each in outputs))
        kinks = np.empty(0) if inputs is None else inputs.kinks
        inside = kinks[(kinks > state.time) & (kinks < times[-1])]
        self._stops = np.unique([*times, *inside])
        self._is_kink, self._is_report = np.isin(self._stops, inside), np.isin(self._stops, times)

    def run(self, values: np.ndarray, *, with_derivatives: bool) -> RunWithDerivatives:
        """Run from these values of the parameters."""
        found = self._outputs_from(values)
        if not with_derivatives:
            return RunWithDerivatives(found, np.empty((0, 0, 0)))
        derivatives = np.empty((*found.shape, len(self._parameters)))
        for k in range(len(self._parameters)):
            below, above = (self._outputs_from(beside) for beside in self._beside(values, k))
            derivatives[:, :, k] = (above - below) / np.subtract(*[beside[k] for beside in self._beside(values, k)][::-1])
        return RunWithDerivatives(found, derivatives)

    def _beside(self, values: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The values with a smaller and a larger k-th one, within its bounds."""
        options, variable = self._simulation.options, self._parameters[k].variable
        noise = _ROUND_OFF if options.step else _NOISE_OF_STEPS * options.accuracy
        shift = np.cbrt(noise) * (abs(values[k]) if values[k] != 0 else 1.0)
        below, above = values.copy(), values.copy()
        below[k] = max(values[k] - shift, -np.inf if variable.minimum is None else variable.minimum)
        above[k] = min(values[k] + shift, np.inf if variable.maximum is None else variable.maximum)
        return below, above

    def _outputs_from(self, values: np.ndarray) -> np.ndarray:
        """(m, outputs)"""
        state, system, rows = self._start.copy(), self._simulation.system, []
        set_numbers(system, state, self._parameters, values)
        if self._inputs is not None:
            set_numbers(system, state, self._inputs.numbers, self._inputs.ramps(state.time)[0])
        with warnings.catch_warnings():
            # the caller says once what constraints change of the start
            warnings.filterwarnings("ignore", "the start at .* did not satisfy the constraints", MobodWarning)
            run = self._simulation.start(state)
        with run:
            self._ramp(run)
            read = run.variables(*self._names)
            column = {name: i for i, name in enumerate(read.names)}
            columns = [column[each.name] for each in self._outputs]
            for stop, is_kink, is_report in zip(self._stops, self._is_kink, self._is_report, strict=True):
                run.step_to(stop)
                if run.terminated_by is not None and stop < self._times[-1]:
                    raise ended_early(run.terminated_by, run.time, self._times[-1])
                if is_report:
                    rows.append(read.get()[columns])
                if is_kink:
                    self._ramp(run)
        return np.array(rows)

    def _ramp(self, run: SteppedRun) -> None:
        if self._inputs is not None:
            set_ramps(run.native, self._inputs.at, self._inputs.stages, *self._inputs.ramps(run.time))
