"""SampleAndHold: what a measure was when it was last looked at."""

from math import prod
from typing import Any, final

from mobod.scalar import Array, Scalar, where
from mobod.system.boundary import check_state
from mobod.system.elements import argument
from mobod.system.events.handler_actions import HandlerActions
from mobod.system.measures.measure import ComputedMeasure, Measure, checked_operand, spread
from mobod.system.measures.sampling import FirstSample, Sampling, checked_interval
from mobod.system.stage import Stage
from mobod.system.state.handles import DiscreteVariable
from mobod.system.state.layout import Layout
from mobod.system.state.saved_numbers import Numbers
from mobod.system.state.state import State
from mobod.system.state.values import checked_numbers


@final
class SampleAndHold(ComputedMeasure):
    """The operand at the last sample: at the start of a run, at the multiples of an interval, and wherever an event handler calls `sample`.

    interval  s, from time 0 on; None: events alone sample
    before    the value until the first sample, of the operand's shape; a number is taken for each entry. The start of a run is then sampled
              only if a sample is due. The value depends on earlier samples alone, so a force may read it although the operand depends on
              that force. If left out: the value of the operand, which is read at the operand's stage.
    """

    operand: Measure = argument("what is measured of", kw_only=False)
    interval: float | None = argument("s, from time 0 on; None: events alone sample", default=None, kw_only=False)
    before: Any = argument("value until the first sample", default=None)

    def __post_init__(self) -> None:
        operand = checked_operand(self.operand, self.system, "SampleAndHold")
        if self.before is not None:
            self.before = checked_numbers(spread(self.before, operand.shape), operand.shape, "SampleAndHold: before")
        self._held: DiscreteVariable | None = None
        self._has_sample: DiscreteVariable | None = None
        self._measure(shape=operand.shape, stage=operand.stage if self.before is None else Stage.INSTANCE, unit=operand.units)
        self._sampling: Sampling | None = None
        if self.interval is not None:
            self._sampling = Sampling(self, checked_interval(self.interval, "SampleAndHold: the interval"))
        if self.before is None:
            FirstSample(self)

    def sample(self, state: State) -> None:
        """Take the operand's value in a State that has reached its stage; takes it back before the stage of this measure."""
        check_state(state, self.system)
        value = self.operand.value(state)
        assert self._held is not None
        assert self._has_sample is not None
        state.set(self._held, value)
        state.set(self._has_sample, True)

    @property
    def operand_stage(self) -> Stage:
        """The stage from which the operand is known."""
        return self.operand.stage

    def take_sample(self, state: State, event: HandlerActions) -> None:
        """For its events."""
        self.sample(state)

    def allocate(self, state: State) -> None:
        """Allocate its variables and computed values, at TOPOLOGY."""
        super().allocate(state)
        start = self.before if self.before is not None else checked_numbers(spread(0.0, self.shape), self.shape, self.name)
        self._held = state.allocate_discrete_variable(
            self.subsystem,
            f"{self.name}.held",
            start.copy() if self.shape else float(start),
            self.stage,
            numbers=[Numbers(prod(self.shape))],
        )
        if self._sampling is not None:
            self._sampling.keep_number(state, self.subsystem)
        self._has_sample = state.allocate_discrete_variable(self.subsystem, f"{self.name}.has_sample", self.before is not None, self.stage)

    def tabulate(self, layout: Layout) -> None:
        """Write the rows that compute its values, when the layout is known."""
        assert self._held is not None
        assert self._has_sample is not None
        held, has_sample = layout.slots[self._held], layout.slots[self._has_sample]
        sweep = self.subsystem.sweep(layout, self.stage)
        if self.before is None:
            sweep.add(held_or_now, [has_sample, held, self.operand.slot(layout)], [self.slot(layout)])
        else:
            sweep.add(held_alone, [held], [self.slot(layout)])


def held_or_now(has_sample: Scalar, held: Array | Scalar, now: Array | Scalar) -> Array | Scalar:
    return where(has_sample, held, now)


def held_alone(held: Array | Scalar) -> Array | Scalar:
    return held
