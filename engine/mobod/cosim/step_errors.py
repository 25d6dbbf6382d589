"""Errors of steps that a master can answer."""

from typing import final

from mobod.errors import FmuError, MobodError
from mobod.importer.step_outcome import StepDiscardedError as StepDiscardedError


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
class NotConvergedError(MobodError):
    """The iteration of a coupled step did not converge. A shorter step may."""
