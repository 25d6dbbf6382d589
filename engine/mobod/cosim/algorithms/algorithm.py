"""The interface of co-simulation algorithms, and the list of algorithms."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, final

from mobod.cosim.algorithms.explicit import Described, Explicit
from mobod.cosim.algorithms.gauss_seidel import gauss_seidel
from mobod.cosim.algorithms.interface_newton import InterfaceNewton
from mobod.cosim.algorithms.iterated import Correction, Iterated
from mobod.cosim.algorithms.jacobi import jacobi
from mobod.cosim.algorithms.waveform import Waveform
from mobod.cosim.component_model import ComponentInstance
from mobod.cosim.connection import Connection
from mobod.cosim.exchange.operations import OperationInC
from mobod.cosim.signals.signals import Signals
from mobod.cosim.variable import Value
from mobod.errors import InputError, UnknownNameError


class Algorithm(Protocol):
    """Advances instances, and transfers values over the connections.

    calls  of `ComponentInstance.step` so far
    taken  what inputs were at the end of the last step, in the order of all connections: values that differ from those of the outputs
    """

    @property
    def calls(self) -> int: ...

    @property
    def taken(self) -> list[Value]: ...

    def advance(self, time: float, step: float) -> None:
        """Advance all instances from time to time + step (s), and settle the signals there."""

    def operations(self) -> Sequence[OperationInC] | None:
        """What `advance` does, as operations of C; None if it decides in Python."""

    def memory(self) -> object:
        """What it stores between steps, as data for JSON."""

    def recall(self, memory: object) -> None:
        """Take the memory of the same algorithm for the same network."""


class AlgorithmChoice(Protocol):
    """Which algorithm a master uses, with its options.

    name
    repeats_steps  whether components must be able to save their state
    input_order    the default
    """

    @property
    def name(self) -> str: ...

    @property
    def repeats_steps(self) -> bool: ...

    @property
    def input_order(self) -> int: ...

    def begin(
        self, connections: Sequence[Connection], instances: Mapping[str, ComponentInstance], signals: Signals, input_order: int
    ) -> Algorithm:
        """Begin a run. input_order: as in CoupledInputs"""


@final
@dataclass(frozen=True)
class _OneStep:
    """Each step is taken once."""

    name: str
    described: Described
    repeats_steps = False
    input_order = 0

    def begin(
        self, connections: Sequence[Connection], instances: Mapping[str, ComponentInstance], signals: Signals, input_order: int
    ) -> Algorithm:
        return Explicit(self.described, connections, instances, signals, input_order)


@dataclass(frozen=True, kw_only=True)
class _Repeated(ABC):
    """Steps are repeated until the values at their end agree."""

    tolerance: float = 1e-8
    most_iterations: int
    repeats_steps = True
    input_order = 1

    def __post_init__(self) -> None:
        if not (0 < self.tolerance < 1 and self.most_iterations >= 1):
            raise InputError(
                f"a tolerance between 0 and 1 and at least 1 iteration are needed, not {self.tolerance!r} and {self.most_iterations!r}."
            )

    def begin(
        self, connections: Sequence[Connection], instances: Mapping[str, ComponentInstance], signals: Signals, input_order: int
    ) -> Algorithm:
        """Begin a run. input_order: as in CoupledInputs"""
        return Iterated(connections, instances, signals, input_order, self._correction(), self.tolerance)

    @abstractmethod
    def _correction(self) -> Correction: ...


@final
@dataclass(frozen=True, kw_only=True)
class WaveformIteration(_Repeated):
    """Steps are repeated, with inputs that lead to the outputs of the last repetition, until nothing changes.

    tolerance        of the values at the end of a step, relative
    most_iterations  of a step

    Algebraic loops at the end of the step are solved in each repetition. All components must be able to save their state.
    """

    most_iterations: int = 50
    name = "waveform"

    def _correction(self) -> Correction:
        return Waveform(self.most_iterations)


@final
@dataclass(frozen=True, kw_only=True)
class NewtonIteration(_Repeated):
    """Steps are repeated with inputs that Newton's method finds, so that stiff couplings and joints that are cut converge too.

    The fields are those of WaveformIteration. All components must be able to save their state.
    """

    most_iterations: int = 20
    name = "newton"

    def _correction(self) -> Correction:
        return InterfaceNewton(self.most_iterations)


def algorithm_choice(given: str | AlgorithmChoice) -> AlgorithmChoice:
    """The choice of a name, or the one that is given. Raises UnknownNameError, InputError."""
    if isinstance(given, str):
        UnknownNameError.check("algorithm", given, ALGORITHMS)
        return ALGORITHMS[given]
    if not hasattr(given, "begin"):
        raise InputError(f"Master: algorithm is one of {', '.join(ALGORITHMS)}, a WaveformIteration or a NewtonIteration, not {given!r}.")
    return given


ALGORITHMS: dict[str, AlgorithmChoice] = {
    each.name: each for each in (_OneStep("jacobi", jacobi), _OneStep("gauss-seidel", gauss_seidel), WaveformIteration(), NewtonIteration())
}
