"""StepOutcome: what the function for a step of co-simulation returned; and the error of a step that the FMU discarded."""

from typing import NamedTuple, final

from mobod.errors import FmuError


class StepOutcome(NamedTuple):
    """What the function returned; all but the status only with FMI 3.0.

    reached  s
    """

    status: int = 0
    needs_event: bool = False
    ends: bool = False
    is_early: bool = False
    reached: float = 0.0


StepEnd = tuple[float, bool, bool]
"""The time (s) that a step reached, whether the FMU stopped at an event, which its host handles, and whether it ended the simulation."""


@final
class StepDiscardedError(FmuError):
    """A component could not complete a step, but may complete a shorter one from a state saved before.

    reached  s, time that it reached; None if it does not report it
    """

    def __init__(self, message: str, reached: float | None) -> None:
        super().__init__(message)
        self.reached = reached


def discard_message(start: float, end: float, reached: float | None) -> str:
    how_far = "it does not say how far it came" if reached is None else f"it came to {reached:.12g} s"
    return f"returned discard: it cannot take this step of {end - start:.6g} s; {how_far}. Look for the cause there, or take shorter steps"
