"""What delays of a System are read from at the points of a run."""

import numpy as np

from mobod.system import State, System
from mobod.system.measures import MeasureSubsystem
from mobod.system.measures.delay_table import DelayRow


def delay_rows(system: System, state: State) -> list[DelayRow]:
    """Of all delays of a System."""
    if "delays" not in state.layout.c_tables:
        return []
    measures = next((each for each in system.subsystems if isinstance(each, MeasureSubsystem)), None)
    return [] if measures is None else measures.delays(state.layout)


def past_size(delays: list[DelayRow]) -> int:
    """How many numbers the C runtime writes for each report: see simulation.h."""
    return sum(1 + 2 * (1 + 2 * row.value.size) for row in delays)


def excerpts(delays: list[DelayRow], numbers: np.ndarray) -> list[np.ndarray]:
    """Of each delay the entries that it is read from at a report, from what the C runtime writes."""
    found, start = [], 0
    for row in delays:
        width = 1 + 2 * row.value.size
        entries = numbers[start + 1 : start + 1 + 2 * width].reshape(2, width)
        found.append(entries[: int(numbers[start])])
        start += 1 + 2 * width
    return found
