"""Stepper: one integration step after another by SciPy's solvers, with a System's quaternions kept at unit length."""

from typing import Any

import numpy as np
from scipy.integrate import DOP853, RK23, RK45, DenseOutput, OdeSolver, Radau

from mobod.errors import IntegrationError, SingularMechanismError
from mobod.simulate.error_estimate import cleaning
from mobod.simulate.failure import Failure, moved_too_far, not_projected, state_names, steps_too_small, stopped_by
from mobod.simulate.projection import has_constraints
from mobod.simulate.quaternions import normalize
from mobod.simulate.step_polynomial import DEGREES, StepPolynomial
from mobod.simulate.step_projection import cleaned_error, has_known_motions, project_after_step
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
        self._has_constraints = has_constraints(system, state)
        self._has_known_motions = has_known_motions(system, state)
        self._constraint_tolerance = constraint_tolerance
        self._accuracy = accuracy
        self.system = system
        self.state = state
        self.layout = state.layout
        self._auto_updated = state.auto_update_variables
        self._until = until
        self._cause: SingularMechanismError | None = None
        self.evaluations = 0
        self.steps = 0
        self._method = cleaning(METHODS[method], self._without_normal_part) if self._has_constraints else METHODS[method]
        self._degree = DEGREES[METHODS[method]]
        self._options = {"rtol": max(accuracy, 100 * np.finfo(float).eps), "atol": accuracy, "max_step": max_step}
        self._is_again = False
        self._solver: Any = self._new_solver()
        self._start = self._where()

    def _new_solver(self, first_step: float | None = None) -> OdeSolver:
        """At the State's time and y."""
        return self._method(
            self._rates_or_nan, self.state.time, np.array(self.state.y), self._until, first_step=first_step, **self._options
        )

    def _where(self) -> tuple[float, np.ndarray, np.ndarray, float]:
        solver = self._solver
        return solver.t, solver.y, solver.f, getattr(solver, "h_abs", np.inf)

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

    @property
    def memory(self) -> tuple[float, np.ndarray]:
        """What an explicit method keeps from step to step beside time and y: the size of the next step, s, and y_dot."""
        return float(self._solver.h_abs), np.array(self._solver.f)

    def restart(self, memory: tuple[float, np.ndarray] | None = None) -> None:
        """Go on from the State as it is now; memory: that of a stepper which was there, else y_dot is computed anew."""
        solver, left = self._solver, self._until - self.state.time
        if isinstance(solver, Radau) and left > 0:  # what it keeps of its steps is of no use any more
            self._solver = self._new_solver(min(solver.h_abs, left) if solver.n else None)
            return
        solver.t, solver.y, solver.status = self.state.time, np.array(self.state.y), "running"
        if memory is None:
            solver.f = self._rates_or_nan(solver.t, solver.y)
        else:
            solver.h_abs, solver.f = memory[0], memory[1].copy()

    def head_for(self, until: float) -> None:
        """Go on to another end, reached exactly."""
        self._until = self._solver.t_bound = until
        self._solver.status = "running"

    def step(self, report_time: float, limit: float = np.inf) -> DenseOutput | None:
        """Take one step, not beyond `limit`; returns its interpolant if it went to report_time or past it.

        Raises IntegrationError, with time and cause, when no step is small enough; the State is then at the last good step.
        """
        if self._auto_updated and not self._is_again:
            self._update_discrete_variables()
        self._is_again = False
        solver = self._solver
        self._start = self._where()
        solver.t_bound, solver.status = min(limit, self._until), "running"
        while True:
            message = self._solver_step()
            if solver.status == "failed":
                raise self._failure(message.rstrip(".").lower()) from self._cause
            interpolant = solver.dense_output() if solver.t >= report_time else None
            normalize(self.layout, solver.y, solver.f)
            failure = self._settle()
            has_interpolant = interpolant is None or np.isfinite(interpolant((self._start[0] + solver.t) / 2)).all()
            if failure is None and has_interpolant:
                was_cut_short = solver.t == solver.t_bound and (solver.t != self._until or solver.t - self.start < 0.999 * self._start[3])
                if was_cut_short:  # which does not shorten the next one
                    solver.h_abs = max(solver.h_abs, self._start[3])
                self.steps += 1
                return interpolant
            step = solver.t - self._start[0]
            (solver.t, solver.y, solver.f, _), solver.status = self._start, "running"
            solver.h_abs = step / 4
            if solver.h_abs < 16 * np.spacing(abs(solver.t)):
                if failure is None:
                    raise self._failure("within each step there are times without accelerations") from self._cause
                if failure.moved is None:
                    raise not_projected(failure.constraint, failure.error, self.time)
                raise moved_too_far(failure.constraint, state_names(self.system, self.state)[failure.moved], failure.error, self.time)

    @property
    def start(self) -> float:
        """s, where the last step began."""
        return self._start[0]

    def inside(self, interpolant: DenseOutput) -> StepPolynomial:
        """The last step from within."""
        return StepPolynomial(interpolant, self.start, self.time, self._degree, (self._start[2], self._solver.f))

    @property
    def n_parts(self) -> int:
        """Into how many parts a step is divided to look for crossings: as many as its interpolant has degrees."""
        return self._degree

    def take_back(self) -> None:
        """Go back to where the last step began."""
        solver = self._solver
        (solver.t, solver.y, solver.f, solver.h_abs), self._is_again = self._start, True
        self.steps -= 1

    def _solver_step(self) -> Any:
        """SciPy's message if it fails; the State is where the step began after an error of a user's code."""
        try:
            return self._solver.step()
        except BaseException:
            self.state.move_to(self.time, self._solver.y)
            raise

    def _settle(self) -> Failure | None:
        """Bring the solver's y to where motions and constraints hold; its rates follow."""
        if not self._has_constraints and not self._has_known_motions:
            return None
        solver = self._solver
        self.state.move_to(solver.t, solver.y)
        self.system.realize(self.state, Stage.VELOCITY)  # sets what is known
        failure = project_after_step(self.system, self.state, self._constraint_tolerance, self._accuracy)
        if failure is None and not np.array_equal(self.state.y, solver.y):
            solver.y = np.array(self.state.y)
            solver.f = self._rates_or_nan(solver.t, solver.y)
        return failure

    def _without_normal_part(self, time: float, y: np.ndarray, error: np.ndarray) -> np.ndarray:
        """What a projection leaves of an error of y."""
        if not (np.isfinite(y).all() and np.isfinite(error).all()):
            return error
        self.state.move_to(time, y)
        return cleaned_error(self.system, self.state, error)

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

    def _failure(self, reason: str) -> IntegrationError:
        self.state.move_to(self.time, self.y)
        if self._cause is not None:
            return stopped_by(self._cause, self.time)
        return steps_too_small(self.system, self.state, self.y, self._solver.f, reason)
