"""The order in which connections pass on initial values."""

from collections.abc import Sequence
from graphlib import TopologicalSorter
from typing import NamedTuple

import numpy as np
from scipy.sparse.csgraph import connected_components

from mobod.cosim.component import Port
from mobod.cosim.connection import Connection


class DependencyOrder(NamedTuple):
    """All connections, each after those that it depends on, and the loops: groups of connections that depend on each other."""

    connections: list[Connection]
    loops: list[list[Connection]]


def dependency_order(connections: Sequence[Connection]) -> DependencyOrder:
    """Order connections by what the model descriptions declare of the initialization: which outputs depend on which inputs."""
    size = len(connections)
    feeds = np.zeros((size, size), dtype=bool)  # feeds[a, b]: the input that a sets is one that the output of b depends on
    for b, after in enumerate(connections):
        inputs = _inputs_of(after.source)
        for a, before in enumerate(connections):
            feeds[a, b] = before.target.component is after.source.component and before.target.variable.name in inputs

    _, labels = connected_components(feeds, directed=True, connection="strong")
    groups: dict[int, list[int]] = {}
    for k, group in enumerate(labels.tolist()):
        groups.setdefault(group, []).append(k)
    sorter: TopologicalSorter[int] = TopologicalSorter({group: [] for group in groups})
    for a, b in np.argwhere(feeds).tolist():
        if labels[a] != labels[b]:
            sorter.add(int(labels[b]), int(labels[a]))
    ordered = [groups[group] for group in sorter.static_order()]
    return DependencyOrder(
        [connections[k] for group in ordered for k in group],
        [[connections[k] for k in group] for group in ordered if len(group) > 1 or feeds[group[0], group[0]]],
    )


def _inputs_of(source: Port) -> set[str]:
    """The inputs that an output may depend on before the first step: all of them unless its model description says which."""
    if source.variable.initial == "exact":
        return set()
    for unknown in source.component.file.description.initialUnknowns:
        if unknown.variable is source.variable and unknown.dependencies is not None:
            return {known.name for known in unknown.dependencies}
    return set(source.component.inputs)
