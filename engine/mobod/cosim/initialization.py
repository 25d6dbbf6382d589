"""Initialization of loaded instances to consistent values."""

import math
from collections.abc import Mapping

from mobod.cosim.component_model import ComponentInstance
from mobod.cosim.connection import Connection
from mobod.cosim.dependencies import dependency_order
from mobod.cosim.exchange import Exchange
from mobod.cosim.network import Network
from mobod.cosim.variable import Value
from mobod.errors import MobodError


def initialize(
    network: Network, instances: Mapping[str, ComponentInstance], *, start: float, stop: float | None, tolerance: float | None
) -> None:
    """Take all instances through initialization mode. Sets start values and transfers connected values until none changes.

    Raises FmuError if a call fails, MobodError if the connected values do not converge: an algebraic loop.
    """
    for name, instance in instances.items():
        instance.set_up(start, stop, tolerance)
        instance.set(network.components[name].start)
    for instance in instances.values():
        instance.enter_initialization()
    _settle(network, instances)
    for instance in instances.values():
        instance.exit_initialization()


def _settle(network: Network, instances: Mapping[str, ComponentInstance]) -> None:
    order = dependency_order(network.connections)
    exchanges = [(connection, Exchange([connection], instances)) for connection in order.connections]
    passed: dict[Connection, Value] = {}
    # In dependency order the first sweep sets all values and the second finds no change. A loop that descriptions declare but models do
    # not have needs at most one sweep for each connection; loops of gain below one get a hundred more.
    for _ in range(len(exchanges) + 100):
        moved = []
        for connection, exchange in exchanges:
            values = exchange.read()
            if connection not in passed or not _is_at_rest(connection, passed[connection], values[0]):
                moved.append(connection)
            if passed.get(connection) != values[0]:
                exchange.write(values)
            passed[connection] = values[0]
        if not moved:
            return
    looped = [connection for loop in order.loops for connection in loop if connection in moved] or moved
    raise MobodError(
        "the initial values of these connections do not converge, since each depends on the others without delay (an algebraic loop): "
        f"{', '.join(map(str, looped))}. Give one of the models an output that does not depend directly on its input."
    )


def _is_at_rest(connection: Connection, before: Value, after: Value) -> bool:
    if isinstance(before, float) and isinstance(after, float):
        # up to round-off, which may remain even in a convergent loop
        nominal = abs(connection.source.variable.nominal or 1.0)
        return math.isclose(before, after, rel_tol=1e-12, abs_tol=1e-12 * nominal)
    return before == after
