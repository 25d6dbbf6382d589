"""Delay: what a measure was some time ago."""

from typing import Any, final

import numpy as np

from mobod.errors import InputError
from mobod.functions.checked import checked_count
from mobod.scalar.slot import Slot
from mobod.system.elements import argument
from mobod.system.measures.delay_table import DelayRow, ReadDelay, delay_table
from mobod.system.measures.history import history_size
from mobod.system.measures.measure import ComputedMeasure, Measure, checked_operand, spread
from mobod.system.stage import Stage
from mobod.system.state.handles import DiscreteVariable
from mobod.system.state.layout import Layout
from mobod.system.state.saved_numbers import Numbers, whole
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
        delay = self.delay
        self.delay = float(checked_numbers(delay, (), "Delay: delay"))
        if not self.delay > 0:
            raise InputError(f"Delay: the delay must be positive, not {delay} s.")
        self.capacity = checked_count(self.capacity, "Delay: capacity", least=10)
        stage = max(operand.stage, Stage.TIME) if self.before is None else Stage.TIME
        if self.before is not None:
            self.before = checked_numbers(spread(self.before, operand.shape), operand.shape, "Delay: before")
        self._memory: DiscreteVariable | None = None
        self._record_stage = max(operand.stage, operand.rate_stage)
        self._measure(shape=operand.shape, stage=stage, unit=operand.units)

    @property
    def rate_stage(self) -> Stage:
        """The stage that its rate changes with."""
        return self.stage

    def allocate(self, state: State) -> None:
        """Allocate its variables and computed values, at TOPOLOGY."""
        super().allocate(state)
        n = int(np.prod(self.shape))
        size = history_size(self.capacity, n)
        numbers = [whole(0, self.capacity), whole(0, self.capacity - 1), Numbers(size - 2, is_any=True)]  # count, oldest, entries
        self._memory = state.allocate_discrete_variable(self.subsystem, f"{self.name}.memory", np.zeros(size), Stage.TIME, numbers=numbers)
        self._entries["slope"] = state.allocate_cache_entry(
            self.subsystem, f"{self.name}.slope", self.stage, shape=self.shape, computed_by=self.stage
        )

    def rate(self, layout: Layout) -> Slot:
        """Where the rate of its value lies, known at `rate_stage`."""
        return self.known_rate(layout)

    def known_rate(self, layout: Layout) -> Slot:
        """Where its rate lies, which is known with its value."""
        return layout.slots[self._entries["slope"]]

    def tabulate(self, layout: Layout) -> None:
        """Write the calls that compute its values, when the layout is known."""
        assert self._memory is not None
        rows = self.subsystem.delays(layout)
        row = DelayRow(
            name=self.name,
            number=len(rows),
            delay=self.delay,
            capacity=self.capacity,
            stage=self._record_stage,
            time=layout.time,
            operand=self.operand.slot(layout),
            rate=self.operand.rate(layout),
            value=self.slot(layout),
            slope=self.known_rate(layout),
            memory=layout.slots[self._memory],
            variable=self._memory,
            before=None if self.before is None else tuple(self.before.ravel().tolist()),
        )
        rows.append(row)
        self.subsystem.sweep(layout, self.stage).calls.append(ReadDelay(row))
        layout.c_tables["delays"] = delay_table(rows)
        layout.c_reads += [row.operand, row.rate]
