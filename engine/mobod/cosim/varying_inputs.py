"""VaryingInputs: inputs of an FMU that change within a step by polynomials."""

import math
from collections.abc import Sequence
from typing import final

import numpy as np

from mobod.cosim.fmu_batch import Places
from mobod.importer.instance import FmuInstance
from mobod.importer.values import VariableValues
from mobod.importer.variable import ForeignVariable


@final
class VaryingInputs:
    """Inputs of one step. An array is set as a whole: entries without derivatives are held.

    variables
    """

    def __init__(self, fmu: FmuInstance, places: Places) -> None:
        self._fmu, self._places = fmu, places
        self._derivatives: dict[str, np.ndarray] = {}
        self._start = 0.0
        self.variables: list[ForeignVariable] = []
        self._values: VariableValues | None = None
        self._at = np.empty(0, dtype=int)  # of inputs among the elements of the variables
        self._of_elements = np.empty(0)  # at the start
        self._rates = np.empty((0, 0))

    def set(self, names: Sequence[str], derivatives: np.ndarray) -> None:
        """Set the derivatives (order, n) of inputs for the next step."""
        self._derivatives.update(zip(names, derivatives.T, strict=True))

    def begin(self, time: float) -> bool:
        """Begin a step at this time, s, with the present values of inputs. Returns whether any input has derivatives."""
        derivatives, self._derivatives = self._derivatives, {}
        if not derivatives:
            self._values = None
            return False
        variables = list(dict.fromkeys(self._places[name][0] for name in derivatives))
        if variables != self.variables or self._values is None:
            self.variables, self._values = variables, self._fmu.values(variables)
        first = dict(zip(variables, np.cumsum([0, *(self._fmu.size(each) for each in variables)]).tolist(), strict=False))
        self._start = time
        self._at = np.array([first[variable] + position for variable, position in (self._places[name] for name in derivatives)])
        self._of_elements = np.array([element for row in self._values.get() for element in row], dtype=float)
        order = max(len(each) for each in derivatives.values())
        self._rates = np.zeros((order, len(derivatives)))
        for k, each in enumerate(derivatives.values()):
            self._rates[: len(each), k] = each
        return True

    def update(self, time: float) -> None:
        """Set the inputs to their values at a time, s."""
        if self._values is not None:
            self._values.set(self.values(time), always=True)

    def values(self, time: float) -> list[list[float]]:
        """The elements of each variable at a time, s."""
        elements = self._of_elements.copy()
        for k, rates in enumerate(self._rates, start=1):
            elements[self._at] += rates * (time - self._start) ** k / math.factorial(k)
        found, first = [], 0
        for variable in self.variables:
            size = self._fmu.size(variable)
            found.append(elements[first : first + size].tolist())
            first += size
        return found

    def end(self) -> None:
        """End the step: the inputs are held again."""
        self._values = None


@final
class VaryingInputDerivatives:
    """`InputDerivatives` of some of the inputs."""

    def __init__(self, inputs: VaryingInputs, names: Sequence[str]) -> None:
        self._inputs, self._names = inputs, names

    def set(self, derivatives: np.ndarray) -> None:
        self._inputs.set(self._names, derivatives)
