"""The actions that a handler in plain Python requests from the C runtime, which has called it."""

# Decision: docs/decisions/017-host-hooks.md

from typing import Protocol, final

import numpy as np
from numpy.typing import ArrayLike

from mobod.arguments.real_numbers import real_numbers
from mobod.errors import InputError
from mobod.matter import Constraint, EventActions
from mobod.matter.event_actions import impulse_block, n_impulse_rows
from mobod.runtime.library import constant, doubles, runtime
from mobod.scalar import Scalar
from mobod.system import NEVER, Stage, State
from mobod.system.events.table import SCHEDULED, TERMINATED, EventRow, EventTable


class ActionFailed(BaseException):
    """An action failed in C, which has stored the reason. It is no Exception, so that users' code does not catch it."""


class Caller(Protocol):
    """The run that has called the handler, and its State."""

    state: State

    def give_back(self) -> None:
        """Copy what the handler has set to C."""

    def follow(self) -> None:
        """Copy what C has set to the State."""


@final
class CalledActions(EventActions):
    """direction  of the crossing of the event's witness; 0: no crossing
    call       `HandlerCall` of handler_actions.h
    """

    def __init__(self, caller: Caller, call: object, table: EventTable, row: EventRow, direction: int):
        self.direction = direction
        self._caller, self._call, self._table, self._row = caller, call, table, row
        self._state = caller.state

    def terminate_when(self, condition: Scalar | np.bool_) -> None:
        if condition:
            self._state.values[self._table.shared.slice][TERMINATED] = self._row.event.index + 1

    def schedule(self, time: Scalar) -> None:
        self._state.values[self._row.memory.slice][SCHEDULED] = min(float(time), NEVER)

    def realize(self, stage: Stage | str) -> None:
        self._state.system.realize(self._state, stage)

    def project(self) -> None:
        self._caller.give_back()
        self._check(runtime().mobod_project_for_host(self._call))

    def apply_impulse(self, constraint: Constraint, restitution: ArrayLike = 0.0) -> None:
        n = n_impulse_rows(constraint, "apply_impulse")
        restitution = real_numbers(restitution, "apply_impulse: the restitution")
        if restitution.shape not in ((), (n,)):
            raise InputError(
                f"apply_impulse: the restitution must be one number, or {n} for '{constraint.name}', not of shape {restitution.shape}."
            )
        block = impulse_block(constraint, self._state.layout)
        each = np.array(np.broadcast_to(restitution, (n,)), dtype=float)
        self._caller.give_back()
        self._check(runtime().mobod_apply_impulse_for_host(self._call, block, doubles(each)))

    def _check(self, outcome: int) -> None:
        if outcome != constant("INTEGRATED"):
            raise ActionFailed
        self._caller.follow()
        self._state.system.realize(self._state, Stage.VELOCITY)
