"""Actions that a handler can request from the runtime: decisions that depend on values. They are done in the order of the calls."""

from abc import ABC, abstractmethod
from sys import float_info
from typing import Any

from mobod.system.stage import Stage

NEVER = float_info.max
"""s: the time of an event that is not scheduled."""


class EventActions(ABC):
    """Actions that an event handler can request.

    direction  of a triggered event: 1 if its witness rises, -1 if it falls; 0 for other events. It is a recorded scalar while the handler
               is recorded
    """

    direction: Any

    @abstractmethod
    def terminate_when(self, condition: Any) -> None:
        """End the run at this time if the condition holds, after all handlers of this time."""

    @abstractmethod
    def schedule(self, time: Any) -> None:
        """Call this handler once more at a later time, s. A new request replaces the previous one; NEVER cancels it."""

    @abstractmethod
    def realize(self, stage: Stage | str) -> None:
        """Realize the State to a stage (a Stage or its name), so that values that depend on changed variables can be read."""

    @abstractmethod
    def project(self) -> None:
        """Project q and u to the enabled constraints. Realizes the State to VELOCITY.

        q changes as little as possible. u changes as in an impact without restitution, M du + G^T impulse = 0. If a handler has disabled
        one constraint and enabled another, the new constraint applies the impulse that it needs.

        The runtime always projects after all handlers of one time. Call this only if the handler continues with the projected values.
        """

    @abstractmethod
    def apply_impulse(self, constraint: Any, restitution: Any = 0.0) -> None:
        """Change u by an impulse along the rows of a constraint. Its velocity errors are multiplied by -restitution.

        restitution  one number, or one for each row of the constraint

        The velocity errors of all other enabled constraints become 0. The constraint itself need not be enabled: a contact that acts by
        impacts only can be a constraint that is always disabled. Realizes the State to VELOCITY.

        Source: Newton's law of impact; M du + G^T impulse = 0.
        """

    def terminate(self) -> None:
        """End the run at this time, after all handlers of this time."""
        self.terminate_when(True)
