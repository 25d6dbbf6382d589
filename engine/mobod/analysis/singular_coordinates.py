"""Coordinates whose rates have no derivatives."""

import numpy as np

from mobod.analysis.tangent_space import matter_of
from mobod.errors import SingularMechanismError
from mobod.system import State, System

_LARGEST = 1e8  # rate of a coordinate for a speed of 1: the derivatives of a larger one have fewer than eight digits


def check_coordinates(system: System, state: State, what: str) -> None:
    """Raise SingularMechanismError if coordinates are at a singularity where their rates, and so a linear system, do not exist."""
    matter = matter_of(system)
    for body in [] if matter is None else matter.bodies:
        equations, q = body.equations_in(state), np.array(body.q(state))
        reason = equations.why_singular(q)
        if not reason:
            continue
        with np.errstate(all="ignore"):
            rates = np.array([equations.q_dot(q, one) for one in np.eye(equations.nu)], dtype=float)
        if not np.abs(rates).max(initial=0.0) <= _LARGEST:
            raise SingularMechanismError(
                f"{what}: the rates of the coordinates of mobilizer '{body.name}' ({type(body).__name__}) have no derivatives here: "
                f"{reason}."
            )
