"""Speeds that satisfy the velocity constraints, as close to the given ones as the kinetic energy of their difference allows."""

import numpy as np
import scipy  # whose parts are loaded when they are used

from mobod.matter import MatterSubsystem
from mobod.simulate.failure import Failure
from mobod.system import Stage, State
from mobod.system.scales import Scales
from mobod.system.variable import rate_unit

MOST_ITERATIONS = 20  # one is enough, unless a velocity error is not linear in the speeds
MASSLESS = 1e-12  # part of the mean of the mass matrix's diagonal that motions without inertia get


def satisfy_velocities(matter: MatterSubsystem, state: State, free: np.ndarray, tolerance: float, scales: Scales) -> Failure | None:
    """Change the free speeds (nu,) by du, so that G du removes the velocity errors and du^T M du is least.

    tolerance  relative to the scales
    returns    None, or the largest remaining error
    """
    system, slot = matter.system, matter.tree(state.layout).all_u
    of_rows = np.array([scales.of(unit) for unit in _units(matter, state)])
    before = np.inf
    while True:
        system.realize(state, Stage.VELOCITY)
        errors = matter.constraint_velocity_errors(state)
        error = float(np.max(np.abs(errors) / of_rows, initial=0.0))
        if error == 0 or not error < before:
            break
        before = error
        change = np.zeros(slot.size)
        change[free] = _least(matter.constraint_matrix(state)[: len(errors), free], matter.mass_matrix(state)[np.ix_(free, free)], errors)
        state.write(slot, state.view(slot) - change, "u", Stage.VELOCITY)
    if error <= tolerance:
        return None
    worst = int(np.argmax(np.abs(errors) / of_rows))
    return Failure(matter.constraint_rows(state)[worst], abs(float(errors[worst])), "velocity", unit=_units(matter, state)[worst])


def _least(G: np.ndarray, M: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """The change of speeds with G change = errors and the least kinetic energy; of least squares if there is none."""
    n = len(M)
    if n == 0:
        return np.zeros(0)
    L = np.linalg.cholesky(M + MASSLESS * (np.trace(M) / n or 1.0) * np.eye(n))
    scaled = scipy.linalg.solve_triangular(L, G.T, lower=True).T
    change: np.ndarray = scipy.linalg.solve_triangular(L.T, np.linalg.lstsq(scaled, errors)[0])
    return change


def _units(matter: MatterSubsystem, state: State) -> list[str]:
    """The units of the velocity errors."""
    of_positions: list[str] = []
    of_velocities: list[str] = []
    for each in matter.constraints:
        equations = each.equations
        units = [*map(rate_unit, equations.position_units), *equations.velocity_units]
        for row in each.enabled_rows(state):
            if row < len(units):
                (of_positions if row < len(equations.position_units) else of_velocities).append(units[row])
    return of_positions + of_velocities
