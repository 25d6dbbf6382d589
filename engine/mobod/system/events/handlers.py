"""Event handlers, which change the State at certain times of a run, and reporters, which only read it (SimTK's event classes).

A handler or reporter belongs to a System or to the subsystem whose events it handles. Write a subclass with its methods, or pass
functions to `of`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, Protocol

import numpy as np

from mobod.errors import InputError, StateError, UnknownNameError
from mobod.scalar import Scalar
from mobod.system.boundary import check_state, checked_stage, checked_system
from mobod.system.named_arguments import NamedArguments
from mobod.system.stage import Stage
from mobod.system.state.handles import DiscreteVariable
from mobod.system.state.saved_numbers import Numbers
from mobod.system.state.state import State
from mobod.system.subsystem import Subsystem, SystemStructure


class Cause(Enum):
    """Why an event happens. Elements may have causes of their own, which the C runtime knows by their names."""

    INITIALIZATION = "initialization"
    SCHEDULED = "scheduled"
    SAMPLE = "sample"
    TRIGGERED = "triggered"
    TIME_ADVANCED = "time advanced"
    OBSERVATION = "observation"
    TERMINATION = "termination"


class EventList(Protocol):
    """The list of the events of a System."""

    def add(self, event: "Event", name: str | None) -> tuple[int, str]:
        """Add an event; returns its number and its name."""


class EventOwner(SystemStructure, ABC):
    """The interface of a System that its events use."""

    @property
    @abstractmethod
    def events(self) -> EventList:
        """The events of the System."""


class Event(NamedArguments, ABC):
    """Base class of event handlers and reporters; see EventHandler and EventReporter.

    owner     the System, or the subsystem that the event belongs to
    name      default: the class's name in lower case and a number
    stage     the latest stage whose values its functions may read
    disabled  whether it is disabled in a new State
    variables
              names and start values of the event's own discrete variables, which store what it must remember. Recorded functions can read
              and set numbers, booleans and arrays. These are also variables of results and FMUs, such as 'bounce.count'
    """

    cause: Enum  # a Cause, or one of an element's own
    is_reporter: bool
    memory_of_element: tuple[Numbers, ...] = ()
    """What an element's event remembers beside what all do: one for each number, which is 0 at first."""
    is_internal = False  # made by an element and reported under the element's name; if True it has no catalogued variables
    only_ends_steps = False  # whether it changes nothing: fixed steps may leave it out, and lose accuracy alone
    only_samples = False  # whether it sets only what a measure holds: fixed steps at velocity level call it at the end of a step
    is_in_results = True  # whether results list it among their events
    has_handler = True  # if False, handle_event does nothing and is not recorded: the run acts, or the end of the step is enough
    functions: tuple[Callable[..., object], ...] = ()
    recordable = True
    """Whether its functions are recorded, so that they can become C. If False, the C runtime calls them back as plain Python."""
    sets: Sequence[str] = ()
    """Names of the variables that the handler sets besides states and its own variables. Needed only if it is not recorded: in a Python
    FMU a master cannot set these variables."""

    def __init__(
        self,
        owner: EventOwner | Subsystem,
        *,
        stage: Stage | str = Stage.VELOCITY,
        name: str | None = None,
        disabled: bool = False,
        variables: Mapping[str, object] | None = None,
    ):
        if not isinstance(owner, Subsystem):
            checked_system(owner, f"{type(self).__name__}: its owner, a System or a subsystem,", EventOwner)
        stage = checked_stage(stage, type(self).__name__)
        if not Stage.INSTANCE <= stage <= Stage.REPORT:
            raise InputError(f"{type(self).__name__}: the stage of an event must be between INSTANCE and REPORT, not {stage.name}.")
        self.stage = stage
        self.subsystem = owner if isinstance(owner, Subsystem) else None
        system = owner.system if isinstance(owner, Subsystem) else owner
        assert isinstance(system, EventOwner)
        self.system = system
        self._is_disabled_by_default = bool(disabled)
        self._variables = {each: _as_float(value) for each, value in (variables or {}).items()}
        if reserved := {"enabled", "memory"} & self._variables.keys():
            raise InputError(
                f"{type(self).__name__}: its own variable cannot be named '{reserved.pop()}', since every event has a variable of this "
                "name."
            )
        self._handles: dict[str, DiscreteVariable] = {}
        self.index: int
        self.name: str
        self.index, self.name = self.system.events.add(self, name)

    def _summary(self) -> str:
        return f"of System '{self.system.name}'{' (disabled)' if self._is_disabled_by_default else ''}"

    @property
    def title(self) -> str:
        """Kind, name and class, for messages."""
        return f"{'reporter' if self.is_reporter else 'event handler'} '{self.name}' ({type(self).__name__})"

    # enabled or disabled
    def is_disabled(self, state: State) -> bool:
        """Whether the event is disabled in a State."""
        handle = self.handle(state, "enabled")
        return not state.get(handle)

    def set_enabled(self, state: State, is_enabled: Scalar | np.bool_) -> None:
        """Enable or disable the event in a State. A disabled event does not occur. Invalidates stage INSTANCE."""
        handle = self.handle(state, "enabled")
        state.set(handle, is_enabled)

    def enable(self, state: State) -> None:
        """Enable the event in a State. Invalidates stage INSTANCE."""
        self.set_enabled(state, True)

    def disable(self, state: State) -> None:
        """Disable the event in a State, so that it does not occur. Invalidates stage INSTANCE."""
        self.set_enabled(state, False)

    # its own variables
    def variable(self, state: State, name: str) -> Any:
        """The value of one of the event's own variables."""
        handle = self._own(state, name)
        return state.get(handle)

    def set_variable(self, state: State, name: str, value: object) -> None:
        """Set one of the event's own variables. Invalidates stage INSTANCE."""
        handle = self._own(state, name)
        state.set(handle, value)

    def _own(self, state: State, name: str) -> DiscreteVariable:
        UnknownNameError.check(f"variable of {self.title}", name, self._variables)
        return self.handle(state, name)

    # called by the subsystem of events and by runs
    @property
    def variables(self) -> list[str]:
        """The names of the event's own variables."""
        return list(self._variables)

    def allocate(self, state: State, subsystem: Subsystem, memory: np.ndarray, numbers: Sequence[Numbers]) -> None:
        """Allocate at TOPOLOGY whether the event is enabled, its memory for the runtime, and its own variables."""
        self._handles = {
            "enabled": state.allocate_discrete_variable(
                subsystem, f"{self.name}.enabled", not self._is_disabled_by_default, Stage.INSTANCE
            ),
            "memory": state.allocate_discrete_variable(subsystem, f"{self.name}.memory", memory, Stage.REPORT, numbers=numbers),
        }
        for name, value in self._variables.items():
            self._handles[name] = state.allocate_discrete_variable(subsystem, f"{self.name}.{name}", value, Stage.INSTANCE)

    def handle(self, state: State, what: str) -> DiscreteVariable:
        """The discrete variable 'enabled' or 'memory', or one of the event's own."""
        check_state(state, self.system)
        return self.handle_of(what)

    def handle_of(self, what: str) -> DiscreteVariable:
        """The discrete variable 'enabled' or 'memory', or one of the event's own. Raises StateError before the first State is made."""
        if not self._handles:
            raise StateError(f"System '{self.system.name}' has no States yet. Make one with its realize_topology().")
        return self._handles[what]

    def remembered_by(self, method: Callable[..., object]) -> list[object]:
        """Where a method of its class could keep what it remembers between calls: the event, and the functions that are called."""
        return [self, method, *self.functions]


class EventHandler(Event, ABC):
    """An event that may change the State.

    The handler may set q, u, z and discrete variables of any stage except MODEL. Witnesses that cross zero by this change do not trigger.
    After all handlers of one time the State is projected to the constraints. Store what the handler must remember in discrete variables.
    """

    is_reporter = False

    @abstractmethod
    def handle_event(self, state: State, event: Any) -> None:
        """Change the State, and request actions of the runtime.

        state  realized to the handler's stage; while the handler is recorded a RecordedState, which can be set
        event  HandlerActions: when and why; `terminate_when`, `schedule`, `realize`, `project`; of a System with matter mb.EventActions
        """


class EventReporter(Event, ABC):
    """An event that reads the State without changing it. It always runs as plain Python and is not part of an FMU."""

    is_reporter = True

    @abstractmethod
    def handle_event(self, state: State) -> None:
        """Called when the event occurs.

        state  a copy, realized to ACCELERATION; changes of it have no effect
        """


def _as_float(value: object) -> object:
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value
