"""PredictorCorrector: inputs as they were extrapolated, compared with the outputs that came."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from mobod.cosim.algorithms.coupled_inputs import is_smooth
from mobod.cosim.step_sizes.control import CoupledRun, StepControl
from mobod.cosim.step_sizes.step_size import StepEstimate, StepSize, check_options

_SAFETY, _LEAST, _MOST = 0.9, 0.2, 1.5  # of the factor by which a step changes
_MARGIN = 3.0  # errors of inputs may add up: each is kept below this part of the tolerance
_FIRST = 1e-3  # step, relative to that of the master


@final
@dataclass(frozen=True, kw_only=True)
class PredictorCorrector:
    """The error of an input at the end of a step is the difference of its extrapolation and the output. No step is repeated.

    tolerance     relative to the largest value of each input, or to its nominal value if that is larger
    smallest   s  steps; default: a millionth of the master's step. The run begins with a thousandth of that step, since the first
                  steps have no values to extrapolate from
    largest    s  steps; default: a hundred times the master's step

    Source: Busch, Schweizer, An explicit approach for controlling the macro-step size of co-simulation methods (2011), ENOC.
    """

    tolerance: float
    smallest: float | None = None
    largest: float | None = None
    name = "predictor and corrector"
    repeats_steps = False
    input_order = 2

    def __post_init__(self) -> None:
        check_options(self.tolerance, self.smallest, self.largest)

    def begin(self, coupling: CoupledRun) -> StepControl:
        """Begin a run: the control of its steps. Raises InputError, UnsupportedError."""
        size = StepSize(coupling.step, self.smallest, self.largest, first=_FIRST * coupling.step)
        return PredictorCorrectorSteps(coupling, size, self.tolerance)


@final
class PredictorCorrectorSteps:
    """A `StepControl`."""

    def __init__(self, coupling: CoupledRun, size: StepSize, tolerance: float) -> None:
        self.error: float | None = None
        self.rejected = 0
        self._coupling, self._size, self._tolerance = coupling, size, tolerance
        self._smooth = [k for k, each in enumerate(coupling.connections) if is_smooth(each)]
        self._sizes = np.array([abs(coupling.connections[k].target.variable.nominal) or 1.0 for k in self._smooth])

    def advance(self, time: float, end: float) -> float:
        coupling, size = self._coupling, self._size
        step = size.within(time, end)
        coupling.algorithm.advance(time, step)
        values = coupling.signals.values
        given, taken = (np.array([each[k] for k in self._smooth], dtype=float) for each in (values, coupling.algorithm.taken))
        self._sizes = np.maximum(self._sizes, np.abs(given))
        errors = np.abs(given - taken) / self._sizes
        ratio = _MARGIN * float(np.max(errors, initial=0.0)) / self._tolerance
        factor = np.clip(_SAFETY * max(ratio, 1e-9) ** (-1 / (coupling.order + 1)), _LEAST, _MOST)
        if len(errors):
            worst = int(np.argmax(errors))
            what = f"the error of the input of '{coupling.connections[self._smooth[worst]]}', relative to its size,"
            size.note(time, step, StepEstimate(what, float(errors[worst]), "", ratio))
        size.change(step, float(factor))
        return end if step == end - time else time + step

    def memory(self) -> Any:
        return [self._size.next, self._sizes.tolist()]

    def recall(self, memory: Any) -> None:
        self._size.next, sizes = memory
        self._sizes = np.array(sizes, dtype=float)
