"""modes: natural frequencies, damping ratios and shapes of a System at a State. See System.modes."""

import warnings
from collections.abc import Sequence

import numpy as np

from mobod.analysis.linearize import coordinates_of, linearization
from mobod.analysis.named_numbers import named_numbers
from mobod.analysis.on_constraints import copy_on_constraints
from mobod.errors import InputError, MobodWarning
from mobod.linear.modes import Modes, damped_modes, undamped_modes
from mobod.system import State, System
from mobod.system.boundary import check_state, checked_system

_AT_REST = 1e-6  # rates of speeds and auxiliary variables that count as 0, and speeds


def modes(system: System, state: State, *, damped: bool = True, coordinates: Sequence[str] = ()) -> Modes:
    """Natural frequencies, damping ratios and shapes. See System.modes."""
    checked_system(system, "modes", System)
    check_state(state, system)
    at = copy_on_constraints(system, state, "modes")
    of_q = coordinates_of(system, at)
    made = linearization(system, at, [], of_q, named_numbers(system, at, coordinates, "coordinates"))
    space, A = made.space, made.A
    moving = np.abs(made.rates) > _AT_REST
    moving[: space.n_q] = False  # coordinates turn in steady motion
    if moving.any():
        worst = int(np.argmax(np.abs(made.rates) * moving))
        warnings.warn(
            f"modes: the State is no equilibrium: the rate of '{space.states[worst].name}' is {made.rates[worst]:.3g} in SI units. Use "
            "find_equilibrium first.",
            MobodWarning,
            stacklevel=3,
        )
    names = tuple(entry.name for entry in of_q)
    q_of_x = made.M[len(A) :]
    if damped:
        return damped_modes(A, names, q_of_x)
    if np.abs(at.u).max(initial=0.0) > _AT_REST:
        raise InputError("modes: undamped modes belong to a State at rest. Use damped=True for a steady motion.")
    q, u = slice(0, space.n_q), slice(space.n_q, space.n_q + space.n_u)
    return undamped_modes(A[u, q] @ A[q, u], names, q_of_x[:, q] @ A[q, u])
