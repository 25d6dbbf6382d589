"""SavedRun: a state of a stepped run, to go back to."""

from dataclasses import dataclass
from typing import final

from mobod.system import DiscreteVariable
from mobod.system.readable import Readable


@final
@dataclass(frozen=True, eq=False, repr=False)
class SavedRun(Readable):
    """A state of a `SteppedRun`, made by `run.save()`. It stays valid as long as the run exists, and can be restored many times."""

    time: float
    run: object  # the SteppedRun that made it
    data: bytes
    objects: dict[DiscreteVariable, object]
    n_events: int
    grid: tuple[float, float, int]
    mark: int = 0

    def _summary(self) -> str:
        return f"at {self.time:.9g} s"
