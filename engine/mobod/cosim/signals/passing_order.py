"""The order in which values are passed over connections, by the direct dependencies of outputs on inputs."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import final

import numpy as np

from mobod.cosim.component import ComponentVariable
from mobod.cosim.connection import Connection
from mobod.cosim.strong_components import strong_components


@final
@dataclass
class Rank:
    """Connections whose outputs depend only on inputs of earlier ranks, as positions in the list of all connections.

    single  each is passed once
    loops   the connections of each algebraic loop
    """

    single: list[int] = field(default_factory=list)
    loops: list[list[int]] = field(default_factory=list)


def feed_through(connections: Sequence[Connection], *, at_start: bool, undeclared: Collection[ComponentVariable] = ()) -> np.ndarray:
    """feeds[a, b]: connection a sets an input on which the output of connection b depends directly.

    at_start    dependencies of the initialization, or those between steps
    undeclared  outputs that depend on all inputs, whatever their component declares
    """
    setting: dict[str, dict[object, int]] = {}  # by component and variable, which may have several names
    for a, connection in enumerate(connections):
        setting.setdefault(connection.target.component.name, {})[connection.target.variable.key] = a
    feeds = np.zeros((len(connections), len(connections)), dtype=bool)
    for b, connection in enumerate(connections):
        model, of_input = connection.source.component.model, setting.get(connection.source.component.name, {})
        if connection.source in undeclared:
            feeds[list(of_input.values()), b] = True
        elif of_input:
            inputs = {model.variables[name].key for name in model.inputs_of(connection.source.variable.name, at_start=at_start)}
            feeds[[a for key, a in of_input.items() if key in inputs], b] = True
    return feeds


def passing_order(feeds: np.ndarray) -> list[Rank]:
    """The ranks of all connections, in order: as few as possible, so that few calls of the components pass all values."""
    groups = strong_components(feeds)
    rank_of = np.zeros(len(feeds), dtype=int)
    ranks: list[Rank] = []
    for group in groups:
        before = np.flatnonzero(feeds[:, group].any(axis=1))
        before = before[~np.isin(before, group)]
        rank = int(rank_of[before].max(initial=-1)) + 1
        rank_of[group] = rank
        if rank == len(ranks):
            ranks.append(Rank())
        if len(group) > 1 or feeds[group[0], group[0]]:
            ranks[rank].loops.append(group)
        else:
            ranks[rank].single.append(group[0])
    return ranks


def still_to_pass(feeds: np.ndarray, passed: Collection[int]) -> list[int]:
    """The connections that must be passed although some have been: these, unless an input on which their output depends changes again."""
    pending = [k for k in range(len(feeds)) if k not in passed]
    wanted = set(pending)
    while pending:
        for b in np.flatnonzero(feeds[pending.pop()]).tolist():
            if b not in wanted:
                wanted.add(b)
                pending.append(b)
    return sorted(wanted)
