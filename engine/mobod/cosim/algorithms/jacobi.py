"""The Jacobi algorithm: all FMUs step with the outputs' values from before the step."""

from collections.abc import Mapping, Sequence
from typing import Any, final

from mobod.cosim.algorithms.coupled_inputs import CoupledInputs
from mobod.cosim.component_model import ComponentInstance
from mobod.cosim.connection import Connection
from mobod.cosim.exchange.operations import Advance, Operation, Pass
from mobod.cosim.signals.settling import settling
from mobod.cosim.signals.signals import Signals
from mobod.cosim.variable import Value


@final
class Jacobi:
    """All instances step with the same inputs, which are held, or extrapolated.

    Source: Kuebler and Schiehlen, Two methods of simulator coupling (2000), Math. Comput. Model. Dyn. Syst. 6(2).
    """

    def __init__(
        self, connections: Sequence[Connection], instances: Mapping[str, ComponentInstance], signals: Signals, input_order: int
    ) -> None:
        self._signals = signals
        self._names, self._n = list(instances), len(connections)
        self._instances = list(instances.values())
        self._inputs = CoupledInputs(connections, instances, input_order) if input_order else None
        self.calls = 0
        self.taken: list[Value] = []

    def advance(self, time: float, step: float) -> None:
        """Advance all instances from time to time + step (s)."""
        self._signals.apply()
        self.taken = self._signals.values
        if self._inputs is not None:
            self._inputs.add(self._signals.values)
            self._inputs.write(time, step)
            for k, value in zip(self._inputs.smooth.tolist(), self._inputs.taken.tolist(), strict=True):
                self.taken[k] = value
        for instance in self._instances:
            instance.step(time, step)
        self.calls += len(self._instances)
        self._signals.settle()

    def operations(self) -> list[Operation] | None:
        """Those of a step in which all inputs are held; None if they are not."""
        if self._inputs is not None:
            return None
        step = Advance(self._names)
        if self._signals.is_delayed:
            return [Pass(range(self._n)), step]
        return [step, *settling(self._signals)]

    def memory(self) -> Any:
        return None if self._inputs is None else self._inputs.memory()

    def recall(self, memory: Any) -> None:
        if self._inputs is not None:
            self._inputs.recall(memory)
