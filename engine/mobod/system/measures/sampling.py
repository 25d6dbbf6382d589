"""The events by which a measure samples another one."""

# Decision: docs/decisions/192-samples.md

from math import isfinite
from typing import Protocol, final

import numpy as np

from mobod.errors import InputError
from mobod.scalar import Scalar, where
from mobod.system.events.handler_actions import HandlerActions
from mobod.system.events.handlers import EventOwner
from mobod.system.events.kinds import InitializationEventHandler, ScheduledEventHandler
from mobod.system.stage import Stage
from mobod.system.state.state import State

EARLY = 1e-6
"""Of an interval: how early a step may end and still count as the time of the sample. Steps that divide the interval end there up to
round-off. At least the slack of fmu_src/native/velocity_level/samples_of_step.c."""


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
    """Samples at the multiples of an interval; in fixed steps at velocity level at the end of the first step that ends there or later.

    interval  s
    """

    is_internal, is_in_results, only_samples = True, False, True

    def __init__(self, measure: Sampler, interval: float):
        self.measure, self.interval = measure, interval
        super().__init__(measure.system, stage=measure.operand_stage, name=f"sampling of {measure.name}")

    def next_event_time(self, state: State, includes_now: bool) -> Scalar:
        """s: the next whole multiple of the interval."""
        time, number = state.time, sample_number(state.time, self.interval)
        following = (number + 1) * self.interval
        return where(number * self.interval >= time, number * self.interval, following) if includes_now else following

    def handle_event(self, state: State, event: HandlerActions) -> None:
        self.measure.take_sample(state, event)


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
