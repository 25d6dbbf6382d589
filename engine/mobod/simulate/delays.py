"""The entries of delay histories that are needed at the reports of a run."""

# Decision: docs/decisions/065-delays.md

import numpy as np

from mobod.system import State, System
from mobod.system.measures import MeasureSubsystem
from mobod.system.measures.delay_table import DelayRow


def delay_rows(system: System, state: State) -> list[DelayRow]:
    """The rows of all delays of a System."""
    if "delays" not in state.layout.c_tables:
        return []
    measures = next((each for each in system.subsystems if isinstance(each, MeasureSubsystem)), None)
    return [] if measures is None else measures.delays(state.layout)


def past_size(delays: list[DelayRow]) -> int:
    """Number of floats that the C runtime writes for the delays at each report: see simulation.h."""
    return sum(1 + 2 * (1 + 2 * row.value.size) for row in delays)


def excerpts(delays: list[DelayRow], numbers: np.ndarray) -> list[np.ndarray]:
    """For each delay the history entries that it interpolates at a report, taken from the numbers that the C runtime wrote."""
    found, start = [], 0
    for row in delays:
        width = 1 + 2 * row.value.size
        entries = numbers[start + 1 : start + 1 + 2 * width].reshape(2, width)
        found.append(entries[: int(numbers[start])])
        start += 1 + 2 * width
    return found
