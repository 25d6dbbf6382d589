"""Events by what causes them: a witness that crosses zero, a schedule, a step, the start or the end of a run."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from enum import Enum
from inspect import signature
from math import isfinite
from typing import Any, Literal, NamedTuple, Self, SupportsFloat, final

import numpy as np

from mobod.arguments.overrides import check_takes
from mobod.errors import InputError
from mobod.scalar import Scalar, Slot, where
from mobod.system.events.handlers import Cause, Event, EventHandler, EventOwner, EventReporter
from mobod.system.stage import Stage
from mobod.system.state.layout import Layout
from mobod.system.state.state import State
from mobod.system.subsystem import Subsystem

Direction = Literal["rising", "falling", "either"]


class WitnessCall(NamedTuple):
    """function(*structure, *numbers in these slots) -> the value of the witness; structure: plain values"""

    function: Callable[..., Scalar]
    structure: tuple[object, ...]
    slots: tuple[Slot, ...]

    def value(self, state: State) -> Scalar:
        """The value in a State."""
        return self.function(*self.structure, *(state.view(slot) for slot in self.slots))


class TriggeredEvent(Event, ABC):
    """An event that occurs when a witness function crosses zero.

    direction  'rising': from below to zero or above, 'falling': from above to zero or below, 'either'
    window     s, largest error of the crossing's time; default: 64 units in the last place of the time

    A witness that comes from zero triggers when it returns, not when it leaves.
    How small a dip across zero within one step is found: fmu_src/native/events/localisation.h.
    """

    cause: Enum = Cause.TRIGGERED

    def __init__(self, owner: EventOwner | Subsystem, *, direction: Direction = "either", window: float = 0.0, **options: Any):
        if direction not in ("rising", "falling", "either"):
            raise InputError(f"{type(self).__name__}: the direction is 'rising', 'falling' or 'either', not {direction!r}.")
        if not (isfinite(window) and window >= 0):
            raise InputError(f"{type(self).__name__}: the localisation window must be a time of at least 0 s, not {window!r} s.")
        self.direction, self.window = direction, float(window)
        super().__init__(owner, **options)

    @abstractmethod
    def witness(self, state: State) -> Scalar:
        """The witness function: a number, continuous in time. It may read values up to the event's stage."""

    def witness_call(self, layout: Layout) -> "WitnessCall | None":
        """The witness as a function of numbers, of an element's event: many such events then share one recording. None: it is recorded."""
        return None

    def witness_stage(self, state: State) -> Stage:
        """The stage from which on the witness is known in this State."""
        return self.stage

    @final
    def wants(self, direction: int) -> bool:
        """Whether the event is triggered by this direction of crossing.

        direction  1: rising, -1: falling
        """
        return self.direction == "either" or (self.direction == "rising") == (direction > 0)


class ScheduledEvent(Event, ABC):
    cause = Cause.SCHEDULED

    @abstractmethod
    def next_event_time(self, state: State, includes_now: bool) -> Scalar:
        """The next time, s, at which the event occurs; NEVER if it does not occur any more.

        The time must be later than state.time, or may equal it if includes_now. It is called at the start of a run, with includes_now, and
        after each time at which any event was handled.
        """


class _Periodic(ScheduledEvent, ABC):
    """An event that occurs at all whole multiples of an interval. The times are computed as k * interval and do not drift.

    interval  s
    """

    def __init__(self, owner: EventOwner | Subsystem, interval: float, **options: Any):
        if not (isfinite(interval) and interval > 0):
            raise InputError(f"{type(self).__name__}: the interval must be a positive time, not {interval!r} s.")
        self.interval = float(interval)
        super().__init__(owner, **options)

    @final
    def next_event_time(self, state: State, includes_now: bool) -> Scalar:
        """s: the next whole multiple of the interval."""
        time, interval = state.time, self.interval
        count = np.floor(time / interval)  # round-off: off by at most one
        following = (count + 2) * interval
        for step in (1, 0, -1):
            candidate = (count + step) * interval
            following = where(candidate >= time if includes_now else candidate > time, candidate, following)
        return following


class TriggeredEventHandler(TriggeredEvent, EventHandler, ABC):
    __doc__ = TriggeredEvent.__doc__

    @classmethod
    def of(
        cls,
        owner: EventOwner | Subsystem,
        witness: Callable[[State], SupportsFloat],
        handle_event: Callable[..., None],
        **options: object,
    ) -> Self:
        """Make a handler from these functions; options: direction, window, stage, name, disabled, variables, recordable, sets."""
        return _given(cls, options, witness=witness, handle_event=handle_event)(owner, **options)


class TriggeredEventReporter(TriggeredEvent, EventReporter, ABC):
    __doc__ = TriggeredEvent.__doc__

    @classmethod
    def of(
        cls,
        owner: EventOwner | Subsystem,
        witness: Callable[[State], SupportsFloat],
        handle_event: Callable[[State], None],
        **options: object,
    ) -> Self:
        """Make a reporter from these functions; options: direction, window, stage, name, disabled, variables, recordable."""
        return _given(cls, options, witness=witness, handle_event=handle_event)(owner, **options)


class ScheduledEventHandler(ScheduledEvent, EventHandler, ABC):
    """A handler that is called at times given by its `next_event_time`."""

    @classmethod
    def of(
        cls,
        owner: EventOwner | Subsystem,
        next_event_time: Callable[[State, bool], object],
        handle_event: Callable[..., None],
        **options: object,
    ) -> Self:
        """Make a handler from these functions; options: stage, name, disabled, variables, recordable, sets."""
        return _given(cls, options, next_event_time=next_event_time, handle_event=handle_event)(owner, **options)


class ScheduledEventReporter(ScheduledEvent, EventReporter, ABC):
    """A handler that is called at times given by its `next_event_time`."""

    @classmethod
    def of(
        cls,
        owner: EventOwner | Subsystem,
        next_event_time: Callable[[State, bool], object],
        handle_event: Callable[[State], None],
        **options: object,
    ) -> Self:
        """Make a reporter from these functions; options: stage, name, disabled, variables, recordable (for next_event_time)."""
        return _given(cls, options, next_event_time=next_event_time, handle_event=handle_event)(owner, **options)


class PeriodicEventHandler(_Periodic, EventHandler, ABC):
    __doc__ = _Periodic.__doc__

    @classmethod
    def of(cls, owner: EventOwner | Subsystem, interval: float, handle_event: Callable[..., None], **options: object) -> Self:
        """Make a handler from this function; options: stage, name, disabled, variables, recordable, sets."""
        return _given(cls, options, handle_event=handle_event)(owner, interval, **options)


class PeriodicEventReporter(_Periodic, EventReporter, ABC):
    __doc__ = _Periodic.__doc__

    @classmethod
    def of(cls, owner: EventOwner | Subsystem, interval: float, handle_event: Callable[[State], None], **options: object) -> Self:
        """Make a reporter from this function; options: stage, name, disabled."""
        return _given(cls, options, handle_event=handle_event)(owner, interval, **options)


class _Simple(EventHandler, ABC):
    """A handler without a witness or times of its own."""

    @classmethod
    def of(cls, owner: EventOwner | Subsystem, handle_event: Callable[..., None], **options: object) -> Self:
        """Make a handler from this function; options: stage, name, disabled, variables, recordable, sets."""
        return _given(cls, options, handle_event=handle_event)(owner, **options)


class InitializationEventHandler(_Simple, ABC):
    """A handler that is called at the start of a run, before the first report. It is not called when a run continues an earlier one."""

    cause = Cause.INITIALIZATION


class TimeAdvancedEventHandler(_Simple, ABC):
    """A handler that is called at the end of each integration step."""

    cause = Cause.TIME_ADVANCED


class Observer(_Simple, ABC):
    """Stores values of the State: at the start of a run, at the end of each step before all other handlers, and again after handlers
    changed the State.

    It sets discrete variables that nothing up to ACCELERATION depends on.
    """

    cause = Cause.OBSERVATION


class TerminationEventHandler(_Simple, ABC):
    """A handler that is called at the very end of a run, whether the run reached its end time or a handler stopped it."""

    cause = Cause.TERMINATION


def _given(cls: type[Any], options: dict[str, object], **functions: Callable[..., object]) -> Any:
    """A subclass whose methods call the given functions. Takes `recordable` and `sets` out of the options."""

    def method(function: Callable[..., object]) -> Callable[..., object]:
        return lambda self, *arguments: function(*arguments)

    for what, function in functions.items():
        if not callable(function):
            raise InputError(f"{cls.__name__}.of: {what} must be a function, not {function!r}.")
        of_class = signature(getattr(cls, what)).parameters
        check_takes(function, list(of_class)[1:], f"{cls.__name__}.of: the function {what}", what)
    methods: dict[str, object] = {what: method(function) for what, function in functions.items()}
    # the functions themselves are checked for state that a recording must not change (recording.py)
    members = {**methods, "functions": tuple(functions.values())}
    members |= {"recordable": options.pop("recordable", cls.recordable), "sets": options.pop("sets", cls.sets)}
    return type(cls.__name__, (cls,), members)
