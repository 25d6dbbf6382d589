"""Bond: connections through which power flows between two components."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from mobod import errors
from mobod.cosim.connection import Connection
from mobod.cosim.connections.unit_conversion import is_power


@final
@dataclass(frozen=True)
class Bond:
    """A power bond. Its power is the sum of effort * flow over the pairs: force * velocity, torque * angular velocity, voltage * current.

    efforts, flows  connections in opposite directions between the same two components, in pairs

    The component that takes the efforts gives the flows. Raises errors.ConnectionError.
    """

    efforts: tuple[Connection, ...]
    flows: tuple[Connection, ...]

    def __post_init__(self) -> None:
        if len(self.efforts) != len(self.flows) or not self.efforts:
            raise self._error(f"it has {len(self.efforts)} efforts and {len(self.flows)} flows. Give them in pairs")
        giver, taker = self.efforts[0].source.component, self.efforts[0].target.component
        directed = [(each, (giver, taker)) for each in self.efforts] + [(each, (taker, giver)) for each in self.flows]
        for connection, ends in directed:
            if (connection.source.component, connection.target.component) != ends or giver is taker:
                raise self._error(
                    f"efforts go from one component to another, '{giver.name}' to '{taker.name}', and flows back, but there is {connection}"
                )
            if connection.source.variable.kind != "float":
                raise self._error(f"{connection} is no connection of real numbers")
            if connection.shift:
                raise self._error(f"{connection} is not proportional, so that the two sides cannot count the same power")
        for effort, flow in zip(self.efforts, self.flows, strict=True):
            units = effort.source.unit, flow.source.unit
            if units[0] is not None and units[1] is not None and is_power(units[0], units[1]) is False:
                raise self._error(f"the product of {effort.source} in {units[0].name} and {flow.source} in {units[1].name} is no power")

    @property
    def name(self) -> str:
        """The two components and the first pair, for columns of results and messages."""
        return f"{self.efforts[0].source}|{self.flows[0].source}"

    def powers(
        self,
        efforts_given: Sequence[float],
        efforts_taken: Sequence[float],
        flows_given: Sequence[float],
        flows_taken: Sequence[float],
    ) -> tuple[float, float]:
        """The power that the component which takes the efforts counts, its flows times the efforts it takes; and that of the other one.

        given  values of the outputs; taken: values of the inputs, at the same time

        Both are in the units and the sign of the first one, also if a connection has a gain: they are equal if the inputs are the
        outputs. Their difference is the residual of the bond.
        """
        here = sum(e * f for e, f in zip(efforts_taken, flows_given, strict=True))
        there = sum(
            effort.factor / flow.factor * e * f
            for effort, flow, e, f in zip(self.efforts, self.flows, efforts_given, flows_taken, strict=True)
        )
        return here, there

    def __str__(self) -> str:
        return f"bond of {', '.join(map(str, self.efforts))} and {', '.join(map(str, self.flows))}"

    def _error(self, reason: str) -> errors.ConnectionError:
        of = self.efforts[0] if self.efforts else "no connection"
        return errors.ConnectionError(f"no bond can be made of {of}: {reason}.")
