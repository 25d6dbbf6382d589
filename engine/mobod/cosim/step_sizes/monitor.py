"""OutputMonitor: the real outputs by which the error of a coupling is judged."""

from typing import final

import numpy as np

from mobod.cosim.step_sizes.control import CoupledRun


@final
class OutputMonitor:
    """The real, continuous outputs that are connected or recorded by default.

    names  of the outputs, 'component.variable'
    sizes  (n,) the largest values so far, or the nominal ones if these are larger, to which errors are compared
    """

    def __init__(self, coupling: CoupledRun) -> None:
        self._batches = []
        self.names: list[str] = []
        nominals: list[float] = []
        for name, instance in coupling.instances.items():
            connected = [each.source.variable.name for each in coupling.connections if each.source.component.name == name]
            variables = coupling.variables[name]
            chosen = [
                each
                for each in dict.fromkeys([*connected, *coupling.recorded[name]])
                if variables[each].kind == "float" and variables[each].variability == "continuous"
            ]
            if chosen:
                self._batches.append(instance.batch(chosen))
                self.names += [f"{name}.{each}" for each in chosen]
                nominals += [abs(variables[each].nominal) or 1.0 for each in chosen]
        self.sizes = np.array(nominals)

    def read(self) -> np.ndarray:
        """(n,) the present values."""
        values = [value for batch in self._batches for value in batch.get_finite()]
        found = np.array(values, dtype=float)
        self.sizes = np.maximum(self.sizes, np.abs(found))
        return found
