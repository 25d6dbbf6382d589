"""Initialization of loaded instances to consistent values."""

import logging
from collections.abc import Mapping

from mobod.cosim.component import ComponentVariable
from mobod.cosim.component_model import ComponentInstance
from mobod.cosim.exchange import Exchange
from mobod.cosim.network import Network
from mobod.cosim.signals.signals import Signals

_log = logging.getLogger("mobod")


def initialize(
    network: Network, instances: Mapping[str, ComponentInstance], *, start: float, stop: float | None, tolerance: float | None
) -> None:
    """Take all instances through initialization mode: set start values, pass connected values in the order in which they depend on each
    other, and solve algebraic loops.

    Raises FmuError if a call fails, AlgebraicLoopError for a loop without a solution or with infinitely many.
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
    """Pass all values along the connections until they no longer change.

    An output that changes after it was read depends on inputs although its component does not declare it. A warning names it, and the
    values are passed again with this dependency.
    """
    connections = network.connections
    everything = Exchange(connections, instances)
    undeclared: set[ComponentVariable] = set()
    while True:
        signals = Signals(connections, instances, at_start=True, undeclared=undeclared)
        passed = signals.settle()
        looped = {each for loop in signals.loops for each in loop.connections}
        changed = {
            connection.source
            for connection, before, after in zip(connections, passed, everything.read(), strict=True)
            if before != after and connection not in looped
        }
        if not changed - undeclared:
            return
        _log.warning(
            "the initial values of these outputs depend on inputs, although their components do not declare it: %s",
            ", ".join(sorted(map(str, changed - undeclared))),
        )
        undeclared |= changed
