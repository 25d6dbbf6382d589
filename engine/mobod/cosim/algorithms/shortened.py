"""Shortened: steps that a component discards, or that do not converge, are taken in halves."""

from collections.abc import Mapping
from typing import final

from mobod.cosim.algorithms.algorithm import Algorithm
from mobod.cosim.algorithms.rollback import SavedInstances
from mobod.cosim.component_model import ComponentInstance
from mobod.cosim.signals.signals import Signals
from mobod.cosim.step_errors import NotConvergedError, StepDiscardedError
from mobod.cosim.variable import Value

_MOST_HALVINGS = 12


@final
class Shortened:
    """An `Algorithm` that takes the steps of another one, in halves where that fails.

    halvings  so far
    """

    def __init__(self, algorithm: Algorithm, instances: Mapping[str, ComponentInstance], signals: Signals) -> None:
        self.halvings = 0
        self._algorithm, self._instances, self._signals = algorithm, instances, signals

    @property
    def calls(self) -> int:
        return self._algorithm.calls

    @property
    def taken(self) -> list[Value]:
        return self._algorithm.taken

    def advance(self, time: float, step: float) -> None:
        self._advance(time, step, _MOST_HALVINGS)

    def _advance(self, time: float, step: float, halvings_left: int) -> None:
        memory = self._algorithm.memory()
        with SavedInstances(self._instances.values()) as start:
            try:
                self._algorithm.advance(time, step)
                return
            except (StepDiscardedError, NotConvergedError):
                if not halvings_left:
                    raise
            start.restore()
        self.halvings += 1
        self._algorithm.recall(memory)
        self._signals.settle()
        middle = time + step / 2
        self._advance(time, step / 2, halvings_left - 1)
        self._advance(middle, time + step - middle, halvings_left - 1)

    def operations(self) -> None:
        """It decides in Python."""

    def memory(self) -> object:
        return self._algorithm.memory()

    def recall(self, memory: object) -> None:
        self._algorithm.recall(memory)
