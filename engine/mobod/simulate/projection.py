"""Bring a State to where its constraints hold, and take from an error estimate what that takes away.

Newton's method on the position errors, each step the shortest du that the rows take to the errors, with dq = N du; then the same on the
velocity errors. Simbody's scheme with unit weights (the guide's section 14.5; Eich, SIAM J. Numer. Anal. 30 (1993), on why one may
project after a step). A twin of fmu_src/native/projection.c.
"""

from dataclasses import dataclass
from typing import Literal, final

import numpy as np

from mobod.errors import AssemblyError
from mobod.matter import MatterSubsystem, MultibodySystem
from mobod.numerics import factor_rows
from mobod.system import Stage, State, System

MOST_ITERATIONS = 20
OVERSHOOT = 0.1  # a projection goes on until the errors are so much smaller than the tolerance


@final
@dataclass(frozen=True)
class Failure:
    """What is left where a projection did not succeed."""

    constraint: str
    error: float
    level: str


def constrained_matter(system: System) -> MatterSubsystem | None:
    """The matter of a System, if it has constraints."""
    matter = system.matter if isinstance(system, MultibodySystem) and system.has_matter else None
    return matter if matter is not None and matter.constraints else None


def has_known_motions(system: System, state: State) -> bool:
    """Whether motions or locks may set coordinates or speeds, whatever an integrator makes of them."""
    return isinstance(system, MultibodySystem) and system.has_matter and bool(system.matter.tree(state.layout).prescription.bodies)


def project_start(system: System, state: State, tolerance: float) -> None:
    """Raises AssemblyError if the State is not near one in which the constraints hold."""
    matter = constrained_matter(system)
    failure = None if matter is None else project(matter, state, tolerance)
    if failure is not None:
        raise AssemblyError(
            f"System '{system.name}' cannot be brought to where its constraints hold, at {state.time:g} s: the {failure.level} error of "
            f"'{failure.constraint}' is {failure.error:.3g} at the end of the search, and {tolerance:.3g} is allowed. "
            "Give a start that nearly satisfies the constraints."
        )


def project(matter: MatterSubsystem, state: State, tolerance: float) -> Failure | None:
    """Change q, then u, as little as can be, until no position and no velocity error is larger than the tolerance.

    returns  None, or what is left: q and u are then where it came to
    """
    return _project_level(matter, state, tolerance, "position") or _project_level(matter, state, tolerance, "velocity")


def without_normal_part(matter: MatterSubsystem, state: State, error: np.ndarray) -> np.ndarray:
    """An error of y less what a projection would take away of it, at the State's y."""
    layout, system = state.layout, matter.system
    q, of_q, of_u = np.array(state.q), error[: layout.n_q], error[layout.n_q : layout.n_q + layout.n_u]
    sweeps = matter.constraint_sweeps(layout)

    system.realize(state, Stage.POSITION)
    before = sweeps.errors(state.values, "position")
    state.q = q + of_q
    system.realize(state, Stage.POSITION)
    change = sweeps.errors(state.values, "position") - before
    state.q = q
    system.realize(state, Stage.VELOCITY)
    cleaned = error.copy()
    G = sweeps.active_G(state.values, "position")
    cleaned[: layout.n_q] -= _N_du(matter, state, factor_rows(G).solve(change))
    system.realize(state, Stage.VELOCITY)
    G = sweeps.active_G(state.values, "velocity")
    cleaned[layout.n_q : layout.n_q + layout.n_u] -= factor_rows(G).solve(G @ of_u)
    return cleaned


def _project_level(matter: MatterSubsystem, state: State, tolerance: float, level: Literal["position", "velocity"]) -> Failure | None:
    sweeps, system = matter.constraint_sweeps(state.layout), matter.system
    stage, before = (Stage.POSITION if level == "position" else Stage.VELOCITY), np.inf
    for iteration in range(MOST_ITERATIONS + 1):
        system.realize(state, stage)
        errors = sweeps.errors(state.values, level)
        largest = float(np.abs(errors).max(initial=0.0))
        # near the solution each iteration squares the error: one that does not shrink it has met round-off or diverges
        if largest <= OVERSHOOT * tolerance or not largest < before or iteration == MOST_ITERATIONS:
            break
        before = largest
        system.realize(state, Stage.VELOCITY)
        du = factor_rows(sweeps.active_G(state.values, level)).solve(errors)
        if level == "position":
            state.q = state.q - _N_du(matter, state, du)
        else:
            state.u = state.u - du
    if largest <= tolerance:
        return None
    return Failure(sweeps.whose(state.values, level, int(np.argmax(np.abs(errors)))), largest, level)


def _N_du(matter: MatterSubsystem, state: State, du: np.ndarray) -> np.ndarray:
    """dq = N(q) du: q_dot is linear in u, but for known speeds, which are what they are. Takes the State back before VELOCITY."""
    u, q_dots = np.array(state.u), []
    for speeds in (du, 0 * du):
        state.u = speeds
        matter.system.realize(state, Stage.VELOCITY)
        q_dots.append(state.values[state.layout.q_dot.slice].copy())
    state.u = u
    return q_dots[0] - q_dots[1]
