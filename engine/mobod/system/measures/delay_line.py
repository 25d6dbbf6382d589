"""DelayLine: the record of what a measure reads late."""

from typing import final

import numpy as np

from mobod.errors import InputError
from mobod.functions.checked import checked_count
from mobod.scalar.slot import Slot
from mobod.system.measures.delay_table import DelayRow, ReadDelay, delay_table
from mobod.system.measures.history import history_size
from mobod.system.measures.subsystem import MeasureSubsystem
from mobod.system.stage import Stage
from mobod.system.state.handles import CacheEntry, DiscreteVariable
from mobod.system.state.layout import Layout
from mobod.system.state.saved_numbers import Numbers, whole
from mobod.system.state.state import State
from mobod.system.state.values import checked_numbers


@final
class DelayLine:
    """A value and its rate, some time later.

    delay     s, positive
    capacity  how many entries are kept
    stage     from which the late value is known
    before    the value until a delay after the start; None: what it was worth at the start
    """

    def __init__(
        self, what: str, delay: float, *, capacity: int, shape: tuple[int, ...], stage: Stage, before: np.ndarray | None = None
    ) -> None:
        self.delay = float(checked_numbers(delay, (), f"{what}: delay"))
        if not self.delay > 0:
            raise InputError(f"{what}: the delay must be positive, not {delay} s.")
        self.capacity, self.shape, self.stage, self.before = checked_count(capacity, f"{what}: capacity", least=10), shape, stage, before
        self._memory: DiscreteVariable | None = None
        self._slope: CacheEntry | None = None

    def allocate(self, state: State, subsystem: MeasureSubsystem, name: str) -> None:
        """Allocate what is remembered, and the late rate, at TOPOLOGY."""
        n = int(np.prod(self.shape))
        size = history_size(self.capacity, n)
        numbers = [whole(0, self.capacity), whole(0, self.capacity - 1), Numbers(size - 2, is_any=True)]  # count, oldest, entries
        self._memory = state.allocate_discrete_variable(subsystem, f"{name}.memory", np.zeros(size), Stage.TIME, numbers=numbers)
        self._slope = state.allocate_cache_entry(subsystem, f"{name}.slope", self.stage, shape=self.shape, computed_by=self.stage)

    def slope(self, layout: Layout) -> Slot:
        """Where the late rate lies."""
        assert self._slope is not None
        return layout.slots[self._slope]

    def tabulate(
        self, layout: Layout, subsystem: MeasureSubsystem, name: str, *, operand: Slot, rate: Slot, known_at: Stage, value: Slot
    ) -> None:
        """Add the call that sets `value` to what the operand was; known_at: the stage at which operand and rate are known."""
        assert self._memory is not None
        rows = subsystem.delays(layout)
        row = DelayRow(
            name=name,
            number=len(rows),
            delay=self.delay,
            capacity=self.capacity,
            stage=known_at,
            time=layout.time,
            operand=operand,
            rate=rate,
            value=value,
            slope=self.slope(layout),
            memory=layout.slots[self._memory],
            variable=self._memory,
            before=None if self.before is None else tuple(self.before.ravel().tolist()),
        )
        rows.append(row)
        subsystem.sweep(layout, self.stage).calls.append(ReadDelay(row))
        layout.c_tables["delays"] = delay_table(rows)
        layout.c_reads += [row.operand, row.rate]
