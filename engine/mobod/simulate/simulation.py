"""Simulation: from a State to its future."""

from collections import deque
from collections.abc import Callable
from math import ceil, isfinite
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
        stepper = Stepper(self.system, state, until, accuracy=self.accuracy, method=self.integrator, max_step=self.max_step)
        times, ys = [start], [stepper.y]
        pending = deque(_inner_points(start, until, report_every))
        while not stepper.is_done:
            interpolant = stepper.step(pending[0] if pending else until)
            while interpolant is not None and pending and pending[0] <= stepper.time:
                times.append(pending.popleft())
                ys.append(stepper.normalized(np.array(interpolant(times[-1]))))
            if report_every is None or stepper.is_done:
                times.append(stepper.time)
                ys.append(stepper.y)
            if progress is not None:
                progress(stepper.time, until)
        state.time = until
        state.y = ys[-1]
        return Results(self.system, state, times, ys, integrator=self.integrator, steps=stepper.steps, evaluations=stepper.evaluations)


def _inner_points(start: float, until: float, every: float | None) -> list[float]:
    """start + k every, without a running sum, between the start and the end; round-off does not make one next to the end."""
    if every is None:
        return []
    count = ceil((until - start) / every - 1e-9)
    return [start + k * every for k in range(1, count)]
