"""What a handler may ask of the runtime: decisions that are made by value, in the order in which they are asked for."""

from abc import ABC, abstractmethod
from sys import float_info
from typing import Any

from mobod.system.stage import Stage

NEVER = float_info.max
"""s: the time of what is not scheduled."""


class EventActions(ABC):
    """The event that a handler handles.

    direction  of a triggered event: 1 where its witness rises, -1 where it falls; 0 for events with another cause. While the handler is
               recorded it is a recorded number
    """

    direction: Any

    @abstractmethod
    def terminate_when(self, condition: Any) -> None:
        """Have the run end here if the condition holds, once all handlers of this time are done."""

    @abstractmethod
    def schedule(self, time: Any) -> None:
        """Have this handler called at a later time too, s; once, and the last one asked for counts. NEVER takes a call back."""

    @abstractmethod
    def realize(self, stage: Stage | str) -> None:
        """Compute, so that it can be read, what depends on what was set. stage: a Stage, or its name."""

    @abstractmethod
    def project(self) -> None:
        """Bring q and u to where the enabled constraints hold; realizes the State to VELOCITY.

        q changes as little as can be. u changes as in an impact without restitution, by the masses: M du + G^T impulse = 0. Where a
        handler has disabled a constraint and enabled another one, the new one takes the impulse that this needs.

        Done after all handlers in any case; a handler asks for it where it goes on with what comes out.
        """

    @abstractmethod
    def apply_impulse(self, constraint: Any, restitution: Any = 0.0) -> None:
        """Change u by an impulse along the rows of a constraint, such that its velocity errors become -restitution times what they were.

        restitution  one number, or one for each row of the constraint

        The other constraints that are enabled keep what they hold: their velocity errors become 0. The constraint itself need not be
        enabled: a contact that only impacts may be a constraint that is always disabled. Realizes the State to VELOCITY.

        Source: Newton's law of impact; M du + G^T impulse = 0.
        """

    def terminate(self) -> None:
        """Have the run end here, once all handlers of this time are done."""
        self.terminate_when(True)
