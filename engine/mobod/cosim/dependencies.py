"""Direct dependencies between variables: the order of passing initial values, and the order in which FMUs step."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from mobod.cosim.component import Component
from mobod.cosim.connection import Connection
from mobod.cosim.strong_components import strong_components


class DependencyOrder(NamedTuple):
    """All connections, each after those that it depends on; and loops: groups of connections that depend on each other."""

    connections: list[Connection]
    loops: list[list[Connection]]


def dependency_order(connections: Sequence[Connection]) -> DependencyOrder:
    """Order connections by the dependencies of outputs on inputs that the model descriptions declare for the initialization."""
    size = len(connections)
    feeds = np.zeros((size, size), dtype=bool)  # feeds[a, b]: a sets an input on which the output of b depends
    for b, after in enumerate(connections):
        inputs = after.source.component.model.inputs_of(after.source.variable.name, at_start=True)
        for a, before in enumerate(connections):
            feeds[a, b] = before.target.component is after.source.component and before.target.variable.name in inputs

    ordered = strong_components(feeds)
    return DependencyOrder(
        [connections[k] for group in ordered for k in group],
        [[connections[k] for k in group] for group in ordered if len(group) > 1 or feeds[group[0], group[0]]],
    )


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
