"""Errors of steps that a master can answer."""

from typing import final

from mobod.errors import FmuError, MobodError


@final
class SimulationEndedError(FmuError):
    """A component has ended the simulation within a step, as the standard allows. A master then ends the run.

    time  s, time of the end and of the instance
    log   what it says of it, for the message
    """

    def __init__(self, name: str, time: float, log: object, *, noun: str = "FMU") -> None:
        super().__init__(f"{noun} '{name}' ended the simulation at {time:.12g} s. {log}")
        self.name = name
        self.time = time


@final
class StepDiscardedError(FmuError):
    """A component could not complete a step, but may complete a shorter one from a state saved before.

    reached  s, time that it reached; None if it does not report it
    """

    def __init__(self, message: str, reached: float | None) -> None:
        super().__init__(message)
        self.reached = reached


@final
class NotConvergedError(MobodError):
    """The iteration of a coupled step did not converge. A shorter step may."""
