"""The interface of step controls."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, final, runtime_checkable

from mobod.cosim.algorithms.algorithm import Algorithm
from mobod.cosim.component_model import ComponentInstance
from mobod.cosim.connection import Connection
from mobod.cosim.connections.bond import Bond
from mobod.cosim.signals.signals import Signals
from mobod.cosim.variable import NetworkVariable


@final
@dataclass(frozen=True, kw_only=True)
class CoupledRun:
    """What a run couples.

    recorded     of each component the names of its outputs that are recorded
    order        of inputs, as in CoupledInputs
    step      s  of the master
    """

    instances: Mapping[str, ComponentInstance]
    variables: Mapping[str, Mapping[str, NetworkVariable]]
    recorded: Mapping[str, Sequence[str]]
    connections: Sequence[Connection]
    bonds: Sequence[Bond]
    signals: Signals
    algorithm: Algorithm
    order: int
    step: float


@runtime_checkable
class StepControl(Protocol):
    """Chooses the sizes of steps.

    error     estimate of the coupling error so far, relative; None if it makes none
    rejected  steps that were repeated with another size
    """

    error: float | None
    rejected: int

    def advance(self, time: float, end: float) -> float:
        """Advance by one step, which does not pass `end`. Returns the time at its end. times: s"""

    def memory(self) -> object:
        """What it stores between steps, as data for JSON."""

    def recall(self, memory: object) -> None: ...


class AdaptiveSteps(Protocol):
    """The options of a step control.

    name
    repeats_steps  whether components must be able to save their state
    input_order    the default, unless the algorithm has one that is not 0
    """

    @property
    def name(self) -> str: ...

    @property
    def tolerance(self) -> float: ...

    @property
    def repeats_steps(self) -> bool: ...

    @property
    def input_order(self) -> int: ...

    def begin(self, coupling: CoupledRun) -> StepControl:
        """Begin a run: the control of its steps. Raises InputError, UnsupportedError."""
