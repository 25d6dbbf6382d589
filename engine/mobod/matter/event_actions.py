"""What a handler may ask of the runtime in a System with matter: impulses along constraints too."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from mobod.errors import InputError
from mobod.matter.constraint import Constraint
from mobod.runtime.library import constant
from mobod.runtime.tables import Struct
from mobod.scalar.slot import Slot
from mobod.system import HandlerActions, Layout, Stage
from mobod.system.events.program import Action
from mobod.system.events.recording import RecordedActions, as_numbers


class EventActions(HandlerActions, ABC):
    """Actions that an event handler can request.

    direction  of a triggered event: 1 if its witness rises, -1 if it falls; 0 for other events. It is a recorded scalar while the handler
               is recorded

    `project` changes u as an impact without restitution does, by the masses: M du + G^T impulse = 0. Where a handler has disabled a
    constraint and enabled another one, the new one takes the impulse that this needs.
    """

    @abstractmethod
    def apply_impulse(self, constraint: Constraint, restitution: ArrayLike = 0.0) -> None:
        """Change u by an impulse along the rows of a constraint. Its velocity errors are multiplied by -restitution.

        restitution  one number, or one for each row of the constraint

        The velocity errors of all other enabled constraints become 0. The constraint itself need not be enabled: a contact that acts by
        impacts only can be a constraint that is always disabled. Realizes the State to VELOCITY.

        Source: Newton's law of impact; M du + G^T impulse = 0.
        """


@final
@dataclass(frozen=True)
class Impulse(Action):
    """restitution: where there is one for each row of the constraint"""

    constraint: Constraint
    restitution: Slot

    def in_c(self, layout: Layout) -> Struct:
        return Struct("Instruction", kind=constant("DO_IMPULSE"), number=impulse_block(self.constraint, layout), at=self.restitution.offset)


@final
class RecordedEventActions(RecordedActions, EventActions):
    """The actions of a handler that is being recorded, in a System with matter."""

    def apply_impulse(self, constraint: Constraint, restitution: ArrayLike = 0.0) -> None:
        n = n_impulse_rows(constraint, self.about)
        each = as_numbers(restitution, () if np.ndim(restitution) == 0 else (n,), f"{self.about}: the restitution")
        self.ask(Impulse(constraint, self.keep(np.broadcast_to(each, (n,)))), reached=Stage.VELOCITY)


def n_impulse_rows(constraint: Any, about: str) -> int:
    """The number of a constraint's velocity errors. Raises InputError if no impulse can act along its rows."""
    if not isinstance(constraint, Constraint) or constraint.n_velocity_errors == 0:
        is_constraint = isinstance(constraint, Constraint)
        why = f"'{constraint.name}' restricts no velocities" if is_constraint else f"{constraint!r} is not a constraint"
        raise InputError(f"{about}: an impulse needs a constraint of positions or velocities; {why}.")
    if constraint.is_unilateral:
        raise InputError(f"{about}: '{constraint.name}' is unilateral, and the run computes its impulses. Set u, or let the contact close.")
    if constraint.compliant_rows:
        raise InputError(
            f"{about}: '{constraint.name}' is compliant, so no impulse can act along its rows. Remove its compliance, or set u."
        )
    return constraint.n_velocity_errors


def impulse_block(constraint: Constraint, layout: Layout) -> int:
    """The number of a constraint's block in the table of rows of the C runtime."""
    sweeps = constraint.matter.constraint_sweeps(layout)
    return sweeps.table.block_at(sweeps.lines(constraint).start)
