"""The Jacobi algorithm: all FMUs step with the outputs' values from before the step."""

from collections.abc import Mapping, Sequence
from typing import final

from mobod.cosim.component_model import ComponentInstance
from mobod.cosim.connection import Connection
from mobod.cosim.signals.signals import Signals


@final
class Jacobi:
    """All instances step with the same inputs.

    Source: Kuebler and Schiehlen, Two methods of simulator coupling (2000), Math. Comput. Model. Dyn. Syst. 6(2).
    """

    def __init__(self, connections: Sequence[Connection], instances: Mapping[str, ComponentInstance], signals: Signals) -> None:
        self._signals = signals
        self._instances = list(instances.values())

    def advance(self, time: float, step: float) -> None:
        """Advance all instances from time to time + step (s) with their inputs held constant."""
        self._signals.apply()
        for instance in self._instances:
            instance.step(time, step)
        self._signals.settle()
