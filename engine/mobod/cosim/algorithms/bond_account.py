"""BondAccount: the energy that the coupling adds to each bond."""

from collections.abc import Callable, Sequence
from typing import Any, final

from mobod.cosim.algorithms.algorithm import Algorithm
from mobod.cosim.algorithms.bond_meter import BondMeter
from mobod.cosim.connection import Connection
from mobod.cosim.connections.bond import Bond
from mobod.cosim.signals.signals import Signals
from mobod.cosim.variable import Value

# of the error of a polynomial through equally spaced points that is extrapolated by one step, relative to that at the end, by its degree
_MEANS = (1 / 2, 5 / 12, 3 / 8)


@final
class BondAccount:
    """An `Algorithm` that takes the steps of another one, and integrates the difference of the powers that the sides of each bond count.

    order     of inputs, as in CoupledInputs
    energies  J  of each bond so far
    """

    def __init__(
        self, algorithm: Algorithm, bonds: Sequence[Bond], connections: Sequence[Connection], signals: Signals, order: int
    ) -> None:
        self._algorithm, self._signals, self._order = algorithm, signals, order
        self._meter = BondMeter(bonds, connections)
        self._steps = 0  # up to the order
        self.energies = [0.0] * len(bonds)

    @property
    def calls(self) -> int:
        return self._algorithm.calls

    @property
    def taken(self) -> list[Value]:
        return self._algorithm.taken

    def advance(self, time: float, step: float) -> None:
        before = self._signals.values
        self._algorithm.advance(time, step)
        at_end = self._meter.residuals(self._signals.values, self.taken)
        if self._order == 0:  # inputs are held: the difference is linear in time
            at_start = self._meter.residuals(before, self.taken)
            gains = [step * (a + b) / 2 for a, b in zip(at_start, at_end, strict=True)]
        else:
            gains = [_MEANS[min(self._order, self._steps)] * step * each for each in at_end]
        self._steps = min(self._steps + 1, self._order)
        self.energies = [energy + gain for energy, gain in zip(self.energies, gains, strict=True)]

    def reader(self, bond: int) -> Callable[[], float]:
        """A function that returns the energy of a bond, by its position, J."""
        return lambda: self.energies[bond]

    def operations(self) -> None:
        """It decides in Python."""

    def memory(self) -> object:
        return [self._algorithm.memory(), self._steps, self.energies]

    def recall(self, memory: Any) -> None:
        of_algorithm, self._steps, energies = memory
        self._algorithm.recall(of_algorithm)
        self.energies = list(energies)
