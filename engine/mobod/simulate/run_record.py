"""RunRecord: what an integration hands over."""

import warnings
from dataclasses import dataclass, field
from enum import Enum
from typing import final

import numpy as np

from mobod.errors import MobodWarning
from mobod.simulate.delays import delay_rows
from mobod.system import State, System
from mobod.system.measures.delay_table import DelayRow
from mobod.system.state.snapshot import Snapshot


@final
@dataclass(frozen=True)
class EventRecord:
    """One call of a handler or reporter.

    time               s
    direction          of a triggered event: 1 if its witness rose, -1 if it fell; 0 for other events
    y_before, y_after  (ny,)  before and after a handler; equal for a reporter
    """

    time: float
    name: str
    cause: Enum
    is_reporter: bool
    direction: int
    y_before: np.ndarray
    y_after: np.ndarray

    def __repr__(self) -> str:
        return f"{self.name}@{self.time:.6g}"


@final
@dataclass
class RunRecord:
    """Report times, and y and the discrete variables at each.

    pasts          for each delay, in order, the history entries that it interpolates (History.excerpt); `discrete` has no histories
    events         in the order of the calls
    terminated_by  the name of the event that ended the run early
    warnings       messages on anything that makes the results doubtful
    jammed_steps   fixed steps in which bodies have jammed
    integrator     the methods that took steps: 'RK45', 'RK45 and Rodas5P'
    is_silent      messages are dropped
    """

    system: System
    times: list[float] = field(default_factory=list)
    ys: list[np.ndarray] = field(default_factory=list)
    discrete: list[Snapshot] = field(default_factory=list)
    pasts: list[list[np.ndarray]] = field(default_factory=list)
    events: list[EventRecord] = field(default_factory=list)
    terminated_by: str | None = None
    warnings: list[str] = field(default_factory=list)
    steps: int = 0
    evaluations: int = 0
    jammed_steps: int = 0
    integrator: str = ""
    is_silent: bool = False
    _latest: Snapshot | None = None
    _delays: list[DelayRow] | None = None

    def report(self, time: float, y: np.ndarray, state: State, pasts: list[np.ndarray] | None = None) -> None:
        """Add a report. state: has the discrete variables of the step that contains the time; pasts: history entries of delays, if not in
        state.
        """
        self.pasts.append([row.history(state.values).excerpt(time - row.delay) for row in self._rows(state)] if pasts is None else pasts)
        self.times.append(time)
        self.ys.append(y)
        self.discrete.append(self.remember(state))

    def remember(self, state: State) -> Snapshot:
        """A snapshot of the discrete variables. The same one is returned until `variables_changed` or `take` is called."""
        if self._latest is None:
            self._latest = state.snapshot(without=[row.variable for row in self._rows(state)])
        return self._latest

    def _rows(self, state: State) -> list[DelayRow]:
        """Of delays, the same for all States of the run."""
        if self._delays is None:
            self._delays = delay_rows(self.system, state)
        return self._delays

    def warn(self, message: str) -> None:
        """Add a message on something that makes the results doubtful, and issue it as a warning."""
        if self.is_silent:
            return
        self.warnings.append(message)
        warnings.warn(message, MobodWarning, stacklevel=2)

    def take(self, snapshot: Snapshot) -> None:
        """Use these discrete variables for reports from now on."""
        self._latest = snapshot

    def variables_changed(self) -> None:
        """Note that discrete variables may change from now on."""
        self._latest = None
