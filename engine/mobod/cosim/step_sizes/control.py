"""The interface of step controls, and the bounds of steps."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, final, runtime_checkable

from mobod.cosim.algorithms.algorithm import Algorithm
from mobod.cosim.component_model import ComponentInstance
from mobod.cosim.connection import Connection
from mobod.cosim.connections.bond import Bond
from mobod.cosim.signals.signals import Signals
from mobod.cosim.variable import NetworkVariable
from mobod.errors import InputError, MobodWarning


@final
@dataclass(frozen=True, kw_only=True)
class Coupling:
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

    def memory(self) -> Any:
        """What it stores between steps, as data for JSON."""

    def recall(self, memory: Any) -> None: ...


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

    def begin(self, coupling: Coupling) -> StepControl: ...


@final
class StepSize:
    """The size of the next step, within bounds. smallest, largest: s; None: a millionth, a hundred times the step of the master"""

    def __init__(self, step: float, smallest: float | None, largest: float | None) -> None:
        self.smallest = 1e-6 * step if smallest is None else smallest
        self.largest = 100 * step if largest is None else largest
        self.next = min(max(step, self.smallest), self.largest)
        self._has_warned = False

    def within(self, time: float, end: float) -> float:
        """The next step, s, shortened if the rest until the end would be shorter than half of it."""
        rest = end - time
        if self.next >= rest:
            return rest
        return rest / 2 if 1.5 * self.next > rest else self.next

    def change(self, taken: float, factor: float) -> None:
        """Change the next step to `factor` times the one that was taken. A shortened last step does not make the next one shorter."""
        wanted = taken * factor
        if factor >= 1 and taken < self.next:
            wanted = max(wanted, self.next)
        self.next = min(max(wanted, self.smallest), self.largest)

    def warn(self, time: float, what: str) -> None:
        """Warn, once in a run, that the error is too large although the step is the smallest."""
        if not self._has_warned:
            self._has_warned = True
            message = f"co-simulation at {time:.9g} s: {what} at the smallest step of {self.smallest:.3g} s. Allow a smaller one."
            warnings.warn(message, MobodWarning, stacklevel=2)


def check_options(tolerance: float, smallest: float | None, largest: float | None) -> None:
    """Raise InputError for options of adaptive steps that cannot be used."""
    bounds = [each for each in (smallest, largest) if each is not None]
    if not tolerance > 0 or any(not each > 0 for each in bounds) or bounds != sorted(bounds):
        raise InputError(
            f"adaptive steps: tolerance {tolerance!r}, smallest {smallest!r} s, largest {largest!r} s. Give positive numbers, the smallest "
            "first."
        )
