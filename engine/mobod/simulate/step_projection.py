"""After a step by Python: bring a State to where its constraints hold, and take from an error estimate what that takes away.

Newton's method on the position errors, each step the shortest du that the rows take to the errors, with dq = N du; then the same on the
velocity errors. Simbody's scheme with unit weights (the guide's section 14.5; Eich, SIAM J. Numer. Anal. 30 (1993), on why one may
project after a step). A twin of fmu_src/native/projection.c.

Redundant rows depend on each other where the position errors are 0, and beside it nearly. What of the rows is judged to be one is judged
by how far away it still is (rank_tolerance_beside), and it comes as near as NEAR, whatever is tolerated: there the rank that multipliers
see is that of the manifold too.
"""

from typing import Literal

import numpy as np

from mobod.matter import MatterSubsystem, MultibodySystem
from mobod.numerics import distance_of_errors, factor_rows, rank_tolerance_beside
from mobod.scalar.slot import Slot
from mobod.simulate.failure import Failure
from mobod.simulate.own_errors import project_own, without_own_normal_part
from mobod.simulate.projection import constrained_matter
from mobod.system import Stage, State, System

MOST_ITERATIONS = 20
OVERSHOOT = 0.1  # a projection goes on until the errors are so much smaller than the tolerance
MOST_MOVED = 10.0  # after a step, relative to its accuracy; see moved_too_far
NEAR = 1e-7  # rad or m of coordinates that the errors are away, at most; a tenth of what multipliers take for dependent rows

Level = Literal["position", "velocity"]
LEVELS: tuple[Level, ...] = ("position", "velocity")


def has_known_motions(system: System, state: State) -> bool:
    """Whether motions or locks may set coordinates or speeds, whatever an integrator makes of them."""
    return isinstance(system, MultibodySystem) and system.has_matter and bool(system.matter.tree(state.layout).prescription.bodies)


def project_all(system: System, state: State, tolerance: float) -> Failure | None:
    """Bring the matter to where its constraints hold, then other subsystems to where their own errors are 0; see project."""
    matter = constrained_matter(system)
    failure = None if matter is None else project(matter, state, tolerance)
    return failure or project_own(system, state, tolerance, OVERSHOOT * tolerance, MOST_ITERATIONS)


def project_after_step(system: System, state: State, tolerance: float, accuracy: float) -> Failure | None:
    """As project_all; it fails too if it has to change the matter's q or u, relative to 1 + |y|, by over MOST_MOVED times the accuracy.

    The error estimate leaves out what a projection takes away, since that is of the order of the step's error and no error of the motion
    along the constraints. Neither holds beside a configuration where rows begin to depend on each other, such as a parallelogram with all
    bars in line: errors are divided by how far away it is, and the other way on from there is near.
    """
    matter, y, worst = constrained_matter(system), np.array(state.y), {}
    if matter is not None:
        sweeps = matter.constraint_sweeps(state.layout)
        system.realize(state, Stage.VELOCITY)
        for level in LEVELS:
            errors = np.abs(sweeps.errors(state.values, level))
            worst[level] = sweeps.whose(state.values, level, int(np.argmax(errors))) if errors.size else ""
        failure = project(matter, state, tolerance)
        change = np.abs(state.y - y)
        moved = int(np.argmax(change / (1 + np.abs(y))))
        if failure is None and change[moved] > MOST_MOVED * max(accuracy, 10 * tolerance) * (1 + abs(y[moved])):
            level = "position" if moved < state.layout.n_q else "velocity"
            failure = Failure(worst[level], float(change[moved]), level, moved)
        if failure is not None:
            return failure
    return project_own(system, state, tolerance, OVERSHOOT * tolerance, MOST_ITERATIONS)


def cleaned_error(system: System, state: State, error: np.ndarray) -> np.ndarray:
    """An error of y less what project_all would take away of it, at the State's y."""
    matter = constrained_matter(system)
    cleaned = error if matter is None else without_normal_part(matter, state, error)
    return without_own_normal_part(system, state, cleaned)


def project(matter: MatterSubsystem, state: State, tolerance: float) -> Failure | None:
    """Change q, then u, as little as can be, until no position and no velocity error is larger than the tolerance.

    returns  None, or what is left: q and u are then where it came to
    """
    failure = _project_level(matter, state, tolerance, "position") or _project_level(matter, state, tolerance, "velocity")
    if failure is not None and failure.level == "velocity":
        # rows that depend on each other nearly ask for speeds that differ by what positions may still be off: as near as can be, they agree
        _project_level(matter, state, tolerance, "position", goal=0.0)
        failure = _project_level(matter, state, tolerance, "velocity")
    return failure


def project_positions(matter: MatterSubsystem, state: State, tolerance: float) -> Failure | None:
    """Change q alone; see project."""
    return _project_level(matter, state, tolerance, "position")


def without_normal_part(matter: MatterSubsystem, state: State, error: np.ndarray) -> np.ndarray:
    """An error of y less what a projection would take away of it, at the State's y."""
    layout, system = state.layout, matter.system
    q, of_q = np.array(state.q), error[: layout.n_q]
    own_q, own_u = (_among_y(state, layout.part(kind, matter.index)) for kind in ("q", "u"))
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
    distance = distance_of_errors(G, before)
    cleaned[own_q] -= matter.multiply_by_N(state, _shortest(G, change, distance))
    G = sweeps.active_G(state.values, "velocity")
    cleaned[own_u] -= _shortest(G, G @ error[own_u], distance)
    return cleaned


def _project_level(matter: MatterSubsystem, state: State, tolerance: float, level: Level, *, goal: float | None = None) -> Failure | None:
    """Until the errors are below the goal, or at their least."""
    goal = OVERSHOOT * tolerance if goal is None else goal
    sweeps, system = matter.constraint_sweeps(state.layout), matter.system
    distance, before = np.inf, np.inf
    for iteration in range(MOST_ITERATIONS + 1):
        system.realize(state, Stage.VELOCITY)
        errors = sweeps.errors(state.values, level)
        largest = float(np.abs(errors).max(initial=0.0))
        if level == "position" or iteration == 0:
            distance = distance_of_errors(sweeps.active_G(state.values, "position"), sweeps.errors(state.values, "position"))
        is_done = largest <= goal and (level == "velocity" or distance <= NEAR)
        # near the solution each iteration squares the error: one that does not shrink it has met round-off or diverges
        if is_done or not largest < before or iteration == MOST_ITERATIONS:
            break
        before = largest
        du = _shortest(sweeps.active_G(state.values, level), errors, distance)
        if level == "position":
            q = state.layout.part("q", matter.index)
            state.write(q, state.view(q) - matter.multiply_by_N(state, du), "q", Stage.POSITION)
        else:
            u = state.layout.part("u", matter.index)
            state.write(u, state.view(u) - du, "u", Stage.VELOCITY)
    if largest <= tolerance:
        return None
    return Failure(sweeps.whose(state.values, level, int(np.argmax(np.abs(errors)))), largest, level)


def _shortest(G: np.ndarray, errors: np.ndarray, distance: float) -> np.ndarray:
    """The shortest change of speeds that the rows take to the errors, at a distance from where the constraints hold."""
    return factor_rows(G, rank_tolerance_beside(len(G), distance)).solve(errors)


def _among_y(state: State, slot: Slot) -> slice:
    """Where coordinates or speeds lie in y."""
    first = slot.offset - state.layout.y.offset
    return slice(first, first + slot.size)
