"""What a handler may ask of the runtime: decisions that are made by value, in the order in which they are asked for."""

from abc import ABC, abstractmethod
from sys import float_info
from typing import Any

from mobod.system.stage import Stage

NEVER = float_info.max
"""s: the time of what is not scheduled."""


class HandlerActions(ABC):
    """The event that a handler handles. In a System whose elements can be asked for more, a class that adds to this one.

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

        q changes as little as possible. How u changes follows from the elements that have the constraints.

        Done after all handlers in any case; a handler asks for it where it goes on with what comes out.
        """

    def terminate(self) -> None:
        """Have the run end here, once all handlers of this time are done."""
        self.terminate_when(True)
