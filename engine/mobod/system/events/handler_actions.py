"""Actions that a handler can request from the runtime: decisions that depend on values. They are done in the order of the calls."""

from abc import ABC, abstractmethod
from sys import float_info
from typing import Any

import numpy as np

from mobod.scalar import Scalar
from mobod.system.stage import Stage

NEVER = float_info.max
"""s: the time of an event that is not scheduled."""


class HandlerActions(ABC):
    """The event that a handler handles. In a System whose elements can be asked for more, a class that adds to this one.

    direction  of a triggered event: 1 if its witness rises, -1 if it falls; 0 for other events. It is a recorded scalar while the handler
               is recorded
    """

    direction: Any

    @abstractmethod
    def terminate_when(self, condition: Scalar | np.bool_) -> None:
        """End the run at this time if the condition holds, after all handlers of this time."""

    @abstractmethod
    def schedule(self, time: Scalar) -> None:
        """Call this handler once more at a later time, s. A new request replaces the previous one; NEVER cancels it."""

    @abstractmethod
    def realize(self, stage: Stage | str) -> None:
        """Realize the State to a stage (a Stage or its name), so that values that depend on changed variables can be read."""

    @abstractmethod
    def project(self) -> None:
        """Project q and u to the enabled constraints. Realizes the State to VELOCITY.

        q changes as little as possible. How u changes follows from the elements that have the constraints.

        The runtime always projects after all handlers of one time. Call this only if the handler continues with the projected values.
        """

    def terminate(self) -> None:
        """End the run at this time, after all handlers of this time."""
        self.terminate_when(True)
