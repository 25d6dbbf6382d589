"""One simulation in a Python FMU, and its life cycle: what instance.c and values.c are for a native one. Knows nothing of pythonfmu."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntFlag
from math import isfinite
from sys import float_info
from typing import NoReturn, final

import numpy as np

from mobod.errors import InputError, IntegrationError
from mobod.fmu.interface import Row, Settable
from mobod.fmu.python_values import PythonValues
from mobod.simulate.limits import release_contacts
from mobod.simulate.projection import has_constraints, project_all
from mobod.simulate.time_stepper import TimeStepper
from mobod.simulate.velocity_level.fixed_steps import FixedSteps
from mobod.simulate.velocity_level.time_stepper import FixedTimeStepper
from mobod.spatial.checked import unit_vector
from mobod.system import Stage, State, System

METHOD = "RK45"  # that of a native FMU


class Mode(IntFlag):
    """Where an instance is in the life cycle of FMI; see state.h."""

    INSTANTIATED = 1
    INITIALIZATION = 2
    STEP = 4
    TERMINATED = 8
    ERROR = 16


@final
@dataclass(frozen=True)
class Memory:
    """All that an instance remembers.

    state    a copy
    y_start  initial conditions
    stepper  what integration keeps from step to step; None before the first one
    """

    mode: Mode
    has_start: bool
    stop_time: float | None
    tolerance: float
    y_start: np.ndarray
    has_changed: bool
    stepper: tuple[float, np.ndarray] | None
    state: State


@final
class PythonInstance:
    """Each call does what it says or raises a MobodError; one that refuses its arguments changes nothing.

    tolerance    relative accuracy, if the host asks for none
    fixed_steps  None: steps are as long as their error allows
    """

    def __init__(self, system: System, state: State, rows: Sequence[Row], tolerance: float, fixed_steps: FixedSteps | None = None):
        self.mode = Mode.INSTANTIATED
        self.state = state
        self.values = PythonValues(system, state, rows)
        self._system = system
        self._has_constraints = has_constraints(system, state)
        self._host_sets = np.array([row.at for row in rows if row.settable is Settable.ANY_TIME], dtype=np.intp)
        events = system.events.events if system.has_events else []
        self._unforeseen = [event.name for event in events if not (event.recordable or event.is_reporter)]
        self._tolerance = tolerance
        self._has_start = False
        self._stop_time: float | None = None
        self._fixed_steps = fixed_steps
        self._fixed: FixedTimeStepper | None = None  # the one, or
        self._stepper: TimeStepper | None = None  # the other, from the end of initialization on

    def set_up_experiment(self, start_time: float, stop_time: float | None, tolerance: float | None) -> None:
        if not isfinite(start_time):
            raise InputError(f"the start time is {start_time:g} s; give a finite one.")
        if stop_time is not None and not (isfinite(stop_time) and stop_time > start_time):
            raise InputError(f"the stop time, {stop_time:.15g} s, is not after the start time, {start_time:.15g} s.")
        if tolerance is not None and not 1e-14 <= tolerance < 1:
            raise InputError(f"the tolerance is {tolerance:g}; give one from 1e-14, below which round-off is larger, to below 1.")
        self.state.time = start_time
        self._has_start, self._stop_time = True, stop_time
        self._tolerance, self._stepper, self._fixed = tolerance or self._tolerance, None, None

    def enter_initialization(self) -> None:
        if not self._has_start:
            raise InputError("the start time is not known yet; set up the experiment first.")
        self.mode = Mode.INITIALIZATION

    def exit_initialization(self) -> None:
        before = self.remember()
        try:
            self._normalize_quaternions()
            self._settle("start")
            stepper = self._time_stepper()
            stepper.begin()
            stepper.happen()
            self._check_parameters(before)
        except Exception:  # whatever failed: everything stays as it was
            self.recall(before)
            self.state.y = self.values.y_start
            raise
        self.mode = Mode.STEP
        self.values.is_before_start = False
        self.values.has_changed = False

    def do_step(self, start_time: float, step: float) -> str | None:
        """From the current time, which must be start_time but for round-off, to exactly start_time + step, or to where an event ends the
        simulation: that is told then, and at each later call.

        If that fails, time, states and all else stay as they were, and the mode is ERROR.
        """
        end_time = start_time + step
        if not (isfinite(start_time) and step > 0 and isfinite(end_time)):
            raise InputError(f"a step of {step:g} s from {start_time:.15g} s; give finite numbers, and a step above zero.")
        if told := self._termination():
            return told
        self._check_step(start_time, step, end_time)
        before = self.remember()
        try:
            self._integrate(end_time)
            self._check_parameters(before)
        except Exception:  # whatever failed: everything stays as it was
            self.recall(before)
            self.mode = Mode.ERROR
            raise
        return self._termination()

    def terminate(self) -> None:
        """Termination handlers act."""
        self.mode = Mode.TERMINATED
        before = self.remember()
        try:
            self._time_stepper().end()
            self._check_parameters(before)
        except Exception:  # whatever failed: everything stays as it was
            self.recall(before)
            raise

    def _integrate(self, end_time: float) -> None:
        if self.values.has_changed and self.state.stage < Stage.POSITION:
            # a parameter was set: a constraint may be enabled now, or another one than before
            self._settle("state at the start of the step")
        stepper = self._time_stepper()
        stepper.resume(was_set=self.values.has_changed)
        stepper.happen()
        stepper.step_to(end_time)
        self.values.has_changed = False

    def _time_stepper(self) -> TimeStepper | FixedTimeStepper:
        return self._adaptive() if self._fixed_steps is None else self._with_fixed_steps(self._fixed_steps)

    def _with_fixed_steps(self, steps: FixedSteps) -> FixedTimeStepper:
        if self._fixed is None:
            self._fixed = FixedTimeStepper(self._system, self.state, steps, self._tolerance / 10)
        return self._fixed

    def _adaptive(self) -> TimeStepper:
        if self._stepper is None:
            self._stepper = TimeStepper(
                self._system, self.state, accuracy=self._tolerance, constraint_tolerance=self._tolerance / 10, method=METHOD
            )
        return self._stepper

    def _termination(self) -> str | None:
        """What ended the simulation, if anything did."""
        event = self._time_stepper().terminated_by
        return None if event is None else f"event '{event}' has ended the simulation, at {self.state.time:.15g} s."

    def _check_parameters(self, before: Memory) -> None:
        """That no handler set what nobody but the host may; of those that are recorded it is known beforehand what they set."""
        if not self._unforeseen:
            return
        then, now = before.state.values[self._host_sets], self.state.values[self._host_sets]
        for number in np.flatnonzero(then != now)[:1]:
            name = self.values.name_of(int(self._host_sets[number]))
            raise InputError(
                f"variable '{name}' was set from {then[number]:g} to {now[number]:g} by an event handler with recordable = False, of which "
                f"there are {', '.join(map(repr, self._unforeseen))}; but in this FMU it is for the host alone to set. Have the handler "
                f"say that it sets it, sets=['{name}'], and export again."
            )

    # saved states
    def remember(self) -> Memory:
        return Memory(
            mode=self.mode,
            has_start=self._has_start,
            stop_time=self._stop_time,
            tolerance=self._tolerance,
            y_start=self.values.y_start.copy(),
            has_changed=self.values.has_changed,
            stepper=None if self._stepper is None else self._stepper.memory,
            state=self.state.copy(),
        )

    def recall(self, memory: Memory) -> None:
        """Become what an instance of the same System was."""
        if memory.tolerance != self._tolerance:
            self._stepper = self._fixed = None
        self.mode = memory.mode
        self._has_start, self._stop_time, self._tolerance = memory.has_start, memory.stop_time, memory.tolerance
        self.values.y_start[:] = memory.y_start
        self.values.has_changed = memory.has_changed
        self.values.is_before_start = memory.mode in (Mode.INSTANTIATED, Mode.INITIALIZATION)
        self.state.take(memory.state.snapshot())
        if self._fixed_steps is None and (self._stepper is not None or memory.stepper is not None):
            self._adaptive().recall(memory.stepper)

    # inside
    def _check_step(self, start_time: float, step: float, end_time: float) -> None:
        time = self.state.time
        if abs(start_time - time) > _time_slack(time, step):
            raise InputError(f"the step begins at {start_time:.15g} s, but the model is at {time:.15g} s.")
        if not end_time > time:
            raise InputError(f"a step of {step:g} s is too short to change the time, {time:.15g} s.")
        if self._stop_time is not None and end_time - self._stop_time > _time_slack(self._stop_time, step):
            raise InputError(f"the step ends at {end_time:.15g} s, after the stop time, {self._stop_time:.15g} s.")

    def _normalize_quaternions(self) -> None:
        y, layout = np.array(self.state.y), self.state.layout
        for offset in layout.quaternions:
            first = offset - layout.y.offset
            if not y[first : first + 4].any():
                raise InputError(
                    f"the quaternion that begins with '{self.values.name_of(offset)}' is zero. Give its start values a direction."
                )
            y[first : first + 4] = unit_vector(y[first : first + 4])
        if layout.quaternions:
            self.state.y = y

    def _settle(self, what: str) -> None:
        """Bring what a host has set to where constraints hold."""
        if not self._has_constraints or (self._fixed_steps is not None and self._with_fixed_steps(self._fixed_steps).goes_on):
            return
        tolerance = self._tolerance / 10
        release_contacts(self._system, self.state)  # they are decided anew, from what was set
        failure = project_all(self._system, self.state, tolerance)
        if failure is not None:
            self._refuse(what, failure.constraint, failure.level, failure.error, tolerance)
        self._system.realize(self.state, Stage.ACCELERATION)

    @staticmethod
    def _refuse(what: str, constraint: str, level: str, error: float, tolerance: float) -> NoReturn:
        raise IntegrationError(
            f"the {what} does not satisfy constraint '{constraint}': its {level} error is {error:g}, and no way to where it is below "
            f"{tolerance:g} was found. Give values that nearly satisfy it."
        )


def _time_slack(time: float, step: float) -> float:
    """What two numbers for the same time may differ by: the host may add steps up where the instance does not."""
    return 64 * float_info.epsilon * abs(time) + 1e-9 * step
