"""Run: what an integration hands over."""

from dataclasses import dataclass, field
from typing import Any, final

import numpy as np

from mobod.simulate.delays import delay_rows
from mobod.system import State


@final
@dataclass
class Run:
    """Report times, and what the System was in at each: y, and the values of the auto-update variables, in their order.

    pasts  of each delay, in their order, the entries that it is read from (History.excerpt)
    """

    times: list[float] = field(default_factory=list)
    ys: list[np.ndarray] = field(default_factory=list)
    auto_updated: list[tuple[Any, ...]] = field(default_factory=list)
    pasts: list[list[np.ndarray]] = field(default_factory=list)
    steps: int = 0
    evaluations: int = 0

    def report(self, time: float, y: np.ndarray, state: State, pasts: list[np.ndarray] | None = None) -> None:
        """state: has the discrete variables of the step that the time lies in; pasts: what its delays are read from, if it does not."""
        rows = delay_rows(state.system, state)
        self.pasts.append([row.history(state.values).excerpt(time - row.delay) for row in rows] if pasts is None else pasts)
        self.times.append(time)
        self.ys.append(y)
        values = (state.get(variable) for variable in state.auto_update_variables)
        self.auto_updated.append(tuple(value.copy() if isinstance(value, np.ndarray) else value for value in values))
