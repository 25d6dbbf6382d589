"""Speeds, displacements or accelerations closest to unconstrained ones that satisfy bilateral and unilateral rows, and the multipliers.

    minimum over u of  1/2 (u - u*)^T M (u - u*)   with   G u = b_g,   N u >= b_n

with multipliers that satisfy

    M (u - u*) = G^T lambda + N^T theta,   theta = clip(theta - w, lower, upper),   w = N u - b_n

The second condition combines the signs of theta, the unilateral rows and complementarity; for equations it is w = 0.
fmu_src/native/linear_algebra/quadratic_program.h describes the method and its sources.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from mobod.errors import InputError
from mobod.numerics.array_checks import checked_names, shaped, shaped_bounds, shaped_rows
from mobod.numerics.complementarity import active_and_dependent, failure
from mobod.runtime.library import doubles, ffi, ints, reals_at, runtime, workspace


@final
@dataclass(frozen=True)
class QuadraticSolution:
    """Solution for n unknowns, k equations and m unilateral rows.

    u                       (n,)
    equality_multipliers    (k,)  lambda: M (u - u*) = G^T lambda + N^T theta
    inequality_multipliers  (m,)  theta
    active                  unilateral rows that hold as equations; of dependent rows, only those that are needed
    dependent               equations that are combinations of the others; their multipliers are zero
    contradiction           relative contradiction between dependent rows
    stationarity            relative residual of M (u - u*) = G^T lambda + N^T theta
    complementarity         relative residual of the rows and the signs of their multipliers
    n_steps                 number of rows that were added to or removed from the active set
    """

    u: np.ndarray
    equality_multipliers: np.ndarray
    inequality_multipliers: np.ndarray
    active: tuple[int, ...]
    dependent: tuple[int, ...]
    contradiction: float
    stationarity: float
    complementarity: float
    n_steps: int


def solve_quadratic_program(
    M: ArrayLike,
    u_star: ArrayLike,
    G: ArrayLike = (),
    b_g: ArrayLike = (),
    N: ArrayLike = (),
    b_n: ArrayLike = (),
    *,
    lower: ArrayLike = 0.0,
    upper: ArrayLike = np.inf,
    least_squares: bool = False,
    names: Sequence[str] | None = None,
) -> QuadraticSolution:
    """The u closest to u_star, in the norm of M, with G u = b_g and N u >= b_n.

    M              (n, n)        symmetric and positive definite; only its lower triangle is read
    u_star         (n,)
    G, b_g         (k, n), (k,)  equations
    N, b_n         (m, n), (m,)  unilateral rows
    lower, upper   () or (m,)    bounds of theta. At the upper bound the row may be violated, N u <= b_n, as by a brake at its limit
    least_squares  contradictory equations are solved in the least-squares sense, each relative to its length, instead of raising an error
    names          (k + m,)      names of the rows of G, then of N, for messages

    Raises InputError for wrong shapes, numbers that are not finite, and a matrix that is not positive definite; InfeasibleError if rows
    contradict each other; ComplementarityError if round-off prevents a solution.
    """
    M, u_star = shaped(M, "M", 2), shaped(u_star, "u_star", 1)
    n = len(u_star)
    if M.shape != (n, n):
        raise InputError(f"M has shape {M.shape}. For {n} unknowns it must be ({n}, {n}).")
    G, b_g = shaped_rows(G, b_g, n, "G", "b_g")
    N, b_n = shaped_rows(N, b_n, n, "N", "b_n")
    lower, upper = shaped_bounds(lower, upper, len(N))
    names = checked_names(names, len(G), len(N))
    J, b, k, m = np.concatenate([G, N]), np.concatenate([b_g, b_n]), len(G), len(G) + len(N)

    library, u = runtime(), np.empty(n)
    reals, integers = workspace(library.mobod_quadratic_program_reals(n, m), library.mobod_quadratic_program_integers(n, m))
    program = ffi.new("QuadraticProgram *", {"reals": doubles(reals), "integers": ints(integers)})
    arrays = [doubles(each) for each in (M, u_star, J, b, lower, upper)]
    outcome = library.mobod_solve_quadratic_program(program, n, m, k, *arrays, least_squares, doubles(u))
    if outcome == library.ROWS_NOT_POSITIVE:
        raise InputError(
            f"M is not positive definite: the factorization fails in row {program.not_positive}. No mechanism has such a mass matrix."
        )
    if outcome != library.ROWS_SOLVED:
        problem = {"M": M, "u_star": u_star, "G": G, "b_g": b_g, "N": N, "b_n": b_n, "lower": lower, "upper": upper}
        raise failure(outcome, program.rows, program.complementarity, program.stationarity, names, problem)
    active, dependent = active_and_dependent(program.rows)
    multipliers = reals_at(program.rows.multipliers, m)
    return QuadraticSolution(
        u=u,
        equality_multipliers=multipliers[:k],
        inequality_multipliers=multipliers[k:],
        active=active,
        dependent=dependent,
        contradiction=program.rows.contradiction,
        stationarity=program.stationarity,
        complementarity=program.complementarity,
        n_steps=program.rows.active_set.n_steps,
    )
