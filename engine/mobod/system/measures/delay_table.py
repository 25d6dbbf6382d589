"""How a delayed value is read: a procedure among the calls of a sweep, and what the runtime that records must know."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.runtime.tables import Struct, StructArray, same_named
from mobod.scalar.procedure import Procedure, ProcedureInC
from mobod.scalar.slot import Slot
from mobod.system.measures.history import History
from mobod.system.stage import Stage
from mobod.system.state.handles import DiscreteVariable

STEP_SHARE = 0.99
"""Of the shortest delay, how long a step may be, so that what is read in a step was recorded before it."""


@final
@dataclass(frozen=True, kw_only=True)
class DelayRow:
    """One delay in one layout.

    operand, rate  what is recorded, known at `stage`
    value, slope   what is read, and its rate
    memory         of a History, which `variable` is
    before         what is read for times before all that is recorded; None: the oldest value, or, if there is none, the operand
    """

    name: str
    number: int
    delay: float
    capacity: int
    stage: Stage
    time: Slot
    operand: Slot
    rate: Slot
    value: Slot
    slope: Slot
    memory: Slot
    variable: DiscreteVariable
    before: tuple[float, ...] | None

    def history(self, w: np.ndarray) -> History:
        return History(w[self.memory.slice], self.value.size)


@final
class ReadDelay(Procedure):
    """Sets the value and its rate from what is remembered: run_delay in fmu_src/native/state/delays.c."""

    def __init__(self, row: DelayRow):
        self.row = row

    @property
    def name(self) -> str:
        return f"read delay {self.row.number}"

    @property
    def inputs(self) -> tuple[Slot, ...]:
        row = self.row
        return (row.time, row.memory, *([row.operand] if row.before is None else []))

    @property
    def outputs(self) -> tuple[Slot, ...]:
        return self.row.value, self.row.slope

    def in_c(self) -> ProcedureInC:
        return ProcedureInC("delays.h", "run_delay", "run_delay_tangent", "run_delay_adjoint", _delay_in_c(self.row))


def delay_table(rows: Sequence[DelayRow]) -> Struct:
    """`DelayTable` of delays.h."""
    return Struct(
        "DelayTable",
        n_delays=len(rows),
        delays=StructArray("Delay", [_delay_in_c(row) for row in rows]),
        stage=int(max(row.stage for row in rows)),
        moment_size=sum(1 + 2 * row.value.size for row in rows),
        longest_step=longest_step(rows),
    )


def _delay_in_c(row: DelayRow) -> Struct:
    """`Delay` of delays.h."""
    return Struct(
        "Delay",
        name=row.name,
        n=row.value.size,
        capacity=row.capacity,
        delay=row.delay,
        before=None if row.before is None else list(row.before),
        **same_named(row, "time", "operand", "rate", "value", "slope", "memory"),
    )


def longest_step(rows: Sequence[DelayRow]) -> float:
    """s; infinite without delays."""
    return STEP_SHARE * min((row.delay for row in rows), default=np.inf)
