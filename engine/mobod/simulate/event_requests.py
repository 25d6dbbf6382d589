"""What a handler asks of the runtime, done at once."""

from typing import TYPE_CHECKING, Any

import numpy as np

from mobod.errors import InputError
from mobod.matter import Constraint
from mobod.simulate.impulse import apply_impulse
from mobod.system import EventActions, Stage
from mobod.system.event_actions import NEVER
from mobod.system.event_recording import n_impulse_rows
from mobod.system.event_table import SCHEDULED, TERMINATED, EventRow

if TYPE_CHECKING:
    from mobod.simulate.event_runtime import EventRuntime


class Actions(EventActions):
    """What a handler asks for, done at once."""

    def __init__(self, runtime: "EventRuntime", row: EventRow, direction: int):
        self.direction = direction
        self._runtime, self._row = runtime, row

    def terminate_when(self, condition: Any) -> None:
        if condition:
            runtime = self._runtime
            runtime.state.values[runtime.table.shared.slice][TERMINATED] = self._row.event.index + 1

    def schedule(self, time: Any) -> None:
        self._runtime.memory(self._row)[SCHEDULED] = min(float(time), NEVER)

    def realize(self, stage: Stage) -> None:
        self._runtime.system.realize(self._runtime.state, stage)

    def project(self) -> None:
        self._runtime.settle(self._row.event)
        self._runtime.system.realize(self._runtime.state, Stage.VELOCITY)

    def apply_impulse(self, constraint: Any, restitution: Any = 0.0) -> None:
        n = n_impulse_rows(constraint, "apply_impulse")
        if not isinstance(constraint, Constraint):
            raise InputError(f"apply_impulse: {constraint!r} is no constraint.")
        restitution = np.asarray(restitution, dtype=float)
        if restitution.shape not in ((), (n,)):
            raise InputError(
                f"apply_impulse: the restitution is one number, or {n} for '{constraint.name}', not of shape {restitution.shape}."
            )
        apply_impulse(self._runtime.state, constraint, np.broadcast_to(restitution, (n,)))
