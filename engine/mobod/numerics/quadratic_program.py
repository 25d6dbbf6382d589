"""Speeds, displacements or accelerations nearest to free ones that meet bilateral and unilateral rows, with the multipliers of the rows.

    minimum over u of  1/2 (u - u*)^T M (u - u*)   with   G u = b_g,   N u >= b_n

Twin of fmu_src/native/quadratic_program.c: the same decisions, and the same solutions to round-off.

With M = L L^T this is the problem of complementarity.py for B = L^-1 [G^T N^T], a = [G; N] u* - b, y = L^T (u - u*). What comes out is
checked against the numbers that came in:

    M (u - u*) = G^T lambda + N^T theta,   theta = clip(theta - w, lower, upper),   w = N u - b_n

of which the second is signs, unilateral rows and complementarity in one; of equations it says w = 0.

Source: Goldfarb & Idnani, A numerically stable dual method for solving strictly convex quadratic programs, Math. Prog. 27 (1983).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from scipy.linalg import lapack

from mobod.errors import InputError
from mobod.numerics.array_checks import checked_array, checked_bounds, checked_names, checked_rows
from mobod.numerics.complementarity import is_certified, not_certified, solve_rows

_SMALLEST = np.finfo(float).tiny


@final
@dataclass(frozen=True)
class QuadraticSolution:
    """Of n unknowns, k equations and m unilateral rows.

    u                       (n,)
    equality_multipliers    (k,)  lambda: M (u - u*) = G^T lambda + N^T theta
    inequality_multipliers  (m,)  theta
    active                  unilateral rows that are met as equations; of rows that depend on each other, those that were needed
    dependent               equations that are combinations of the others; their multipliers are zero
    contradiction           by how much dependent rows contradict each other, relative
    stationarity            what M (u - u*) = G^T lambda + N^T theta misses, relative
    complementarity         what the rows and the signs of their multipliers miss, relative
    n_steps                 how many rows came or went
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
    M: Any,
    u_star: Any,
    G: Any = (),
    b_g: Any = (),
    N: Any = (),
    b_n: Any = (),
    *,
    lower: Any = 0.0,
    upper: Any = np.inf,
    least_squares: bool = False,
    names: Sequence[str] | None = None,
) -> QuadraticSolution:
    """The u nearest to u_star, as M measures, that meets G u = b_g and N u >= b_n.

    M              (n, n)        symmetric and positive definite; its lower triangle is read
    u_star         (n,)
    G, b_g         (k, n), (k,)  equations
    N, b_n         (m, n), (m,)  unilateral rows
    lower, upper   () or (m,)    bounds of theta. At the upper one the row is not met, N u <= b_n, as by a brake at its limit
    least_squares  equations that contradict each other are met as well as they can be, each relative to its length, and are no error
    names          (k + m,)      of the rows of G, then of N, for messages

    Raises InputError for wrong shapes, what is not finite, and a matrix that is not positive definite; InfeasibleError where rows
    contradict each other; ComplementarityError where round-off got the better of the method.
    """
    M, u_star = checked_array(M, "M", 2), checked_array(u_star, "u_star", 1)
    n = len(u_star)
    if M.shape != (n, n):
        raise InputError(f"M has shape {M.shape}. For {n} unknowns it is ({n}, {n}).")
    G, b_g = checked_rows(G, b_g, n, "G", "b_g")
    N, b_n = checked_rows(N, b_n, n, "N", "b_n")
    lower, upper = checked_bounds(lower, upper, len(N))
    names = checked_names(names, len(G), len(N))
    M = np.tril(M) + np.tril(M, -1).T
    L, L_inverse = _factored(M)
    J, b, k = np.vstack([G, N]), np.concatenate([b_g, b_n]), len(G)
    problem = {"M": M, "u_star": u_star, "G": G, "b_g": b_g, "N": N, "b_n": b_n, "lower": lower, "upper": upper}

    size = np.abs(J) @ np.abs(u_star) + np.abs(b)
    found = solve_rows(L_inverse @ J.T, J @ u_star - b, size, k, lower, upper, least_squares, names, problem)
    y, z = found.active_set.y, found.active_set.z
    u, multipliers = u_star + L_inverse.T @ y, found.multipliers

    # entry i of M u is at most sqrt(M_ii) |L^T u|
    unbalanced = np.abs(M @ (u - u_star) - J.T @ multipliers) / np.sqrt(M.diagonal())
    forces = np.linalg.norm(L.T @ u_star) + np.linalg.norm(y) + np.abs(z).sum()
    solution = QuadraticSolution(
        u=u,
        equality_multipliers=multipliers[:k],
        inequality_multipliers=multipliers[k:],
        active=found.active,
        dependent=found.dependent,
        contradiction=found.contradiction,
        stationarity=float(unbalanced.max(initial=0.0) / max(forces, _SMALLEST)),
        complementarity=found.complementarity(J @ u - b),
        n_steps=found.active_set.n_steps,
    )
    if not is_certified(solution.complementarity, solution.stationarity):
        raise not_certified(len(b), solution.complementarity, solution.stationarity, problem)
    return solution


def _factored(M: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """L with M = L L^T, and its inverse."""
    if not len(M):
        return M, M
    L, not_positive = lapack.dpotrf(M, lower=1, clean=1)
    if not_positive:
        raise InputError(f"M is not positive definite: that fails in row {not_positive - 1}. No mechanism has such a mass matrix.")
    return L, np.tril(lapack.dtrtri(L, lower=1)[0])
