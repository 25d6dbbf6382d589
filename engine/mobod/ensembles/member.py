"""EnsembleMember: one run of an ensemble that is advanced step by step."""

from typing import final

import numpy as np

from mobod.ensembles.live import LiveRuns
from mobod.simulate.run_variables import RunVariables
from mobod.system import State
from mobod.system.readable import Readable


@final
class EnsembleMember(Readable):
    """A run of an Ensemble as it is now: made by `ensemble.member(number)`. `member["lower.q"]` is the present value of a variable.

    number  of the run
    """

    def __init__(self, live: LiveRuns, number: int):
        self._live, self.number = live, number
        self._handles: dict[str, RunVariables] = {}

    @property
    def time(self) -> float:
        """s"""
        return float(self._live.time[self.number])

    @property
    def terminated_by(self) -> str | None:
        """The name of the event that has ended the run, or None."""
        return self._live.terminated_by[self.number]

    @property
    def error(self) -> BaseException | None:
        """The error of a run that has failed; None if it has not."""
        return self._live.failed.get(self.number)

    def raise_error(self) -> None:
        """Raise the error of a run that has failed."""
        if self.error is not None:
            raise self.error

    @property
    def state(self) -> State:
        """The present State, a copy."""
        return self._live.state(self.number)

    def variables(self, *names: str) -> RunVariables:
        """Several variables, which are then read or set together. Raises UnknownNameError with the nearest name."""
        system, state = self._live.system, self._live.base
        chosen = [system.variable(state, name) for name in names]
        return RunVariables(system, state, chosen, self._live.native(self.number), lambda: self.state, self._live.note_states)

    def __getitem__(self, name: str) -> np.ndarray:
        """The present value of a variable, in its shape. Raises UnknownNameError with the nearest name."""
        if name not in self._handles:
            self._handles[name] = self.variables(name)
        handle = self._handles[name]
        return handle.get().reshape(handle.variables[0].slot.shape)

    def _summary(self) -> str:
        end = "" if self.terminated_by is None else f", ended by '{self.terminated_by}'"
        return f"{self.number} at {self.time:.9g} s{end}"
