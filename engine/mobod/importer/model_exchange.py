"""Model exchange: CVODE integrates the equations of an FMU, and its events are handled."""

# Decision: docs/decisions/109-model-exchange.md

import ctypes
from collections.abc import Callable
from math import inf
from typing import Any, final

import numpy as np

from mobod.errors import UnsupportedError
from mobod.importer.discrete_states import MOST_ROUNDS, update_discrete_states
from mobod.importer.driver import InputDriver
from mobod.importer.instance import FmuInstance
from mobod.importer.recorder import RecordsRows

MOST_STATES = 3000  # CVODE's matrix has their square
ROUND_OFF = 1e-12  # relative, of two times that are meant to be equal


@final
class ModelExchange:
    """The equations of an initialized instance, in event mode at the start.

    points     (m,)  s   times of the rows
    tolerance        relative, and in units of the states' nominal values
    steps            of the integrator
    """

    def __init__(self, instance: FmuInstance, points: np.ndarray, tolerance: float) -> None:
        self.points = points
        self.tolerance = tolerance
        self.steps = 0
        self.evaluations: int | None = 0
        self._instance = instance
        self._inputs = InputDriver(instance, None)
        self._segment_end = inf  # s, of the smooth part of the inputs
        self._next_event = inf  # s, of the FMU's own time events
        description = instance.model.description
        self._derivatives = "GetDerivatives" if instance.fmi_version == "2" else "GetContinuousStateDerivatives"
        if instance.fmi_version == "2":
            self.n_states, self.n_indicators = description.numberOfContinuousStates, description.numberOfEventIndicators
        else:
            self.n_states = self._count("GetNumberOfContinuousStates")
            self.n_indicators = self._count("GetNumberOfEventIndicators")
        # FMI 3.0 says that it is needed, FMI 2.0 that it is not
        capabilities = instance.model.capabilities("model-exchange")
        if instance.fmi_version == "2":
            self._needs_completed_steps = capabilities.get("completedIntegratorStepNotNeeded") is not True
        else:
            self._needs_completed_steps = capabilities.get("needsCompletedIntegratorStep") is True
        if self.n_states > MOST_STATES:
            raise UnsupportedError(
                f"{instance.model.path}: it has {self.n_states} continuous states. Model exchange is for {MOST_STATES} at most, since the "
                "solver keeps a dense matrix. Export the model for co-simulation."
            )

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
        try:
            from mobod.importer.cvode import Cvode, SolverError
        except (ImportError, OSError) as error:
            raise UnsupportedError(
                f"{self._instance.model.path}: model exchange needs SUNDIALS, which fmpy does not bring for this platform: {error}. Export "
                "the model for co-simulation."
            ) from error
        self._inputs = inputs
        start, stop = float(self.points[0]), float(self.points[-1])
        ends_at_start = not self.begin()
        recorder.record(start)
        if ends_at_start:
            return self._instance.model.name
        hard_points = np.unique(np.concatenate([self.points, breaks, kinks]))
        self._segment_end = _next(breaks, start)
        solver = Cvode(self, start, self.tolerance, (stop - start) / 50)
        time, row, rounds, last_event = start, 1, 0, -inf
        while time < stop:
            is_due = self._next_event - time <= ROUND_OFF * max(abs(time), stop - start)
            is_event = wants_event = ends = False
            if is_due and self._next_event > time:  # later by round-off: the FMU's event takes place at its own time
                time = min(self._next_event, stop)
                self._instance.time = time
                self.move(time)
            if not is_due:
                target = min(_next(hard_points, time), self._next_event)
                try:
                    time, is_event = solver.advance(target)
                except SolverError as error:
                    raise self._instance.failure("the run", f"failed. {error}. Choose another --accuracy, or look for the cause") from None
                time = target if abs(time - target) <= ROUND_OFF * abs(target) else time
                self.steps += 1
                self.evaluations = solver.evaluations
                self._instance.time = time
                self.move(time)
                wants_event, ends = self._complete_step()
                is_due = time >= self._next_event
            if progress is not None:
                progress(time, stop)
            if ends:
                recorder.record(time)
                return self._instance.model.name
            if is_event or wants_event or is_due or time >= self._segment_end:
                rounds = rounds + 1 if time - last_event <= ROUND_OFF * max(abs(time), stop - start) else 0
                last_event = time
                if rounds > MOST_ROUNDS:
                    raise self._instance.failure("the run", f"failed: {MOST_ROUNDS} events follow each other without progress in time")
                recorder.record(time)
                ends = self._handle_event(time, breaks)
                recorder.record(time)
                if ends:
                    return self._instance.model.name
                solver.reset(time)
            elif time >= self.points[row]:
                recorder.record(time)
            while row < len(self.points) - 1 and self.points[row] <= time:
                row += 1
        return None

    def begin(self) -> bool:
        """Finish the event at the start and enter continuous-time mode. Returns False if the FMU ends the simulation."""
        if self._ends_at_event():
            return False
        self._instance.call("EnterContinuousTimeMode")
        return True

    def _handle_event(self, time: float, breaks: np.ndarray) -> bool:
        """Enter event mode, let inputs jump if they do, and go on. Returns whether the FMU ends the simulation."""
        self._instance.call("EnterEventMode")
        if time >= self._segment_end:
            self._inputs.set_continuous(time)
            self._inputs.set_held(time)
            self._segment_end = _next(breaks, time)
        if self._ends_at_event():
            return True
        self._instance.call("EnterContinuousTimeMode")
        return False

    # ----------------------------------------------------------------------------------------------------- the equations, for CVODE

    def move(self, time: float) -> None:
        """Set the time and the inputs."""
        self._instance.call("SetTime", time)
        self._inputs.set_continuous(time, before=time >= self._segment_end)

    def set_states(self, states: object) -> None:
        self._instance.call("SetContinuousStates", states, self.n_states)

    def get_states(self, states: object) -> None:
        self._instance.call("GetContinuousStates", states, self.n_states)

    def get_nominals(self, nominals: Any) -> None:
        self._instance.call("GetNominalsOfContinuousStates", nominals, self.n_states)
        for k in range(self.n_states):
            nominals[k] = abs(nominals[k]) or 1.0  # some FMUs say 0

    def get_derivatives(self, derivatives: object) -> None:
        self._instance.call(self._derivatives, derivatives, self.n_states)

    def get_indicators(self, indicators: object) -> None:
        if self.n_indicators:
            self._instance.call("GetEventIndicators", indicators, self.n_indicators)

    # ------------------------------------------------------------------------------------------------------------------- events

    def _ends_at_event(self) -> bool:
        """Update discrete states until they stay. Returns whether the FMU ends the simulation."""
        next_event = update_discrete_states(self._instance)
        if next_event is not None:
            self._next_event = next_event
        return next_event is None

    def _complete_step(self) -> tuple[bool, bool]:
        """Whether the FMU wants an event at the end of this step, and whether it ends the simulation."""
        if not self._needs_completed_steps:
            return False, False
        of_version = ctypes.c_int if self._instance.fmi_version == "2" else ctypes.c_bool
        wants_event, ends = of_version(), of_version()
        self._instance.call("CompletedIntegratorStep", True, ctypes.byref(wants_event), ctypes.byref(ends))
        return bool(wants_event.value), bool(ends.value)

    def _count(self, function: str) -> int:
        number = ctypes.c_size_t()
        self._instance.call(function, ctypes.byref(number))
        return number.value


def _next(times: np.ndarray, time: float) -> float:
    """The first of the times after this one; infinity if there is none."""
    later = int(np.searchsorted(times, time + ROUND_OFF * abs(time), side="right"))
    return float(times[later]) if later < len(times) else inf
