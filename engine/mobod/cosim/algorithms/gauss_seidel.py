"""The Gauss-Seidel algorithm: FMUs step one after another, each with the newest available values."""

from collections.abc import Mapping, Sequence
from typing import Any, final

import numpy as np

from mobod.cosim.algorithms.coupled_inputs import CoupledInputs
from mobod.cosim.component_model import ComponentInstance
from mobod.cosim.connection import Connection
from mobod.cosim.exchange import Exchange
from mobod.cosim.exchange.operations import Advance, Operation, Pass
from mobod.cosim.signals.settling import settling
from mobod.cosim.signals.signals import Signals
from mobod.cosim.variable import Value


@final
class GaussSeidel:
    """Instances step in the order of the mapping.

    Source: Kuebler and Schiehlen, Two methods of simulator coupling (2000), Math. Comput. Model. Dyn. Syst. 6(2).
    """

    def __init__(
        self, connections: Sequence[Connection], instances: Mapping[str, ComponentInstance], signals: Signals, input_order: int
    ) -> None:
        turn = {name: k for k, name in enumerate(instances)}
        # values from instances that have stepped before; all others have been passed at the communication point
        forward = [k for k, each in enumerate(connections) if turn[each.source.component.name] < turn[each.target.component.name]]
        self._turns = []
        for name, instance in instances.items():
            own = [k for k in forward if connections[k].target.component.name == name]
            self._turns.append((name, instance, own, Exchange([connections[k] for k in own], instances) if own else None))
        self._inputs = CoupledInputs(connections, instances, input_order) if input_order else None
        # inputs that follow polynomials have not had the values at the end passed to them
        self._signals = signals if input_order else signals.after(forward)
        self._n = len(connections)
        self._to = {name: [k for k, each in enumerate(connections) if each.target.component.name == name] for name in instances}
        self.calls = 0
        self.taken: list[Value] = []

    def advance(self, time: float, step: float) -> None:
        """Advance all instances from time to time + step (s).

        Inputs from instances that have stepped are held at their values after the step, or follow the polynomial to them. All others, also
        from the instance itself, have the values from before the step, or are extrapolated.
        """
        self._signals.apply()
        self.taken = self._signals.values
        if self._inputs is not None:
            self._inputs.add(self._signals.values)
        for name, instance, forward, exchange in self._turns:
            values = [] if exchange is None else exchange.read()
            if exchange is not None:
                exchange.write(values)
                passed = dict(zip(forward, values, strict=True))
                self._signals.note(passed)
                for k, value in passed.items():
                    self.taken[k] = value
            if self._inputs is not None:
                at_end = np.full(self._n, np.nan)
                for k in self._inputs.smooth.tolist():
                    if k in forward:
                        at_end[k] = values[forward.index(k)]
                self._inputs.write(time, step, at_end=at_end[self._inputs.smooth], to=name)
            instance.step(time, step)
        if self._inputs is not None:
            for k, value in zip(self._inputs.smooth.tolist(), self._inputs.taken.tolist(), strict=True):
                self.taken[k] = value
        self.calls += len(self._turns)
        self._signals.settle()

    def operations(self) -> list[Operation] | None:
        """Those of a step in which all inputs are held; None if they are not."""
        if self._inputs is not None:
            return None
        operations: list[Operation] = []
        for name, _, forward, _ in self._turns:
            passed = self._to[name] if self._signals.is_delayed else forward
            operations += [*([Pass(passed)] if passed else []), Advance([name])]
        return operations if self._signals.is_delayed else [*operations, *settling(self._signals)]

    def memory(self) -> Any:
        return None if self._inputs is None else self._inputs.memory()

    def recall(self, memory: Any) -> None:
        if self._inputs is not None:
            self._inputs.recall(memory)
