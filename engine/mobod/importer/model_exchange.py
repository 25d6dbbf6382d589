"""ModelExchange: CVODE integrates the equations of an FMU, and its events are handled."""

from collections.abc import Callable
from functools import partial
from math import inf
from typing import final

import numpy as np

from mobod.errors import UnsupportedError
from mobod.importer.driver import InputDriver
from mobod.importer.exchange_equations import FmuEquations
from mobod.importer.instance import MOST_ROUNDS, FmuInstance
from mobod.importer.recorder import RecordsRows

MOST_STATES = 3000  # CVODE's matrix has their square
ROUND_OFF = 1e-12  # relative, of two times that are meant to be equal


@final
class ModelExchange:
    """A run of an initialized instance, in event mode at the start.

    points     (m,)  s   times of the rows
    tolerance        relative, and in units of the states' nominal values
    steps            of the integrator
    evaluations      of the derivatives
    """

    def __init__(self, instance: FmuInstance, points: np.ndarray, tolerance: float) -> None:
        self.points = points
        self.tolerance = tolerance
        self.steps = 0
        self.evaluations: int | None = 0
        self._instance = instance

    def run(
        self,
        inputs: InputDriver,
        breaks: np.ndarray,
        kinks: np.ndarray,
        recorder: RecordsRows,
        progress: Callable[[float, float], object] | None,
    ) -> str | None:
        """Run to the last point. At an event there are two rows, before and after it.

        breaks  s   times at which inputs jump, or held inputs change
        kinks   s   times at which inputs have kinks

        Returns the name of the FMU if it ended the run, or None.
        """
        instance = self._instance
        try:
            from mobod.importer.cvode import Cvode, SolverError
        except (ImportError, OSError) as error:
            raise UnsupportedError(
                f"{instance.model.path}: model exchange needs SUNDIALS, which fmpy does not bring for this platform: {error}. Export "
                "the model for co-simulation."
            ) from error
        start, stop = float(self.points[0]), float(self.points[-1])
        jumps = _Jumps(inputs, breaks, start)
        equations = FmuEquations(instance, jumps, start)
        self._check_size(equations.n_states)
        recorder.record(start)
        if equations.has_ended:
            return instance.model.name
        hard_points = np.unique(np.concatenate([self.points, breaks, kinks]))
        solver, x = Cvode(equations, start, self.tolerance, (stop - start) / 50), equations.states()
        time, row, rounds, last_event = start, 1, 0, -inf
        while time < stop:
            is_due = equations.next_event - time <= ROUND_OFF * max(abs(time), stop - start)
            is_event: bool | None = False
            if is_due and equations.next_event > time:  # later by round-off: the FMU's event takes place at its own time
                instance.time = time = min(equations.next_event, stop)
                equations.move(time, x)
            if not is_due:
                target = min(_next(hard_points, time), equations.next_event)
                try:
                    time, crosses = solver.advance(target)
                except SolverError as error:
                    raise instance.failure("the run", f"failed. {error}. Choose another --accuracy, or look for the cause") from None
                instance.time = time = target if abs(time - target) <= ROUND_OFF * abs(target) else time
                x = solver.states()
                self.steps += 1
                self.evaluations = solver.evaluations
                is_event = equations.complete_step(time, x)
                is_due = crosses or time >= equations.next_event
            if progress is not None:
                progress(time, stop)
            if is_event is None:
                recorder.record(time)
                return instance.model.name
            if is_event or is_due or time >= jumps.next_time:
                rounds = rounds + 1 if time - last_event <= ROUND_OFF * max(abs(time), stop - start) else 0
                last_event = time
                if rounds > MOST_ROUNDS:
                    raise instance.failure("the run", f"failed: {MOST_ROUNDS} events follow each other without progress in time")
                recorder.record(time)
                after = equations.handle_event(time, x, partial(jumps.take, time))
                recorder.record(time)
                if after is None:
                    return instance.model.name
                x = after
                solver.reset(time)
            elif time >= self.points[row]:
                recorder.record(time)
            while row < len(self.points) - 1 and self.points[row] <= time:
                row += 1
        return None

    def _check_size(self, n_states: int) -> None:
        if n_states > MOST_STATES:
            raise UnsupportedError(
                f"{self._instance.model.path}: it has {n_states} continuous states. Model exchange is for {MOST_STATES} at most, since the "
                "solver keeps a dense matrix. Export the model for co-simulation."
            )


@final
class _Jumps:
    """Inputs that jump at some times, where events are handled, and are smooth between them.

    next_time  s   of the next jump
    """

    def __init__(self, inputs: InputDriver, breaks: np.ndarray, start: float) -> None:
        self._inputs, self._breaks = inputs, breaks
        self.next_time = _next(breaks, start)

    def update(self, time: float) -> None:
        self._inputs.set_continuous(time, before=time >= self.next_time)

    def take(self, time: float) -> None:
        """Let inputs jump in an event, if there is a jump at this time (s)."""
        if time >= self.next_time:
            self._inputs.set_continuous(time)
            self._inputs.set_held(time)
            self.next_time = _next(self._breaks, time)


def _next(times: np.ndarray, time: float) -> float:
    """The first of the times after this one; infinity if there is none."""
    later = int(np.searchsorted(times, time + ROUND_OFF * abs(time), side="right"))
    return float(times[later]) if later < len(times) else inf
