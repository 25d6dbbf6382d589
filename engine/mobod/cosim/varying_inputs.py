"""VaryingInputs: inputs of an FMU that change within a step by polynomials."""

import math
from collections.abc import Sequence
from typing import final

import numpy as np

from mobod.cosim.fmu_entries import FmuEntries, elements_of
from mobod.cosim.variable import Value
from mobod.importer.instance import FmuInstance
from mobod.importer.values import VariableValues
from mobod.importer.variable import ForeignVariable


@final
class VaryingInputs:
    """Inputs of one step. An array is set as a whole: entries without derivatives are held.

    variables
    """

    def __init__(self, fmu: FmuInstance, entries: FmuEntries) -> None:
        self._fmu, self._entries = fmu, entries
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
        if not self._derivatives:
            self._values = None
            return False
        derivatives, self._derivatives = self._derivatives, {}
        variables, positions, _ = elements_of(self._fmu, self._entries.of(derivatives))
        if variables != self.variables or self._values is None:
            self.variables, self._values = variables, self._fmu.values(variables)
        self._start = time
        self._at = np.array(positions)
        self._of_elements = np.array(self._values.get_elements(), dtype=float)
        order = max(len(each) for each in derivatives.values())
        self._rates = np.zeros((order, len(derivatives)))
        for k, each in enumerate(derivatives.values()):
            self._rates[: len(each), k] = each
        return True

    def update(self, time: float) -> None:
        """Set the inputs to their values at a time, s."""
        if self._values is not None:
            self._values.set_elements(self._elements(time), always=True)

    def values(self, time: float) -> list[list[Value]]:
        """The elements of each variable at a time, s."""
        return [] if self._values is None else self._values.rows(self._elements(time))

    def _elements(self, time: float) -> list[Value]:
        elements = self._of_elements.copy()
        for k, rates in enumerate(self._rates, start=1):
            elements[self._at] += rates * (time - self._start) ** k / math.factorial(k)
        return list(elements.tolist())

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
