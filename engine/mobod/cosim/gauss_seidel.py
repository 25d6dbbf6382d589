"""The Gauss-Seidel algorithm: FMUs step one after another, each with the newest available values."""

from collections.abc import Mapping, Sequence
from typing import final

from mobod.cosim.component_model import ComponentInstance
from mobod.cosim.connection import Connection
from mobod.cosim.exchange import Exchange


@final
class GaussSeidel:
    """Instances step in the order of the mapping.

    Source: Kuebler and Schiehlen, Two methods of simulator coupling (2000), Math. Comput. Model. Dyn. Syst. 6(2).
    """

    def __init__(self, connections: Sequence[Connection], instances: Mapping[str, ComponentInstance]) -> None:
        self._turns = [
            (Exchange([connection for connection in connections if connection.target.component.name == name], instances), instance)
            for name, instance in instances.items()
        ]

    def advance(self, time: float, step: float) -> None:
        """Advance all instances from time to time + step (s).

        The inputs of each instance are constant during the step. Inputs from instances that have stepped have their values after the step;
        all others, also from the instance itself, have their values before the step.
        """
        for exchange, instance in self._turns:
            exchange.write(exchange.read())
            instance.step(time, step)
