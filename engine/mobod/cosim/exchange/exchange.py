"""Transfer of values over connections."""

from collections.abc import Mapping, Sequence
from typing import final

from mobod.cosim.component_model import ComponentInstance
from mobod.cosim.connection import Connection
from mobod.cosim.exchange.plan import Phase, Plan
from mobod.cosim.variable import Value


@final
class Exchange:
    """Reads the values of some connections from their outputs and writes them to their inputs, with one call of a function of each FMU."""

    def __init__(self, connections: Sequence[Connection], instances: Mapping[str, ComponentInstance]) -> None:
        self._plan = plan = Plan(connections, instances)
        sources: dict[str, list[int]] = {}
        targets: dict[str, list[int]] = {}
        for k, connection in enumerate(connections):
            sources.setdefault(connection.source.component.name, []).append(k)
            targets.setdefault(connection.target.component.name, []).append(k)
        reads = [number for name, of in sources.items() for number in plan.read_from(name, [connections[k].source for k in of])]
        writes = [number for name, of in targets.items() for number in plan.write_to(name, of)]
        plan.close([], Phase(values=range(len(connections)), writes=writes, reads=reads))
        self._are_floats = all(each.target.variable.kind == "float" for each in connections)

    def read(self) -> list[Value]:
        """The values that the inputs take, by gain and unit. Raises FmuError for a value that is not finite, before it spreads."""
        self._plan.read()
        if self._are_floats:
            return list(self._plan.values.tolist())
        return [self._plan.value(k) for k in range(len(self._plan.connections))]

    def write(self, values: Sequence[Value]) -> None:
        """Write to each connection's input the value that it takes."""
        if self._are_floats:
            self._plan.values[:] = values
        else:
            for k, value in enumerate(values):
                self._plan.set_value(k, value)
        self._plan.write()
