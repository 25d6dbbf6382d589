"""The Jacobi algorithm: all FMUs step with the outputs' values from before the step."""

from collections.abc import Mapping, Sequence
from typing import Any, final

from mobod.cosim.algorithms.coupled_inputs import CoupledInputs
from mobod.cosim.component_model import ComponentInstance
from mobod.cosim.connection import Connection


@final
class Jacobi:
    """All instances step with the same inputs.

    Source: Kuebler and Schiehlen, Two methods of simulator coupling (2000), Math. Comput. Model. Dyn. Syst. 6(2).
    """

    def __init__(self, connections: Sequence[Connection], instances: Mapping[str, ComponentInstance], input_order: int) -> None:
        self._inputs = CoupledInputs(connections, instances, input_order)
        self._instances = list(instances.values())

    def advance(self, time: float, step: float) -> None:
        """Advance all instances from time to time + step (s)."""
        self._inputs.read()
        self._inputs.write(time, step)
        for instance in self._instances:
            instance.step(time, step)
        self._inputs.finish()

    def memory(self) -> Any:
        return self._inputs.memory()

    def remember(self, memory: Any) -> None:
        self._inputs.remember(memory)
