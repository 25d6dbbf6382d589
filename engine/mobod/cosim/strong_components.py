"""Strongly connected components of a directed graph, in topological order."""

from graphlib import TopologicalSorter
from heapq import heappop, heappush

import numpy as np
import scipy  # whose parts are loaded when they are used: that of graphs takes a third of a second


def strong_components(edges: np.ndarray) -> list[list[int]]:
    """The strongly connected components, each after those that have an edge to it, and the nodes of each in ascending order.

    edges  (n, n)  bool   edges[a, b]: there is an edge from a to b

    Components without an order by edges are in the order of their first nodes, so that equal graphs give equal lists.
    """
    if not edges.any():
        return [[node] for node in range(len(edges))]
    _, labels = scipy.sparse.csgraph.connected_components(edges, directed=True, connection="strong")
    nodes: dict[int, list[int]] = {}
    for node, label in enumerate(labels.tolist()):
        nodes.setdefault(label, []).append(node)
    first = {label: group[0] for label, group in nodes.items()}

    sorter: TopologicalSorter[int] = TopologicalSorter({node: [] for node in first.values()})
    for a, b in np.argwhere(edges).tolist():
        if labels[a] != labels[b]:
            sorter.add(first[int(labels[b])], first[int(labels[a])])
    sorter.prepare()
    ready: list[int] = []
    ordered = []
    while sorter.is_active():
        for node in sorter.get_ready():
            heappush(ready, node)
        node = heappop(ready)
        sorter.done(node)
        ordered.append(nodes[int(labels[node])])
    return ordered
