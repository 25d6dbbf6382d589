"""The order in which FMUs step, by the direct dependencies between variables."""

from collections.abc import Iterable, Sequence

import numpy as np

from mobod.cosim.component import Component
from mobod.cosim.connection import Connection
from mobod.cosim.strong_components import strong_components


def step_order(components: Iterable[Component], connections: Sequence[Connection]) -> list[str]:
    """The names of the components, each after those from which it gets values.

    If components exchange values in both directions, a component with direct feedthrough from an input to a connected output comes after
    the component that sets this input: a controller comes after its plant. Otherwise the order of addition decides.
    """
    names = [component.name for component in components]
    index = {name: k for k, name in enumerate(names)}
    connected = np.zeros((len(names), len(names)), dtype=bool)
    fed_through = connected.copy()
    direct = _direct_inputs(connections)
    for connection in connections:
        a, b = index[connection.source.component.name], index[connection.target.component.name]
        connected[a, b] = True
        fed_through[a, b] |= (connection.target.component.name, connection.target.variable.name) in direct

    ordered, pending = [], [list(range(len(names)))]
    while pending:
        nodes = pending.pop()
        groups = [[nodes[k] for k in group] for group in strong_components(connected[np.ix_(nodes, nodes)])]
        if len(groups) > 1:
            pending.extend(reversed(groups))
            continue
        # a loop: cut it before its first node, and order the other nodes after that
        first = nodes[strong_components(fed_through[np.ix_(nodes, nodes)])[0][0]]
        ordered.append(names[first])
        if len(nodes) > 1:
            pending.append([node for node in nodes if node != first])
    return ordered


def _direct_inputs(connections: Iterable[Connection]) -> set[tuple[str, str]]:
    """The inputs, as (component, variable), on which connected outputs depend directly."""
    return {
        (connection.source.component.name, name)
        for connection in connections
        for name in connection.source.component.model.inputs_of(connection.source.variable.name, at_start=False)
    }
