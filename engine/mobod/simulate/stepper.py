"""One integration step after another: SciPy's steppers over a System, with its quaternions kept at unit length."""

from typing import Any

import numpy as np
from scipy.integrate import DOP853, RK23, RK45, DenseOutput, OdeSolver, Radau

from mobod.errors import InputError, IntegrationError, SingularMechanismError
from mobod.system import Stage, State, System

# one-step methods: a projection after a step would spoil the history of multistep ones
METHODS: dict[str, type[OdeSolver]] = {"RK23": RK23, "RK45": RK45, "DOP853": DOP853, "Radau": Radau}


class Stepper:
    """Error-controlled integration of a State.

    state     is moved along; after each step it is realized to nothing in particular
    until     s, reached exactly
    accuracy  bound of the local error of a step, relative to 1 + |y|
    method    'DOP853' (order 8), 'RK45', 'RK23', or 'Radau' (implicit, order 5, for stiff systems)
    """

    def __init__(self, system: System, state: State, until: float, *, accuracy: float, method: str, max_step: float = np.inf):
        if method not in METHODS:
            raise InputError(f"there is no integrator '{method}'. There are: {', '.join(METHODS)}.")
        self.system = system
        self.state = state
        self.layout = state.layout
        self._until = until
        self._quaternions = [slice(offset - self.layout.y.offset, offset - self.layout.y.offset + 4) for offset in self.layout.quaternions]
        self._cause: SingularMechanismError | None = None
        self.evaluations = 0
        self.steps = 0
        start = np.array(state.y)
        self._normalize(start, None)
        self.rates(state.time, start)  # what is wrong at the start is raised as it is
        self._solver: Any = METHODS[method](
            self._rates_or_nan, state.time, start, until, rtol=max(accuracy, 100 * np.finfo(float).eps), atol=accuracy, max_step=max_step
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
        state, layout = self.state, self.layout
        state.values[layout.time.offset] = time
        state.values[layout.y.slice] = y
        state.invalidate(Stage.TIME)
        self.system.realize(state, Stage.ACCELERATION)
        return state.values[layout.y_dot.slice].copy()

    def step(self, report_time: float) -> DenseOutput | None:
        """Take one step; returns its interpolant if it went past report_time.

        Raises IntegrationError, with time and cause, when no step is small enough; the State is then at the last good step.
        """
        message = self._solver.step()
        if self._solver.status == "failed":
            self._fail(message)
        self.steps += 1
        interpolant = self._solver.dense_output() if self._solver.t >= report_time else None
        self._normalize(self._solver.y, self._solver.f)
        return interpolant

    def normalized(self, y: np.ndarray) -> np.ndarray:
        """y with its quaternions at unit length."""
        self._normalize(y, None)
        return y

    def _rates_or_nan(self, time: float, y: np.ndarray) -> np.ndarray:
        """NaN where there is no acceleration: the stepper then tries a smaller step."""
        if not np.isfinite(y).all():
            return np.full(len(y), np.nan)
        try:
            return self.rates(time, y)
        except SingularMechanismError as error:
            self._cause = error
            return np.full(len(y), np.nan)

    def _normalize(self, y: np.ndarray, y_dot: np.ndarray | None) -> None:
        """Quaternions to unit length; their rates, N(q) u with N linear in q, with them, while no other rate depends on the length."""
        for entries in self._quaternions:
            length = np.linalg.norm(y[entries])
            if length == 0:
                raise IntegrationError("a quaternion is zero: it stands for no rotation. Set one of unit length, such as [1, 0, 0, 0].")
            y[entries] /= length
            if y_dot is not None:
                y_dot[entries] /= length

    def _fail(self, message: str) -> None:
        time, y = self.time, self.y
        self.state.values[self.layout.time.offset] = time
        self.state.values[self.layout.y.slice] = y
        self.state.invalidate(Stage.TIME)
        if self._cause is not None:
            raise IntegrationError(f"the integration stopped at {time:.9g} s. {self._cause}") from self._cause
        rate = np.abs(self._solver.f / (1 + np.abs(y)))
        names = [name for variable in self.system.variables(self.state) if variable.role == "state" for name in variable.entry_names()]
        raise IntegrationError(
            f"the integration stopped at {time:.9g} s: the steps that the accuracy asks for are too small ({message.rstrip('.').lower()}). "
            f"The state that changes fastest is '{names[int(np.nanargmax(rate))]}'. Check for forces that are not smooth or not finite; "
            "for a stiff system use integrator='Radau', or ask for less accuracy."
        )
