"""The interface of co-simulation algorithms, and the list of algorithms."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from mobod.cosim.algorithms.gauss_seidel import GaussSeidel
from mobod.cosim.algorithms.jacobi import Jacobi
from mobod.cosim.component_model import ComponentInstance
from mobod.cosim.connection import Connection
from mobod.cosim.exchange.operations import Operation
from mobod.cosim.signals.signals import Signals


class Algorithm(Protocol):
    """Advances instances, and transfers values over the connections.

    input_order  as in CoupledInputs
    calls        of `ComponentInstance.step` so far
    """

    calls: int

    def __init__(
        self, connections: Sequence[Connection], instances: Mapping[str, ComponentInstance], signals: Signals, input_order: int
    ) -> None: ...

    def advance(self, time: float, step: float) -> None:
        """Advance all instances from time to time + step (s), and settle the signals there."""

    def operations(self) -> Sequence[Operation] | None:
        """What `advance` does, as operations of C; None if it decides in Python."""

    def memory(self) -> Any:
        """What it stores between steps, as data for JSON."""

    def recall(self, memory: Any) -> None:
        """Take the memory of the same algorithm for the same network."""


ALGORITHMS: dict[str, type[Algorithm]] = {"jacobi": Jacobi, "gauss-seidel": GaussSeidel}
