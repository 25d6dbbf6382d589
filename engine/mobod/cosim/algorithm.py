"""The interface of co-simulation algorithms, and the list of algorithms."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from mobod.cosim.component_model import ComponentInstance
from mobod.cosim.connection import Connection
from mobod.cosim.gauss_seidel import GaussSeidel
from mobod.cosim.jacobi import Jacobi
from mobod.cosim.signals.signals import Signals


class Algorithm(Protocol):
    """Advances instances, and transfers values over the connections. It stores nothing between steps."""

    def __init__(self, connections: Sequence[Connection], instances: Mapping[str, ComponentInstance], signals: Signals) -> None: ...

    def advance(self, time: float, step: float) -> None:
        """Advance all instances from time to time + step (s), and settle the signals there."""


ALGORITHMS: dict[str, type[Algorithm]] = {"jacobi": Jacobi, "gauss-seidel": GaussSeidel}
