"""InPython: operations done one after another by Python."""

from collections.abc import Mapping, Sequence
from math import nan
from typing import final

from mobod.cosim.component_model import ComponentInstance
from mobod.cosim.connection import Connection
from mobod.cosim.exchange.exchange import Exchange
from mobod.cosim.exchange.operations import Advance, Call, Operation, Pass, Prepare, Read
from mobod.cosim.variable import Value


@final
class InPython:
    """Does the operations of a step, or those that bring values up to date.

    values   of all connections, as their targets take them; the operations change them
    calls    of `ComponentInstance.step` so far
    taken    what inputs were at the end of the last step: the values that were passed, or those that their polynomials reached
    """

    def __init__(
        self,
        operations: Sequence[Operation],
        connections: Sequence[Connection],
        instances: Mapping[str, ComponentInstance],
        values: list[Value],
    ) -> None:
        self._operations, self._connections, self._instances = operations, connections, instances
        self._exchanges: dict[int, Exchange] = {}  # by operation, made when they are needed
        targets = [each.target.component.name for each in connections]
        self._to = {name: [k for k, target in enumerate(targets) if target == name] for name in instances}
        self.values = values
        self.calls = 0
        self.taken: list[Value] = list(values)

    def do(self, time: float = nan, step: float = nan) -> None:
        """Do all operations of a step from time to time + step, s. Raises errors of components, AlgebraicLoopError."""
        reached: dict[int, Value] = {}
        for number, operation in enumerate(self._operations):
            if isinstance(operation, Advance):
                for name in operation.names:
                    self._instances[name].step(time, step)
                    for k in self._to[name]:
                        self.taken[k] = reached.get(k, self.values[k])
                self.calls += len(operation.names)
            elif isinstance(operation, Prepare):
                reached |= operation.function(time, step, self.values)
            else:
                found = operation.function() if isinstance(operation, Call) else self._pass(number, operation)
                for k, value in zip(operation.connections, found, strict=True):
                    self.values[k] = value

    def _pass(self, number: int, operation: Pass | Read) -> list[Value]:
        if number not in self._exchanges:
            self._exchanges[number] = Exchange([self._connections[k] for k in operation.connections], self._instances)
        found = self._exchanges[number].read()
        if isinstance(operation, Pass):
            self._exchanges[number].write(found)
        return found
