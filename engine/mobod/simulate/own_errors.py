"""Constraint errors of subsystems over their own q and u: bring these to where the errors are 0 (see projection.py).

Each subsystem changes its own q, then its own u, as little as can be. A twin of fmu_src/native/own_errors.c.
"""

import numpy as np

from mobod.numerics import factor_rows
from mobod.simulate.failure import Failure
from mobod.system import Stage, State, System


def project_own(system: System, state: State, tolerance: float, goal: float, most_iterations: int) -> Failure | None:
    """None, or what is left: q and u are then where it came to. goal: of the errors, until which it goes on."""
    for kind, stage, level in (("q", Stage.POSITION, "position"), ("u", Stage.VELOCITY, "velocity")):
        blocks = [each for each in state.layout.errors if each.kind == kind]
        before = np.inf
        for iteration in range(most_iterations + 1 if blocks else 0):
            system.realize(state, stage)
            sizes = [float(np.abs(state.view(each.errors)).max(initial=0.0)) for each in blocks]
            largest = max(sizes)
            if largest <= goal or not largest < before or iteration == most_iterations:
                if not largest <= tolerance:
                    return Failure(blocks[int(np.argmax(sizes))].name, largest, level)
                break
            before = largest
            changes = [factor_rows(np.array(state.view(each.jacobian))).solve(np.array(state.view(each.errors))) for each in blocks]
            for each, change in zip(blocks, changes, strict=True):
                state.write(each.unknowns, state.view(each.unknowns) - change, each.name, stage)
    return None


def without_own_normal_part(system: System, state: State, error: np.ndarray) -> np.ndarray:
    """An error of y less what project_own would take away of it, at the State's y."""
    system.realize(state, Stage.VELOCITY)
    cleaned, first = error.copy(), state.layout.y.offset
    for each in state.layout.errors:
        own = slice(each.unknowns.offset - first, each.unknowns.offset - first + each.unknowns.size)
        J = np.array(state.view(each.jacobian))
        cleaned[own] -= factor_rows(J).solve(J @ error[own])
    return cleaned
