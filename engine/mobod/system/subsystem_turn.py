"""SubsystemTurn: which subsystem is being realized, and to which stage."""

from typing import NamedTuple

from mobod.system.stage import Stage


class SubsystemTurn(NamedTuple):
    """A subsystem that is being realized to a stage. done: the subsystems realized to that stage before."""

    subsystem: int
    stage: Stage
    done: frozenset[int]
