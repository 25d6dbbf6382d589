"""Explicit: an algorithm that takes each step once, as a list of operations."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, final

from mobod.cosim.algorithms.coupled_inputs import CoupledInputs
from mobod.cosim.component_model import ComponentInstance
from mobod.cosim.connection import Connection
from mobod.cosim.exchange.operations import Operation, OperationInC, in_c
from mobod.cosim.signals.signals import Signals
from mobod.cosim.variable import Value

Described = Callable[[Sequence[Connection], Mapping[str, ComponentInstance], Signals, CoupledInputs | None], list[Operation]]
"""The operations of a step of connected instances, with inputs that follow polynomials, or None."""


@final
class Explicit:
    """An `Algorithm`. The same operations are done by Python and by C."""

    def __init__(
        self,
        described: Described,
        connections: Sequence[Connection],
        instances: Mapping[str, ComponentInstance],
        signals: Signals,
        input_order: int,
    ) -> None:
        self._inputs = CoupledInputs(connections, instances, input_order) if input_order else None
        self._operations = described(connections, instances, signals, self._inputs)
        self._in_python = signals.doing(self._operations)

    @property
    def calls(self) -> int:
        return self._in_python.calls

    @property
    def taken(self) -> list[Value]:
        return self._in_python.taken

    def advance(self, time: float, step: float) -> None:
        """Advance all instances from time to time + step (s)."""
        self._in_python.do(time, step)

    def operations(self) -> list[OperationInC] | None:
        """Those of a step in which all inputs are held; None if they are not."""
        return in_c(self._operations)

    def memory(self) -> object:
        return None if self._inputs is None else self._inputs.memory()

    def recall(self, memory: Any) -> None:
        if self._inputs is not None:
            self._inputs.recall(memory)
