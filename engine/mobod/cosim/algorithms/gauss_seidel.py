"""The Gauss-Seidel algorithm: FMUs step one after another, each with the newest available values."""

from collections.abc import Mapping, Sequence
from typing import Any, final

from mobod.cosim.algorithms.coupled_inputs import CoupledInputs
from mobod.cosim.component_model import ComponentInstance
from mobod.cosim.connection import Connection


@final
class GaussSeidel:
    """Instances step in the order of the mapping.

    Source: Kuebler and Schiehlen, Two methods of simulator coupling (2000), Math. Comput. Model. Dyn. Syst. 6(2).
    """

    def __init__(self, connections: Sequence[Connection], instances: Mapping[str, ComponentInstance], input_order: int) -> None:
        self._turns = [
            (CoupledInputs([each for each in connections if each.target.component.name == name], instances, input_order), instance)
            for name, instance in instances.items()
        ]
        self._has_begun = input_order == 0

    def advance(self, time: float, step: float) -> None:
        """Advance all instances from time to time + step (s).

        Inputs from instances that have stepped follow their values up to the end of the step; with order 0 they are held at these. All
        others, also from the instance itself, follow the values until the start of the step.
        """
        if not self._has_begun:  # the values at the start, to which instances that step later have no access
            for inputs, _ in self._turns:
                inputs.read()
            self._has_begun = True
        for inputs, instance in self._turns:
            inputs.read()
            inputs.write(time, step)
            instance.step(time, step)
            inputs.finish()

    def memory(self) -> Any:
        return [self._has_begun, *(inputs.memory() for inputs, _ in self._turns)]

    def remember(self, memory: Any) -> None:
        self._has_begun, *memories = memory
        for (inputs, _), each in zip(self._turns, memories, strict=True):
            inputs.remember(each)
