"""The Gauss-Seidel algorithm: FMUs step one after another, each with the newest available values."""

from collections.abc import Mapping, Sequence
from typing import final

from mobod.cosim.component_model import ComponentInstance
from mobod.cosim.connection import Connection
from mobod.cosim.exchange import Exchange
from mobod.cosim.signals.signals import Signals


@final
class GaussSeidel:
    """Instances step in the order of the mapping.

    Source: Kuebler and Schiehlen, Two methods of simulator coupling (2000), Math. Comput. Model. Dyn. Syst. 6(2).
    """

    def __init__(self, connections: Sequence[Connection], instances: Mapping[str, ComponentInstance], signals: Signals) -> None:
        turn = {name: k for k, name in enumerate(instances)}
        # values from instances that have stepped before; all others have been passed at the communication point
        forward = [k for k, each in enumerate(connections) if turn[each.source.component.name] < turn[each.target.component.name]]
        self._turns = []
        for name, instance in instances.items():
            own = [connections[k] for k in forward if connections[k].target.component.name == name]
            self._turns.append((Exchange(own, instances) if own else None, instance))
        self._signals = signals.after(forward)

    def advance(self, time: float, step: float) -> None:
        """Advance all instances from time to time + step (s).

        The inputs of each instance are constant during the step. Inputs from instances that have stepped have their values after the step;
        all others, also from the instance itself, have their values before the step.
        """
        self._signals.apply()
        for exchange, instance in self._turns:
            if exchange is not None:
                exchange.write(exchange.read())
            instance.step(time, step)
        self._signals.settle()
