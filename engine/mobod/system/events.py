"""What happens at certain times of a run: handlers, which change the State, and reporters, which look at it (SimTK's event classes).

A handler or reporter belongs to a System, or to the subsystem whose events it handles. Write a subclass with its methods, or give
functions to `of`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, Protocol

import numpy as np

from mobod.errors import InputError, StateError, UnknownNameError
from mobod.system.boundary import check_state, checked_stage, checked_system
from mobod.system.handles import DiscreteVariable
from mobod.system.named_arguments import NamedArguments
from mobod.system.saved_numbers import Numbers
from mobod.system.stage import Stage
from mobod.system.state import State
from mobod.system.subsystem import Subsystem, SystemStructure


class Cause(Enum):
    """Why an event happens. Elements may have causes of their own, which the C runtime knows by their names."""

    INITIALIZATION = "initialization"
    SCHEDULED = "scheduled"
    TRIGGERED = "triggered"
    TIME_ADVANCED = "time advanced"
    OBSERVATION = "observation"
    TERMINATION = "termination"


class EventList(Protocol):
    """Where the events of a System are."""

    def add(self, event: "Event", name: Any) -> tuple[int, str]:
        """Take in an event; its number and its name."""


class EventOwner(SystemStructure, ABC):
    """The part of a System that its events refer to: where they are."""

    @property
    @abstractmethod
    def events(self) -> EventList:
        """See System."""


class Event(NamedArguments, ABC):
    """A handler or a reporter of events; see EventHandler and EventReporter.

    owner     the System, or the subsystem whose event it is
    name      default: the class's name in lower case and a number
    stage     up to which what is computed may be read by its functions
    disabled  whether it is off in a new State
    variables
              name -> start, of discrete variables of its own: what it remembers lies in the State. Numbers, truth values and arrays can be
              read and set by recorded functions, and are variables of results and FMUs, as 'bounce.count'
    """

    cause: Enum  # a Cause, or one of an element's own
    is_reporter: bool
    memory_of_element: tuple[Numbers, ...] = ()
    """What an element's event remembers beside what all do: one for each number, which is 0 at first."""
    is_internal = False  # made by an element that is told by its own name: not among variables,
    is_in_results = True  # and where it is of no interest to anyone else not among results' events
    functions: tuple[Callable[..., Any], ...] = ()
    recordable = True
    """Whether its functions are recorded, so that they can become C. If False they are plain Python, which the C runtime calls back."""
    sets: Sequence[str] = ()
    """Names of what its handler sets beside states and its own variables, if it is not recorded: for Python FMUs, where no master may set
    them then. Of a recorded one it is known."""

    def __init__(
        self,
        owner: EventOwner | Subsystem,
        *,
        stage: Stage | str = Stage.VELOCITY,
        name: str | None = None,
        disabled: bool = False,
        variables: Mapping[str, Any] | None = None,
    ):
        if not isinstance(owner, Subsystem):
            checked_system(owner, f"{type(self).__name__}: its owner, a System or a subsystem,", EventOwner)
        stage = checked_stage(stage, type(self).__name__)
        if not Stage.INSTANCE <= stage <= Stage.REPORT:
            raise InputError(f"{type(self).__name__}: the stage of an event lies between INSTANCE and REPORT, it is not {stage.name}.")
        self.stage = stage
        self.subsystem = owner if isinstance(owner, Subsystem) else None
        system = owner.system if isinstance(owner, Subsystem) else owner
        assert isinstance(system, EventOwner)
        self.system = system
        self._is_disabled_by_default = bool(disabled)
        self._variables = {each: _as_float(value) for each, value in (variables or {}).items()}
        if reserved := {"enabled", "memory"} & self._variables.keys():
            raise InputError(f"{type(self).__name__}: a variable of its own cannot be named '{reserved.pop()}', which every event has.")
        self._handles: dict[str, DiscreteVariable] = {}
        self.index: int
        self.name: str
        self.index, self.name = self.system.events.add(self, name)

    def _summary(self) -> str:
        return f"of System '{self.system.name}'{' (disabled)' if self._is_disabled_by_default else ''}"

    @property
    def told(self) -> str:
        """What it is, for messages."""
        return f"{'reporter' if self.is_reporter else 'event handler'} '{self.name}' ({type(self).__name__})"

    # enabled or not
    def is_disabled(self, state: State) -> bool:
        """Whether it is off in a State."""
        handle = self.handle(state, "enabled")
        return not state.get(handle)

    def set_enabled(self, state: Any, is_enabled: Any) -> None:
        """Takes the State back before INSTANCE; while it is disabled the event does not happen."""
        handle = self.handle(state, "enabled")
        state.set(handle, is_enabled)

    def enable(self, state: Any) -> None:
        """See set_enabled."""
        self.set_enabled(state, True)

    def disable(self, state: Any) -> None:
        """See set_enabled."""
        self.set_enabled(state, False)

    # what it remembers
    def variable(self, state: Any, name: str) -> Any:
        """The value of a variable of its own."""
        handle = self._own(state, name)
        return state.get(handle)

    def set_variable(self, state: Any, name: str, value: Any) -> None:
        """Takes the State back before INSTANCE."""
        handle = self._own(state, name)
        state.set(handle, value)

    def _own(self, state: Any, name: str) -> DiscreteVariable:
        if name not in self._variables:
            raise UnknownNameError(f"variable of {self.told}", name, self._variables)
        return self.handle(state, name)

    # for the subsystem of events and for runs
    @property
    def variables(self) -> list[str]:
        """The names of its own variables."""
        return list(self._variables)

    def allocate(self, state: State, subsystem: Subsystem, memory: np.ndarray, numbers: Sequence[Numbers]) -> None:
        """Allocate whether it is enabled, and what must be remembered of it, at TOPOLOGY."""
        self._handles = {
            "enabled": state.allocate_discrete_variable(
                subsystem, f"{self.name}.enabled", not self._is_disabled_by_default, Stage.INSTANCE
            ),
            "memory": state.allocate_discrete_variable(subsystem, f"{self.name}.memory", memory, Stage.REPORT, numbers=numbers),
        }
        for name, value in self._variables.items():
            self._handles[name] = state.allocate_discrete_variable(subsystem, f"{self.name}.{name}", value, Stage.INSTANCE)

    def handle(self, state: Any, what: str) -> DiscreteVariable:
        """The discrete variable 'enabled' or 'memory', or one of its own."""
        check_state(state, self.system)
        return self.handle_of(what)

    def handle_of(self, what: str) -> DiscreteVariable:
        """The discrete variable 'enabled' or 'memory', or one of its own; StateError before the first State."""
        if not self._handles:
            raise StateError(f"System '{self.system.name}' has no States yet. Make one with its realize_topology().")
        return self._handles[what]

    def remembered_by(self, method: Callable[..., Any]) -> list[Any]:
        """Where a method of its class could keep what it remembers between calls: the event, and the functions that are called."""
        return [self, method, *self.functions]


class EventHandler(Event, ABC):
    """Changes the State when its event happens.

    It may set q, u, z and discrete variables of any stage but MODEL; witnesses that this takes across zero do not trigger by it. After
    the handlers of one time constraints are projected to. What it remembers lies in discrete variables.
    """

    is_reporter = False

    @abstractmethod
    def handle_event(self, state: Any, event: Any) -> None:
        """Set what changes, and ask the runtime for what needs a decision.

        state  realized to the handler's stage; while the handler is recorded a RecordedState, which can be set
        event  HandlerActions: when and why; `terminate_when`, `schedule`, `realize`, `project`; of a System with matter mb.EventActions
        """


class EventReporter(Event, ABC):
    """Looks at the State when its event happens; it is no part of an FMU. It runs as plain Python, whatever it does with what it sees."""

    is_reporter = True

    @abstractmethod
    def handle_event(self, state: State) -> None:
        """state  a copy, realized to ACCELERATION: changing it changes nothing"""


def _as_float(value: Any) -> Any:
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value
