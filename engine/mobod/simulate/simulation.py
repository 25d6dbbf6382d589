"""Simulation: from a State to its future."""

from collections.abc import Callable
from math import isfinite
from typing import Any

import numpy as np

from mobod.errors import InputError
from mobod.simulate.results import Results
from mobod.simulate.stepper import METHODS, Stepper
from mobod.system import State, System


class Simulation:
    """Integrates a System in time.

    accuracy    of each step, relative to 1 + |y|; the error at the end of a run is of that order for a well-behaved system
    integrator  'DOP853' (default), 'RK45', 'RK23'; 'Radau' for stiff systems
    max_step    s, an upper bound of the steps
    """

    def __init__(self, system: System, accuracy: float = 1e-6, *, integrator: str = "DOP853", max_step: float = np.inf):
        if not 1e-14 <= accuracy <= 0.1:
            raise InputError(f"Simulation: the accuracy must lie between 1e-14 and 0.1, not be {accuracy!r}.")
        if integrator not in METHODS:
            raise InputError(f"Simulation: there is no integrator '{integrator}'. There are: {', '.join(METHODS)}.")
        if not max_step > 0:
            raise InputError(f"Simulation: max_step must be positive, not {max_step!r} s.")
        self.system = system
        self.accuracy = accuracy
        self.integrator = integrator
        self.max_step = max_step

    def run(
        self, state: State, until: float, report_every: float | None = None, *, progress: Callable[[float, float], Any] | None = None
    ) -> Results:
        """Simulate from the State's time; the State itself is left alone.

        until         s, the end
        report_every  s, the interval of the recorded points, beginning with the start; the end is always one. If left out: each step
        progress      called as progress(time, until) after each step

        Raises IntegrationError, with the time and the cause.
        """
        state.check_belongs_to(self.system)
        start = state.time
        if not (isfinite(until) and until >= start):
            raise InputError(f"Simulation.run: until must be finite and not before the start, {start:g} s, but it is {until!r} s.")
        if report_every is not None and not (isfinite(report_every) and report_every > 0):
            raise InputError(f"Simulation.run: report_every must be positive, not {report_every!r} s.")
        state = state.copy()
        report_times = _report_times(start, until, report_every)
        stepper = Stepper(self.system, state, until, accuracy=self.accuracy, method=self.integrator, max_step=self.max_step)
        times, ys = [start], [stepper.y]
        while not stepper.is_done and until > start:
            pending = len(times)
            interpolant = stepper.step(lambda time, pending=pending: report_times is not None and _any_before(report_times, pending, time))
            while interpolant is not None and report_times is not None and _any_before(report_times, len(times), stepper.time):
                time = report_times[len(times)]
                times.append(time)
                ys.append(stepper.normalized(np.array(interpolant(time))))
            if report_times is None or (stepper.is_done and times[-1] != until):
                times.append(stepper.time)
                ys.append(stepper.y)
            if progress is not None:
                progress(stepper.time, until)
        state.time = until
        state.y = ys[-1]
        return Results(self.system, state, times, ys, integrator=self.integrator, steps=stepper.steps, evaluations=stepper.evaluations)


def _report_times(start: float, until: float, every: float | None) -> list[float] | None:
    """start + k every, without a running sum, up to but not at `until`, which is reported in any case."""
    if every is None:
        return None
    count = int(np.ceil((until - start) / every - 1e-9))
    return [start + k * every for k in range(max(count, 1))]


def _any_before(times: list[float], number: int, time: float) -> bool:
    return number < len(times) and times[number] <= time
