"""EnsembleResults: the outputs of all runs of an ensemble at the report times."""

from collections.abc import Sequence
from typing import final, overload

import numpy as np

from mobod.ensembles.outputs import OutputTable
from mobod.ensembles.starts import Starts
from mobod.simulate.pickled import reduced
from mobod.system import State
from mobod.system.readable import Readable


@final
class FinalStates(Sequence[State]):
    """The States at the ends of runs. Each is made when it is read."""

    def __init__(self, ends: Starts):
        self._ends = ends

    def __len__(self) -> int:
        return len(self._ends)

    @overload
    def __getitem__(self, number: int) -> State: ...
    @overload
    def __getitem__(self, number: slice) -> list[State]: ...
    def __getitem__(self, number: int | slice) -> State | list[State]:
        chosen = range(len(self))[number]
        return self._ends.state(chosen) if isinstance(chosen, int) else [self._ends.state(each) for each in chosen]


@final
class EnsembleResults(Readable):
    """The results of `Ensemble.run`. `results["lower.q"]` is (run, time), or (run, time, entry) for several numbers.

    time           (k,)       s, the same for all runs
    values         (n, k, m)  of all outputs; NaN after a run has failed, or after an event has ended it
    names, units   of the m numbers: 'lower.q', 'lower.p_GB[1]', ...
    failed         (number of the run, message) for each run that failed
    warnings       (number of the run, message) on anything that makes a run doubtful
    end_times      (n,) s, the time that each run has reached
    terminated_by  of each run: the name of the event that ended it early, or None
    steps          (n,) integration steps
    evaluations    (n,) of the accelerations
    integrator     the methods that were used
    backend        'compiled' or 'interpreted'
    final_states   the State at the end of each run, or at its last good step
    """

    def __init__(
        self,
        time: np.ndarray,
        values: np.ndarray,
        outputs: OutputTable,
        ends: Starts,
        *,
        failed: list[tuple[int, str]],
        warnings: list[tuple[int, str]],
        terminated_by: list[str | None],
        steps: np.ndarray,
        evaluations: np.ndarray,
        integrator: str,
        backend: str,
    ):
        self.time, self.values = time, values
        self.names, self.units = list(outputs.names), list(outputs.units)
        self.failed, self.warnings, self.terminated_by = failed, warnings, terminated_by
        self.end_times, self.steps, self.evaluations = ends.times, steps, evaluations
        self.integrator, self.backend = integrator, backend
        self.final_states = FinalStates(ends)
        self._outputs = outputs.named
        self._system = ends.system

    def __reduce__(self) -> tuple[object, ...]:
        """For pickle, with the System."""
        return reduced(self, self._system)

    def _summary(self) -> str:
        n, k, m = self.values.shape
        end = f", {len(self.failed)} failed" if self.failed else ""
        span = f"{k} points from {self.time[0]:.6g} s to {self.time[-1]:.6g} s"
        return f"of {n} runs: {m} outputs at {span}{end}; {self.steps.sum()} steps of {self.integrator} ({self.backend})"

    def __len__(self) -> int:
        """The number of runs."""
        return len(self.values)

    def __getitem__(self, name: str) -> np.ndarray:
        """An output over runs and times: (n, k), or (n, k, entries). Raises UnknownNameError with the nearest name."""
        return self.values[:, :, self._outputs.columns_of(name)]

    def __contains__(self, name: object) -> bool:
        return name in self._outputs
