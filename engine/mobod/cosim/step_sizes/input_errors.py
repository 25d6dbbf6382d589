"""InputErrors: inputs at the end of a step, compared with the outputs that came."""

from typing import final

import numpy as np

from mobod.cosim.algorithms.coupled_inputs import is_smooth
from mobod.cosim.step_sizes.control import CoupledRun


@final
class InputErrors:
    """Of the inputs that are real and continuous.

    sizes  (n,) the largest values so far, or the nominal ones if these are larger, to which errors are compared
    """

    def __init__(self, coupling: CoupledRun) -> None:
        self._coupling = coupling
        self._smooth = [k for k, each in enumerate(coupling.connections) if is_smooth(each)]
        self.sizes = np.array([abs(coupling.connections[k].target.variable.nominal) or 1.0 for k in self._smooth])

    def largest(self) -> tuple[float, str]:
        """The largest relative error of the step that was taken last, and the connection; 0 and '' if there is no input."""
        values, used = self._coupling.signals.values, self._coupling.algorithm.taken
        given, taken = (np.array([each[k] for k in self._smooth], dtype=float) for each in (values, used))
        self.sizes = np.maximum(self.sizes, np.abs(given))
        errors = np.abs(given - taken) / self.sizes
        if not len(errors):
            return 0.0, ""
        worst = int(np.argmax(errors))
        return float(errors[worst]), str(self._coupling.connections[self._smooth[worst]])
