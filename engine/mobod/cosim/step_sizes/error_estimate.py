"""ErrorEstimate: fixed steps with an estimate of the coupling error."""

from dataclasses import dataclass
from math import inf
from typing import final

from mobod.cosim.step_sizes.control import CoupledRun, StepControl
from mobod.cosim.step_sizes.richardson import RichardsonSteps
from mobod.cosim.step_sizes.step_size import StepSize


@final
@dataclass(frozen=True)
class ErrorEstimate:
    """Steps of one size, each taken as a whole, and then as two halves, which remain."""

    name = "fixed size, in halves, with an estimate of the coupling error"
    tolerance = inf
    repeats_steps = True
    input_order = 0

    def begin(self, coupling: CoupledRun) -> StepControl:
        """Begin a run: the control of its steps. Raises InputError, UnsupportedError."""
        return RichardsonSteps(coupling, StepSize(coupling.step, coupling.step, coupling.step), inf)
