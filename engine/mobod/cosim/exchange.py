"""Transfer of values over connections."""

from collections.abc import Mapping, Sequence
from typing import final

from mobod.cosim.component_model import ComponentInstance
from mobod.cosim.connection import Connection
from mobod.cosim.variable import Value


@final
class Exchange:
    """Reads the values of some connections from their outputs and writes them to their inputs, in batches for each instance."""

    def __init__(self, connections: Sequence[Connection], instances: Mapping[str, ComponentInstance]) -> None:
        self._connections = list(connections)
        sources: dict[str, list[int]] = {}
        targets: dict[str, list[int]] = {}
        for k, connection in enumerate(connections):
            sources.setdefault(connection.source.component.name, []).append(k)
            targets.setdefault(connection.target.component.name, []).append(k)
        self._sources = [
            (instances[name].batch(connections[k].source.variable.name for k in places), places) for name, places in sources.items()
        ]
        self._targets = [
            (instances[name].batch(connections[k].target.variable.name for k in places), places) for name, places in targets.items()
        ]

    def read(self) -> list[Value]:
        """The values that the inputs take, by gain and unit. Raises FmuError for a value that is not finite, before it spreads."""
        values: list[Value] = [0.0] * len(self._connections)
        for batch, places in self._sources:
            for k, value in zip(places, batch.get_finite(), strict=True):
                values[k] = self._connections[k].taken(value)
        return values

    def write(self, values: Sequence[Value]) -> None:
        """Write to each connection's input the value that it takes."""
        for batch, places in self._targets:
            batch.set([values[k] for k in places])
