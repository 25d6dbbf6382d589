"""What a handler asks for in a run by SciPy's methods, done at once."""

from collections.abc import Callable
from typing import Any, final

import numpy as np

from mobod.errors import InputError
from mobod.matter import Constraint
from mobod.real_numbers import real_numbers
from mobod.simulate.impulse import apply_impulse
from mobod.system import EventActions, Stage, State, System
from mobod.system.event_actions import NEVER
from mobod.system.event_recording import n_impulse_rows
from mobod.system.event_table import SCHEDULED, TERMINATED, EventRow, EventTable


@final
class HandlerActions(EventActions):
    """direction  which way the event's witness crossed; 0: it did not
    project    brings the State to where constraints hold
    release    lets go of unilateral rows
    """

    def __init__(
        self,
        system: System,
        state: State,
        table: EventTable,
        row: EventRow,
        direction: int,
        project: Callable[[], None],
        release: Callable[[], None],
    ):
        self.direction = direction
        self._system, self._state, self._table, self._row = system, state, table, row
        self._project, self._release = project, release

    def terminate_when(self, condition: Any) -> None:
        if condition:
            self._state.values[self._table.shared.slice][TERMINATED] = self._row.event.index + 1

    def schedule(self, time: Any) -> None:
        self._state.values[self._row.memory.slice][SCHEDULED] = min(float(time), NEVER)

    def realize(self, stage: Stage | str) -> None:
        self._system.realize(self._state, stage)

    def project(self) -> None:
        self._project()
        self._system.realize(self._state, Stage.VELOCITY)

    def apply_impulse(self, constraint: Any, restitution: Any = 0.0) -> None:
        n = n_impulse_rows(constraint, "apply_impulse")
        if not isinstance(constraint, Constraint):
            raise InputError(f"apply_impulse: {constraint!r} is no constraint.")
        restitution = real_numbers(restitution, "apply_impulse: the restitution")
        if restitution.shape not in ((), (n,)):
            raise InputError(
                f"apply_impulse: the restitution is one number, or {n} for '{constraint.name}', not of shape {restitution.shape}."
            )
        self._release()
        apply_impulse(self._state, constraint, np.broadcast_to(restitution, (n,)))
