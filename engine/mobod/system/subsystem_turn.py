"""SubsystemTurn: where a realization is."""

from typing import NamedTuple

from mobod.system.stage import Stage


class SubsystemTurn(NamedTuple):
    """A subsystem's turn at a stage; done: the subsystems whose turn was before."""

    subsystem: int
    stage: Stage
    done: frozenset[int]
