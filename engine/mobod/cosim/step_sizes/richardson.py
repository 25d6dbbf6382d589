"""Richardson: one step compared with two of half its size."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from mobod.cosim.algorithms.rollback import SavedInstances
from mobod.cosim.step_errors import NotConvergedError, StepDiscardedError
from mobod.cosim.step_sizes.control import CoupledRun, StepControl
from mobod.cosim.step_sizes.input_errors import InputErrors
from mobod.cosim.step_sizes.monitor import OutputMonitor
from mobod.cosim.step_sizes.step_size import StepEstimate, StepSize, check_options
from mobod.errors import InputError

_SAFETY, _LEAST, _MOST = 0.8, 0.2, 3.0  # of the factor by which a step changes
_JUMP = 3.0  # times the tolerance: an error of an input at the end of a step that is too large
_SHORTENING = 0.25  # after a step that a component discarded, or that did not converge


@final
@dataclass(frozen=True, kw_only=True)
class Richardson:
    """Each step is taken once as a whole, and again as two halves, which remain. Their difference estimates the error. A step at whose end
    an output is far from what its inputs were, since it has jumped, is repeated with shorter steps, up to the jump.

    tolerance           error that may add up within the horizon, relative to the largest value of each output, or to its nominal value
                        if that is larger
    smallest         s  steps; default: a millionth of the master's step, with which the run begins
    largest          s  steps; default: a hundred times the master's step
    horizon          s  time in which errors may add up to the tolerance

    All components must be able to save their state. Source: Schierz, Arnold, Clauss, Co-simulation with communication step size control
    in an FMI compatible master algorithm (2012), 9th Modelica Conference.
    """

    tolerance: float
    smallest: float | None = None
    largest: float | None = None
    horizon: float = 1.0
    name = "Richardson"
    repeats_steps = True
    input_order = 2

    def __post_init__(self) -> None:
        check_options(self.tolerance, self.smallest, self.largest)
        if not self.horizon > 0:
            raise InputError(f"Richardson: the horizon is a positive time, not {self.horizon!r} s.")

    def begin(self, coupling: CoupledRun) -> StepControl:
        """Begin a run: the control of its steps. Raises InputError, UnsupportedError."""
        return RichardsonSteps(coupling, StepSize(coupling.step, self.smallest, self.largest), self.tolerance, self.horizon)


@final
class RichardsonSteps:
    """A `StepControl`. tolerance: infinity: only estimates"""

    def __init__(self, coupling: CoupledRun, size: StepSize, tolerance: float, horizon: float = 1.0) -> None:
        self.error: float | None = 0.0
        self.rejected = 0
        self._coupling, self._size, self._tolerance, self._rate = coupling, size, tolerance, tolerance / horizon
        self._monitor, self._inputs = OutputMonitor(coupling), InputErrors(coupling)
        self._order = coupling.order + 1
        # the whole steps extrapolate from whole steps, since else their error is not 2^order times as large
        self._whole = coupling.algorithm.memory()

    def advance(self, time: float, end: float) -> float:
        coupling, size, algorithm = self._coupling, self._size, self._coupling.algorithm
        fine = algorithm.memory()
        self._monitor.read()
        with SavedInstances(coupling.instances.values()) as start:
            while True:
                step = size.within(time, end)
                try:
                    worst, error, whole = self._try(time, step, end, start, fine)
                except (StepDiscardedError, NotConvergedError):
                    if step * _SHORTENING < size.smallest:
                        raise
                    size.next, error = step * _SHORTENING, np.inf
                else:
                    estimate = self._estimate(worst, error, step)
                    size.note(time, step, estimate)
                    ratio = estimate.ratio
                    factor = np.clip(_SAFETY * max(ratio, 1e-9) ** (-1 / self._order), _LEAST, _MOST)
                    if ratio <= 1 or step <= size.smallest:
                        if self._rate < np.inf:
                            size.change(step, float(factor))
                        self._whole = whole
                        self.error = (self.error or 0.0) + error
                        return end if step == end - time else time + step / 2 + step / 2
                    size.next = max(step * float(min(factor, 0.9)), size.smallest)
                self.rejected += 1
                start.restore()
                algorithm.recall(fine)
                coupling.signals.settle()

    def _estimate(self, output: str, error: float, step: float) -> StepEstimate:
        """The error of a step: that of an output; or that of an input at its end, if that has jumped in the last half, which no output
        shows before the next step.
        """
        if self._tolerance == np.inf:
            return StepEstimate(output, error, "", 0.0)
        jump, connection = self._inputs.largest()
        weight = min(1.0, step / self._coupling.step)  # outputs follow inputs within the master's step at the fastest
        ratio, of_jump = error / (self._rate * step), jump * weight / (_JUMP * self._tolerance)
        if of_jump > max(ratio, 1.0):
            return StepEstimate(f"the error of the input of '{connection}', relative to its size,", jump, "", of_jump)
        return StepEstimate(f"the coupling error of '{output}', relative to its size,", error, "", ratio)

    def _try(self, time: float, step: float, end: float, start: SavedInstances, fine: object) -> tuple[str, float, object]:
        """The output with the largest error of the two half steps with which it ends; this error, estimated; and what the algorithm stores
        after the whole step.
        """
        coupling, algorithm = self._coupling, self._coupling.algorithm
        algorithm.recall(self._whole)
        algorithm.advance(time, step)
        rough, whole = self._monitor.read(), algorithm.memory()
        start.restore()
        algorithm.recall(fine)
        coupling.signals.settle()
        algorithm.advance(time, step / 2)
        middle = time + step / 2
        algorithm.advance(middle, end - middle if step == end - time else step / 2)
        accurate = self._monitor.read()
        errors = np.abs(accurate - rough) / self._monitor.sizes / (2**self._order - 1)
        worst = int(np.argmax(errors)) if len(errors) else None
        return ("", 0.0, whole) if worst is None else (self._monitor.names[worst], float(errors[worst]), whole)

    def memory(self) -> object:
        return [self._size.next, self._whole, self._monitor.sizes.tolist(), self._inputs.sizes.tolist(), self.error]

    def recall(self, memory: Any) -> None:
        self._size.next, self._whole, outputs, inputs, self.error = memory
        self._monitor.sizes, self._inputs.sizes = np.array(outputs, dtype=float), np.array(inputs, dtype=float)
