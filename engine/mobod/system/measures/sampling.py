"""The events by which a measure samples another one."""

# Decision: docs/decisions/195-samples.md

from math import isfinite
from typing import Protocol, final

import numpy as np

from mobod.errors import InputError
from mobod.scalar import Scalar, where
from mobod.system.events.handler_actions import NEVER, HandlerActions
from mobod.system.events.handlers import Cause, EventOwner
from mobod.system.events.kinds import InitializationEventHandler, ScheduledEventHandler
from mobod.system.stage import Stage
from mobod.system.state.handles import DiscreteVariable
from mobod.system.state.saved_numbers import Numbers
from mobod.system.state.state import State
from mobod.system.subsystem import Subsystem

EARLY = 1e-6
"""Of an interval: how early a step may end and still count as the time of the sample. Steps that divide the interval end there up to
round-off. At least the slack of fmu_src/native/state/event_times.c."""


class Sampler(Protocol):
    """A measure that samples another one, the operand."""

    @property
    def system(self) -> EventOwner: ...

    @property
    def name(self) -> str: ...

    @property
    def operand_stage(self) -> Stage: ...

    def take_sample(self, state: State, event: HandlerActions) -> None: ...


@final
class Sampling(ScheduledEventHandler):
    """Samples at the multiples of an interval. All samples of one time read the same State, before other handlers of that time.

    interval  s

    Fixed steps at velocity level take a sample at the end of the first step that ends at its time or later.
    """

    cause = Cause.SAMPLE
    is_internal, is_in_results, only_samples = True, False, True

    def __init__(self, measure: Sampler, interval: float):
        self.measure, self.interval = measure, interval
        self._number: DiscreteVariable | None = None
        super().__init__(measure.system, stage=measure.operand_stage, name=f"sampling of {measure.name}")

    def keep_number(self, state: State, subsystem: Subsystem) -> None:
        """Allocate the number of the last sample, at TOPOLOGY; nothing that is computed depends on it."""
        self._number = state.allocate_discrete_variable(
            subsystem, f"{self.measure.name}.number", -NEVER, Stage.REPORT, numbers=[Numbers(1)]
        )

    def next_event_time(self, state: State, includes_now: bool) -> Scalar:
        """s: the next whole multiple of the interval; not that of the last sample, which a step may have taken a round-off early."""
        assert self._number is not None
        time, interval, last = state.time, self.interval, state.get(self._number)
        count = np.floor(time / interval)  # round-off: off by at most one
        following = (count + 3) * interval
        for step in (2, 1, 0, -1):
            number, candidate = count + step, (count + step) * interval
            if includes_now:
                following = where(candidate >= time, candidate, following)
            else:
                is_new = where(np.abs(number - last) < 0.5, candidate - time > EARLY * interval, True)
                following = where(candidate > time, where(is_new, candidate, following), following)
        return following

    def handle_event(self, state: State, event: HandlerActions) -> None:
        assert self._number is not None
        self.measure.take_sample(state, event)
        state.set(self._number, sample_number(state.time, self.interval))


@final
class FirstSample(InitializationEventHandler):
    """Samples at the start of a run."""

    is_internal, is_in_results, only_samples = True, False, True

    def __init__(self, measure: Sampler):
        self.measure = measure
        super().__init__(measure.system, stage=measure.operand_stage, name=f"first sample of {measure.name}")

    def handle_event(self, state: State, event: HandlerActions) -> None:
        self.measure.take_sample(state, event)


def sample_number(time: Scalar, interval: float) -> Scalar:
    """The number of the last multiple of the interval that is not after the time."""
    return np.floor(time / interval + EARLY)


def checked_interval(interval: float, what: str) -> float:
    """The interval as a float. Raises InputError unless it is positive and finite."""
    if not (isfinite(interval) and interval > 0):
        raise InputError(f"{what} must be a positive time, not {interval!r} s.")
    return float(interval)
