"""Delay: what a measure was some time ago."""

from typing import Any, final

from mobod.scalar.slot import Slot
from mobod.system.elements import argument
from mobod.system.measures.delay_line import DelayLine
from mobod.system.measures.measure import ComputedMeasure, Measure, checked_operand, spread
from mobod.system.stage import Stage
from mobod.system.state.layout import Layout
from mobod.system.state.state import State
from mobod.system.state.values import checked_numbers


@final
class Delay(ComputedMeasure):
    """operand at t - delay. A run records it at the end of each step, and so often within it that between two entries the cubic with the
    values and rates of both is as accurate as the run is; no step is longer than the delay, so that nothing is extrapolated.

    operand   one whose rate is known (see Differentiate)
    delay     s, positive
    before    the value until a delay after the start of the run, of the operand's shape; a number is taken for each entry. If left
              out: what the operand was worth at the start, which needs the stage of the operand. With a value given the
              delay does not depend on the present operand, so a force may read it although the operand, such as an acceleration, depends on
              that force.
    capacity  how many entries are kept; more are needed for a longer delay and for more accuracy. Too few stop a run with an error.

    Where an event makes the operand jump, it jumps a delay later. What is recorded lies in a discrete variable, so that a State that is
    copied or restored remembers. A run that begins at another time than the last one ended forgets what was recorded for later times, and
    all if there is a gap.
    """

    operand: Measure = argument("what is measured of", kw_only=False)
    delay: float = argument("s, positive", kw_only=False)
    before: Any = argument("value until a delay after the start of the run", default=None)
    capacity: int = argument("how many entries are kept", default=1000)

    def __post_init__(self) -> None:
        operand = checked_operand(self.operand, self.system, "Delay")
        stage = max(operand.stage, Stage.TIME) if self.before is None else Stage.TIME
        if self.before is not None:
            self.before = checked_numbers(spread(self.before, operand.shape), operand.shape, "Delay: before")
        self._line = DelayLine("Delay", self.delay, capacity=self.capacity, shape=operand.shape, stage=stage, before=self.before)
        self.delay, self.capacity = self._line.delay, self._line.capacity
        self._record_stage = max(operand.stage, operand.rate_stage)
        self._measure(shape=operand.shape, stage=stage, unit=operand.units)

    @property
    def rate_stage(self) -> Stage:
        """The stage that its rate changes with."""
        return self.stage

    def allocate(self, state: State) -> None:
        """Allocate its variables and computed values, at TOPOLOGY."""
        super().allocate(state)
        self._line.allocate(state, self.subsystem, self.name)

    def rate(self, layout: Layout) -> Slot:
        """Where the rate of its value lies, known at `rate_stage`."""
        return self.known_rate(layout)

    def known_rate(self, layout: Layout) -> Slot:
        """Where its rate lies, which is known with its value."""
        return self._line.slope(layout)

    def tabulate(self, layout: Layout) -> None:
        """Write the calls that compute its values, when the layout is known."""
        operand = self.operand
        self._line.tabulate(
            layout,
            self.subsystem,
            self.name,
            operand=operand.slot(layout),
            rate=operand.rate(layout),
            known_at=self._record_stage,
            value=self.slot(layout),
        )
