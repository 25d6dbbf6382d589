"""BondMeter: the power that the two sides of each bond count."""

from collections.abc import Sequence
from typing import final

from mobod.cosim.connection import Connection
from mobod.cosim.connections.bond import Bond
from mobod.cosim.variable import Value


@final
class BondMeter:
    """Compares the power that two components count, which differs as far as inputs are not the outputs.

    bonds
    """

    def __init__(self, bonds: Sequence[Bond], connections: Sequence[Connection]) -> None:
        self.bonds = list(bonds)
        place = {id(each): k for k, each in enumerate(connections)}
        self._places = [([place[id(each)] for each in bond.efforts], [place[id(each)] for each in bond.flows]) for bond in bonds]
        self._connections = connections

    def powers(self, values: Sequence[Value], taken: Sequence[Value]) -> list[tuple[float, float]]:
        """The power (W) of each bond, as its two sides count it.

        values, taken  of all connections: what their outputs give to the targets, and what the inputs are
        """
        found = []
        for bond, (efforts, flows) in zip(self.bonds, self._places, strict=True):
            given = [[self._given(k, values) for k in places] for places in (efforts, flows)]
            used = [[float(taken[k]) for k in places] for places in (efforts, flows)]
            found.append(bond.powers(given[0], used[0], given[1], used[1]))
        return found

    def residuals(self, values: Sequence[Value], taken: Sequence[Value]) -> list[float]:
        """W, by which the powers of each bond differ. The arguments are those of `powers`."""
        return [here - there for here, there in self.powers(values, taken)]

    def _given(self, k: int, values: Sequence[Value]) -> float:
        """The value of the output, in its own unit. A bond has no connection with a shift."""
        return float(values[k]) / self._connections[k].factor
