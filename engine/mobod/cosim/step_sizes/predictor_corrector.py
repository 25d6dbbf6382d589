"""PredictorCorrector: inputs as they were extrapolated, compared with the outputs that came."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from mobod.cosim.step_sizes.control import CoupledRun, StepControl
from mobod.cosim.step_sizes.input_errors import InputErrors
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
        self._errors = InputErrors(coupling)

    def advance(self, time: float, end: float) -> float:
        coupling, size = self._coupling, self._size
        step = size.within(time, end)
        coupling.algorithm.advance(time, step)
        error, connection = self._errors.largest()
        ratio = _MARGIN * error / self._tolerance
        factor = np.clip(_SAFETY * max(ratio, 1e-9) ** (-1 / (coupling.order + 1)), _LEAST, _MOST)
        size.note(time, step, StepEstimate(f"the error of the input of '{connection}', relative to its size,", error, "", ratio))
        size.change(step, float(factor))
        return end if step == end - time else time + step

    def memory(self) -> object:
        return [self._size.next, self._errors.sizes.tolist()]

    def recall(self, memory: Any) -> None:
        self._size.next, sizes = memory
        self._errors.sizes = np.array(sizes, dtype=float)
