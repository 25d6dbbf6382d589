"""EquilibriumSearch: coordinates, auxiliary variables and inputs at which speeds have no rates, by SciPy; or by a damped motion."""

# Decision: docs/decisions/124-equilibrium-search.md

from collections.abc import Callable, Sequence
from typing import final

import numpy as np
from scipy import linalg
from scipy.optimize import least_squares

from mobod.analysis.jacobian import jacobian, realized
from mobod.analysis.linearization import linearization
from mobod.analysis.named_numbers import state_numbers
from mobod.analysis.tangent_space import error_offsets, free_quaternions
from mobod.compilation.source.scales import error_scales, estimated_scales, y_scales
from mobod.errors import InputError, SingularMechanismError
from mobod.simulate.projection import project_all
from mobod.simulate.run_start import normalize_state
from mobod.system import Stage, State, System
from mobod.system.named_numbers import NamedNumber

_ROUND_OFF = 1e3 * np.finfo(float).eps
_EVALUATIONS = 200
_STEPS = 500  # of the damped motion
_FIRST = 0.01  # time scales, the first of them
_MOST_GROWTH = 0.5  # of a step, times the largest growth rate of small deviations
_LONGEST = 0.3  # change of a coordinate q in such a step, relative to its scale and |q|
_CLOSE = 1e-6  # rates, relative to the scales, from which on SciPy goes on
_UNUSABLE = 1e8  # residual where there are no accelerations


@final
class EquilibriumSearch:
    """Changes a State.

    unknowns   offsets of entries of q, u and z
    inputs     that are unknown as well
    tolerance  of rates and constraint errors, relative to the scales

    The residuals are all u_dot and z_dot, the errors of active constraints, and of the lengths of quaternions, relative to their scales.
    """

    def __init__(self, system: System, state: State, unknowns: Sequence[int], inputs: Sequence[NamedNumber], tolerance: float):
        self.system, self.state, self.tolerance = system, state, tolerance
        self._unknowns, self._inputs = list(unknowns), list(inputs)
        layout = state.layout
        self._along = [*self._unknowns, *(entry.offset for entry in inputs)]
        self._u = state.u.copy()
        self._has_unknown_speeds = any(layout.u.offset <= offset < layout.u.offset + layout.n_u for offset in unknowns)
        self._time, self._y_scales = estimated_scales(system).scales.time, y_scales(system, state)
        self._find_residuals()

    def by_least_squares(self) -> bool:
        """Search from the present values. Returns whether an equilibrium was found; if not, the values are the best ones."""
        self._find_residuals()
        if not self._along:
            return self.is_found()
        lower = [-np.inf if (least := _bounds(entry)[0]) is None else least for entry in self._inputs]
        upper = [np.inf if (most := _bounds(entry)[1]) is None else most for entry in self._inputs]
        n, start = len(self._unknowns), self._x()
        found = least_squares(
            self._residuals_at,
            start,
            self._jacobian_at,
            ([-np.inf] * n + lower, [np.inf] * n + upper),
            x_scale="jac",
            ftol=1e-15,
            xtol=1e-15,
            gtol=1e-15,
            max_nfev=_EVALUATIONS,
        )
        self._move_to(found.x)
        self._clean()
        return self.is_found()

    def by_damped_motion(self, fixed: Sequence[NamedNumber], stops: Callable[[], bool]) -> bool:
        """Follow the motion from rest, with speeds set back in each step, by steps of the implicit Euler method that grow.

        fixed  independent coordinates and speeds that do not change
        stops  asked after each step; True ends the search

        Where all forces are conservative it follows the potential energy downwards, so it finds a stable equilibrium. Returns whether the
        rates became small, or `stops` ended it. Source: pseudo-transient continuation, Kelley and Keyes, SIAM J. Numer. Anal. 35 (1998).
        """
        state, layout = self.state, self.state.layout
        step, known = _FIRST * self._time, [entry.offset for entry in fixed]
        kept = state.values[known]
        for _ in range(_STEPS):
            self._clean()
            try:
                made = linearization(self.system, state, [], [], fixed)
            except (InputError, SingularMechanismError):
                return False
            states, n_q = made.space.states, made.space.n_q
            moving = [i for i, entry in enumerate(states) if entry.offset not in known]
            rates = made.rates.copy()
            rates[:n_q] = 0.0  # of coordinates that turn
            sizes = np.array([self._y_scales[entry.offset - layout.y.offset] for entry in states]) / self._time
            if not (np.abs(rates / sizes)[moving] > _CLOSE).any() or stops():
                y = np.array(state.y)
                y[np.array(known, dtype=int) - layout.y.offset] = kept  # projections have moved them a little
                state.y = y
                return True
            A = made.A[np.ix_(moving, moving)]
            growth = float(linalg.eigvals(A).real.max(initial=0.0))
            if growth * step > _MOST_GROWTH:  # a longer step would lead towards an unstable equilibrium
                step = _MOST_GROWTH / growth
            dx = np.zeros(len(states))
            dx[moving] = np.linalg.solve(np.eye(len(moving)) / step - A, rates[moving])
            dy = made.space.by_states @ dx
            y = np.array(state.y)
            longest = (np.abs(dy) / (self._y_scales + np.abs(y)))[: layout.n_q].max(initial=0.0)
            step *= 2.0 if longest < _LONGEST else 0.5
            y += dy * min(1.0, _LONGEST / longest if longest else 1.0)
            y[layout.n_q : layout.n_q + layout.n_u] = self._u
            state.y = y
        return False

    def is_found(self) -> bool:
        """Whether all residuals are below the tolerance, or round-off."""
        residuals = self._residuals()
        if not (np.abs(residuals) > self.tolerance).any():
            return True
        noise = _ROUND_OFF * np.abs(self._jacobian()) @ np.abs(self._x())
        return not (np.abs(residuals) > self.tolerance + noise).any()

    def what_is_left(self) -> str:
        """A sentence about the largest residual."""
        residuals = np.abs(self._residuals())
        worst, layout = int(np.argmax(residuals)), self.state.layout
        if worst < len(self._rates):
            entry = state_numbers(self.system, self.state)[self._rates[worst] - layout.n_y]
            return f"the rate of '{entry.name}' is still {residuals[worst] * self._sizes[worst]:.3g} {entry.unit} per s"
        return f"an error of the constraints is still {residuals[worst] * self._sizes[worst]:.3g}"

    # inside
    def _find_residuals(self) -> None:
        layout = self.state.layout
        self._rates = [*layout.u_dot.offsets, *layout.z_dot.offsets]
        self._errors = error_offsets(self.system, self.state, "q")
        self._errors += error_offsets(self.system, self.state, "u") if self._has_unknown_speeds else []
        self._quaternions = [layout.q.offset + start for start in free_quaternions(self.system, self.state)]
        of_rates = self._y_scales[layout.n_q :] / self._time
        of_errors = error_scales(self.system, self.state, self._errors)
        self._sizes = np.concatenate([of_rates, of_errors, np.ones(len(self._quaternions))])

    def _x(self) -> np.ndarray:
        return self.state.values[self._along]

    def _move_to(self, x: np.ndarray) -> None:
        state, n = self.state, len(self._unknowns)
        if np.array_equal(x, self._x()) and state.stage >= Stage.ACCELERATION:
            return
        y = np.array(state.y)
        y[np.array(self._unknowns, dtype=int) - state.layout.y.offset] = x[:n]
        state.y = y
        for entry, number in zip(self._inputs, x[n:], strict=True):
            self.system.set_value(state, entry.name, number)

    def _clean(self) -> None:
        """Remove what is left of constraint errors, as runs do."""
        normalize_state(self.state)
        project_all(self.system, self.state, self.tolerance)

    def _residuals_at(self, x: np.ndarray) -> np.ndarray:
        self._move_to(x)
        return self._residuals()

    def _residuals(self) -> np.ndarray:
        try:
            realized(self.system, self.state)
        except SingularMechanismError:
            return np.full(len(self._rates) + len(self._errors) + len(self._quaternions), _UNUSABLE)
        w = self.state.values
        lengths = [w[at : at + 4] @ w[at : at + 4] - 1 for at in self._quaternions]
        residuals: np.ndarray = np.concatenate([w[self._rates], w[self._errors], lengths]) / self._sizes
        return residuals

    def _jacobian_at(self, x: np.ndarray) -> np.ndarray:
        self._move_to(x)
        return self._jacobian()

    def _jacobian(self) -> np.ndarray:
        realized(self.system, self.state)
        J = jacobian(self.system, self.state, [*self._rates, *self._errors], self._along)
        lengths = np.zeros((len(self._quaternions), len(self._along)))
        for row, at in zip(lengths, self._quaternions, strict=True):
            for k in range(at, at + 4):
                if k in self._unknowns:
                    row[self._unknowns.index(k)] = 2 * self.state.values[k]
        derivatives: np.ndarray = np.vstack([J, lengths]) / self._sizes[:, None]
        return derivatives


def _bounds(entry: NamedNumber) -> tuple[float | None, float | None]:
    return entry.variable.minimum, entry.variable.maximum
