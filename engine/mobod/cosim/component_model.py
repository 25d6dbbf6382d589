"""ComponentModel and ComponentInstance: what a network needs of a component, whatever it is."""

from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self, final, runtime_checkable

import numpy as np

from mobod.cosim.variable import NetworkVariable, Value


@final
@dataclass(frozen=True, kw_only=True)
class ComponentCapabilities:
    """What a component can do besides taking equal steps.

    variable_steps           steps of any size
    saves_state              save its state and return to it
    saves_bytes              save it as bytes
    directional_derivatives  exact derivatives of outputs by inputs
    once_per_process         whether there can only be one instance at a time in this process
    input_order              the highest order of derivatives by time that its inputs can have in a step; 0: inputs are held
    handles_events           how events are handled within a step: 'inside' by the component itself; 'event mode': the component stops
                             there and its instance here iterates the event; 'none': it has no events
    logs                     whether `instance` takes `log_file`, a MessageFile for what the component logs
    """

    variable_steps: bool = True
    saves_state: bool = False
    saves_bytes: bool = False
    directional_derivatives: bool = False
    once_per_process: bool = False
    input_order: int = 0
    handles_events: str = "inside"
    logs: bool = False


class ValueBatch(Protocol):
    """Variables that are read or written together, in the order in which they were named."""

    def get(self) -> list[Value]: ...

    def get_finite(self, time: float | None = None) -> list[Value]:
        """Like `get`, but raises an error that names the variable for a value that is not finite.

        time  s   of the values, for the message; default: that of the instance
        """

    def set(self, values: Sequence[Value]) -> None: ...


class InputDerivatives(Protocol):
    """Derivatives by time of real inputs, in the order in which they were named."""

    def set(self, derivatives: np.ndarray) -> None:
        """Set the derivatives at the present time, for the next step alone. At its end the inputs have the values of the polynomial.

        derivatives  (order, n)  of the first order, and of the second one if there is a second row

        Saved states need not have them.
        """


class SavedComponent(Protocol):
    """A state of an instance between two steps; a context manager that frees it."""

    def restore(self) -> None: ...

    def to_bytes(self) -> bytes: ...

    def free(self) -> None:
        """Free its memory, if it has some beside that of Python."""
        return

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.free()


class ComponentInstance(Protocol):
    """A component that runs; a context manager that frees it.

    It is called in this order: `set_up`, `set` for start values, `enter_initialization`, `exit_initialization`, then `step` after `step`.
    Inputs are set and outputs are read from `enter_initialization` on.

    name
    time  s   None before `set_up`
    """

    @property
    def name(self) -> str: ...

    @property
    def time(self) -> float | None: ...

    def set_up(self, start: float, stop: float | None, tolerance: float | None) -> None:
        """Set the start and stop time of the experiment (s), and the relative tolerance. None: no stop time, the component's tolerance."""

    def enter_initialization(self) -> None: ...

    def exit_initialization(self) -> None: ...

    def step(self, time: float, step: float) -> None:
        """Advance from time to time + step (s), with all events on the way, inputs held or, with derivatives, by their polynomials.

        Raises SimulationEndedError if the component ends the simulation before; StepDiscardedError if it can only take a shorter step.
        """

    def batch(self, names: Iterable[str]) -> ValueBatch:
        """The variables with these names, to be read or written together repeatedly. Raises UnknownNameError."""

    def set(self, values: Mapping[str, Value]) -> None: ...

    def input_derivatives(self, names: Sequence[str]) -> InputDerivatives:
        """Derivatives of the inputs with these names. It is called only if `capabilities.input_order` is not 0."""

    def check_can_save(self, *, as_bytes: bool = False) -> None:
        """Raise UnsupportedError, with the reason, if it cannot save its state."""

    def save(self) -> SavedComponent:
        """The present state. Raises UnsupportedError."""

    def saved(self, data: bytes, time: float) -> SavedComponent:
        """The state of the bytes that another saved state gave at this time (s). Raises UnsupportedError."""

    def directional_derivative(self, unknowns: Sequence[str], knowns: Sequence[str], change: Sequence[float]) -> list[float]:
        """The change of unknowns, to first order, for a change of knowns: inputs, parameters or states. Raises UnsupportedError."""

    def __enter__(self) -> Self: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None: ...


@runtime_checkable
class TakesTrials(Protocol):
    """An instance whose inputs may be tried."""

    def trying(self) -> AbstractContextManager[None]:
        """Within this, continuous inputs that are set are trials for the same time: their jumps are no events yet. The last values are
        set once more after it.
        """


class ComponentModel(Protocol):
    """Describes a component of a network, and makes an instance of it for each run.

    noun          the word for it in messages: 'FMU', 'System', ...
    origin        which one it is, for messages: the path of a file, or a name
    identity      equal for components that can restore each other's states
    capabilities
    variables     by name
    recorded      the names of variables that a run records by default
    """

    @property
    def noun(self) -> str: ...

    @property
    def origin(self) -> str: ...

    @property
    def identity(self) -> str: ...

    @property
    def capabilities(self) -> ComponentCapabilities: ...

    @property
    def variables(self) -> Mapping[str, NetworkVariable]: ...

    @property
    def recorded(self) -> Sequence[str]: ...

    def inputs_of(self, output: str, *, at_start: bool) -> Set[str]:
        """The inputs on which an output may depend directly: between steps, or before the first one."""

    def restructured(self, sizes: Mapping[str, int]) -> "ComponentModel":
        """The model with other values of structural parameters, on which the sizes of arrays depend."""

    def instance(self, name: str, *, varies_inputs: bool = False) -> ComponentInstance:
        """Make an instance with this name. varies_inputs: whether derivatives of inputs will be set, if `capabilities` allow it"""
