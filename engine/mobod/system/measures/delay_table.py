"""How a delayed value is read: a step among the rows of a sweep, and what the runtime that records must know."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.numerics.history import History
from mobod.scalar.c_literal import c_literal, c_string
from mobod.scalar.slot import Slot
from mobod.scalar.step import Step, StepInC
from mobod.system.handles import DiscreteVariable
from mobod.system.stage import Stage

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
class ReadDelay(Step):
    """A twin of run_delay in fmu_src/native/delays.c."""

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

    def run(self, w: np.ndarray) -> None:
        w[self.row.value.slice], w[self.row.slope.slice], _ = self._read(w)

    def run_tangent(self, w: np.ndarray, dw: np.ndarray) -> None:
        """What was recorded stays."""
        row = self.row
        _, rates, bends = self._read(w)
        dw[row.value.slice], dw[row.slope.slice] = rates * dw[row.time.offset], bends * dw[row.time.offset]
        if row.before is None and not row.history(w).count:
            dw[row.value.slice] = dw[row.operand.slice]

    def _read(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        row = self.row
        past, time, zero = row.history(w), w[row.time.offset] - row.delay, np.zeros(row.value.size)
        if row.before is not None and past.find(time) < 0:
            return np.array(row.before), zero, zero
        return past.at(time) if past.count else (w[row.operand.slice].copy(), zero, zero)

    def in_c(self, name: str) -> StepInC:
        return StepInC("delays.h", "run_delay", "run_delay_tangent", f"&delay_rows[{self.row.number}]")


def delays_c(rows: Sequence[DelayRow]) -> str:
    """C that defines `delays`, the table of delays.h."""
    before = [
        f"static const double delay_before_{row.number}[] = {{{', '.join(map(c_literal, row.before))}}};"
        for row in rows
        if row.before is not None
    ]
    entries = []
    for row in rows:
        given = "NULL" if row.before is None else f"delay_before_{row.number}"
        places = ", ".join(str(slot.offset) for slot in (row.time, row.operand, row.rate, row.value, row.slope, row.memory))
        entries.append(f"    {{{c_string(row.name)}, {row.value.size}, {row.capacity}, {c_literal(row.delay)}, {given}, {places}}},")
    return "\n".join(
        [
            '#include "delays.h"\n',
            *before,
            "static const Delay delay_rows[] = {",
            *entries,
            "};",
            f"static const DelayTable delays = {{{len(rows)}, delay_rows, STAGE_{max(row.stage for row in rows).name}, "
            f"{sum(1 + 2 * row.value.size for row in rows)}, {c_literal(longest_step(rows))}}};\n",
        ]
    )


def longest_step(rows: Sequence[DelayRow]) -> float:
    """s; infinite without delays."""
    return STEP_SHARE * min((row.delay for row in rows), default=np.inf)
