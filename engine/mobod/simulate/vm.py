"""One integration step after another: SciPy's steppers over a System, with its quaternions kept at unit length."""

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import DOP853, RK23, RK45, DenseOutput, OdeSolver, Radau

from mobod.errors import SingularMechanismError
from mobod.simulate.delays import DelayRecorder
from mobod.simulate.error_estimate import cleaning
from mobod.simulate.failure import not_projected, steps_too_small, stopped_by
from mobod.simulate.projection import Failure, constrained_matter, has_known_motions, project, without_normal_part
from mobod.simulate.quaternions import normalize
from mobod.simulate.run import Run
from mobod.system import Stage, State, System

# one-step methods: a projection after a step would spoil the history of multistep ones
METHODS: dict[str, type[OdeSolver]] = {"RK23": RK23, "RK45": RK45, "DOP853": DOP853, "Radau": Radau}


class Stepper:
    """Error-controlled integration of a State.

    state     where it starts, its quaternions at unit length; what is realized of it changes
    until     s, reached exactly
    accuracy  bound of the local error of a step, relative to 1 + |y|
    method    'DOP853' (order 8), 'RK45', 'RK23', or 'Radau' (implicit, order 5, for stiff systems)
    constraint_tolerance
              bound of position and velocity errors of constraints at the end of a step; by Radau the error estimate keeps the part that
              the projection takes away
    """

    def __init__(
        self,
        system: System,
        state: State,
        until: float,
        *,
        accuracy: float,
        method: str,
        constraint_tolerance: float,
        max_step: float = np.inf,
    ):
        self._matter = constrained_matter(system)
        self._has_known_motions = has_known_motions(system, state)
        self._constraint_tolerance = constraint_tolerance
        self.system = system
        self.state = state
        self.layout = state.layout
        self._auto_updated = state.auto_update_variables
        self._until = until
        self._cause: SingularMechanismError | None = None
        self.evaluations = 0
        self.steps = 0
        self._method = METHODS[method] if self._matter is None else cleaning(METHODS[method], self._without_normal_part)
        self._options = {"rtol": max(accuracy, 100 * np.finfo(float).eps), "atol": accuracy, "max_step": max_step}
        self._solver: Any = self._new_solver()

    def _new_solver(self, first_step: float | None = None) -> OdeSolver:
        """At the State's time and y."""
        return self._method(
            self._rates_or_nan, self.state.time, np.array(self.state.y), self._until, first_step=first_step, **self._options
        )

    @property
    def time(self) -> float:
        return float(self._solver.t)

    @property
    def y(self) -> np.ndarray:
        return np.array(self._solver.y)

    @property
    def is_done(self) -> bool:
        return self.time == self._until

    def rates(self, time: float, y: np.ndarray) -> np.ndarray:
        """y_dot."""
        self.evaluations += 1
        self.state.move_to(time, y)
        self.system.realize(self.state, Stage.ACCELERATION)
        return self.state.values[self.layout.y_dot.slice].copy()

    def step(self, report_time: float, limit: float = np.inf) -> DenseOutput | None:
        """Take one step, not beyond `limit`; returns its interpolant if it went to report_time or past it.

        Raises IntegrationError, with time and cause, when no step is small enough; the State is then at the last good step.
        """
        if self._auto_updated:
            self._update_discrete_variables()
        solver = self._solver
        start, size = (solver.t, solver.y, solver.f), getattr(solver, "h_abs", 0.0)
        solver.t_bound, solver.status = min(limit, self._until), "running"
        while True:
            message = solver.step()
            if solver.status == "failed":
                self._fail(message)
            interpolant = solver.dense_output() if solver.t >= report_time else None
            normalize(self.layout, solver.y, solver.f)
            failure = self._settle()
            if failure is None:
                if solver.t == solver.t_bound and solver.t != self._until:  # a step cut short does not shorten the next one
                    solver.h_abs = max(solver.h_abs, size)
                self.steps += 1
                return interpolant
            step = solver.t - start[0]
            (solver.t, solver.y, solver.f), solver.status = start, "running"
            solver.h_abs = step / 4
            if solver.h_abs < 16 * np.spacing(abs(solver.t)):
                raise not_projected(failure.constraint, failure.error, self.time)

    def restart(self) -> None:
        """Go on from the State, in which something was set."""
        size, left = getattr(self._solver, "h_abs", 0.0), self._until - self.state.time
        self._solver = self._new_solver(min(size, left) if 0 < min(size, left) < np.inf else None)

    def _settle(self) -> Failure | None:
        """Bring the solver's y to where motions and constraints hold; its rates follow."""
        if self._matter is None and not self._has_known_motions:
            return None
        solver = self._solver
        self.state.move_to(solver.t, solver.y)
        self.system.realize(self.state, Stage.VELOCITY)  # sets what is known
        failure = None if self._matter is None else project(self._matter, self.state, self._constraint_tolerance)
        if failure is None and not np.array_equal(self.state.y, solver.y):
            solver.y = np.array(self.state.y)
            solver.f = self._rates_or_nan(solver.t, solver.y)
        return failure

    def _without_normal_part(self, time: float, y: np.ndarray, error: np.ndarray) -> np.ndarray:
        """What a projection leaves of an error of y."""
        if not (np.isfinite(y).all() and np.isfinite(error).all()):
            return error
        assert self._matter is not None
        self.state.move_to(time, y)
        return without_normal_part(self._matter, self.state, error)

    def _update_discrete_variables(self) -> None:
        """Those that update themselves, by what is computed at the start of the step; the rates there may then be others."""
        self.state.move_to(self.time, self._solver.y)
        self.system.realize(self.state, Stage.REPORT)
        self.system.auto_update_discrete_variables(self.state)
        if self.state.stage < Stage.ACCELERATION:
            self._solver.f = self._rates_or_nan(self.time, self._solver.y)

    def _rates_or_nan(self, time: float, y: np.ndarray) -> np.ndarray:
        """NaN where there is no acceleration: the stepper then tries a smaller step."""
        if not np.isfinite(y).all():
            return np.full(len(y), np.nan)
        try:
            return self.rates(time, y)
        except SingularMechanismError as error:
            self._cause = error
            return np.full(len(y), np.nan)

    def _fail(self, message: str) -> None:
        self.state.move_to(self.time, self.y)
        if self._cause is not None:
            raise stopped_by(self._cause, self.time) from self._cause
        raise steps_too_small(self.system, self.state, self.y, self._solver.f, message.rstrip(".").lower())


def run_on_vm(
    system: System,
    state: State,
    until: float,
    report_times: list[float] | None,
    *,
    accuracy: float,
    constraint_tolerance: float,
    method: str,
    max_step: float,
    progress: Callable[[float, float], Any] | None,
) -> Run:
    """Move the State to `until`.

    report_times  between the start and `until`; None: the end of each step. The start and the end are always reported.
    """
    run = Run()
    delays = DelayRecorder(system, state, accuracy)
    max_step = min(max_step, delays.longest_step)
    delays.begin()
    run.report(state.time, np.array(state.y), state)
    with np.errstate(all="ignore"):  # an overflow is a step refused, and told at last in our words
        stepper = Stepper(
            system, state, until, accuracy=accuracy, method=method, constraint_tolerance=constraint_tolerance, max_step=max_step
        )
        pending = deque(report_times or ())
        while not stepper.is_done:
            if delays.pass_stop():
                stepper.restart()
                if state.time == until:
                    run.report(until, stepper.y, state)
                    break
            start = stepper.time
            interpolant = stepper.step(-np.inf if delays else pending[0] if pending else until, delays.next_stop())
            if delays and interpolant is not None:
                state.move_to(stepper.time, stepper.y)
                delays.advance(start, interpolant)
            while interpolant is not None and pending and pending[0] <= stepper.time:
                time = pending.popleft()
                y = np.array(interpolant(time))
                normalize(state.layout, y)
                run.report(time, y, state)
            if report_times is None or stepper.is_done:
                run.report(stepper.time, stepper.y, state)
            if progress is not None:
                progress(stepper.time, until)
    state.time = until
    state.y = run.ys[-1]
    run.steps, run.evaluations = stepper.steps, stepper.evaluations
    return run
