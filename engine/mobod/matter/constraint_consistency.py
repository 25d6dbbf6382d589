"""Whether dependent rows ask for accelerations that contradict each other.

A combination N of rows with N^T G = 0 moves nothing, so no force changes what it asks for, N^T bias = 0. That this fails is a contradiction
on the manifold alone. At any other state it says little: rows that depend on each other where all errors are 0 do so beside it nearly
(or fully, where constraints outnumber the mobilities they reach), and ask there for accelerations that differ, the more the larger the
errors are. So what is left is compared with how far the state is from the manifold: the changes of q and u by which a projection would
begin. Trial steps, and states that no one has projected, get the nearest accelerations, as Simbody's do. A row that concerns known motions
alone is one that no projection mends: what it asks for contradicts them wherever the state is.

A twin of fmu_src/native/consistency.c.
"""

import numpy as np

from mobod.errors import InconsistentConstraintsError, SingularMechanismError
from mobod.matter.row_table import CANCELLED, RowTable, at
from mobod.numerics import Factors, distance_of_errors, factor_rows, rank_tolerance, rank_tolerance_beside

_MARGIN = 100.0  # of what is left over what the distance from the manifold explains
_ROUND_OFF = 2.0**-35  # eps^(2/3), of terms that may cancel in a bias


def check_consistent(table: RowTable, w: np.ndarray, active: np.ndarray, factors: Factors) -> None:
    """Raises InconsistentConstraintsError, which names the constraints.

    active   rows of enabled constraints
    factors  of their G M^-1 G^T
    """
    if factors.rank == len(active):
        return
    with np.errstate(all="ignore"):  # a row that is almost 0 asks for nothing
        bias = np.concatenate([np.zeros(0), *(at(w, block.bias) for block in table.blocks)])[active]
        distance = np.where(_concern_known_speeds(table, w)[active], 0.0, _distance(table, w))
        by_terms = (_ROUND_OFF + _MARGIN * distance) * _terms(table, w)[active]  # which may cancel: then what is left is all of the bias
        bias = np.where(np.abs(bias) <= by_terms, 0.0, bias)  # of a small row it is large beside the row
        left = np.abs(factors.A @ factors.solve(bias) - bias)
        size = np.sqrt(np.maximum(factors.A.diagonal(), 0.0))  # of each row, so that rows of all units compare
        size = np.where(size > rank_tolerance(1) * size.max(), size, size.max() or 1.0)
        explained = np.sqrt(rank_tolerance(len(active))) + distance
        wrong = left / size > np.maximum(_MARGIN * explained * np.abs(bias / size).max(), by_terms / size)
    if wrong.any():
        misses = np.zeros(table.n_rows)
        misses[active[wrong]] = left[wrong]
        raise contradiction(table, misses)


def contradiction(table: RowTable, misses: np.ndarray) -> InconsistentConstraintsError:
    """misses   (n_rows,) of rows that contradict each other what the nearest accelerations miss, 0 of the others"""
    names = ", ".join(f"'{name}'" for name in dict.fromkeys(table.names(np.flatnonzero(misses))))
    return InconsistentConstraintsError(
        f"constraints contradict each other: no accelerations satisfy all of {names}; the nearest ones miss by "
        f"{misses.max():.3g} in the unit of the error, by s^2. Remove or disable one, or make what they prescribe agree."
    )


def check_finite(table: RowTable, w: np.ndarray) -> None:
    """Raises SingularMechanismError, which names the first constraint whose own equations are not finite."""
    for block in table.blocks:
        if w[block.enabled.offset] and not np.isfinite(at(w, block.bias)).all():
            raise SingularMechanismError(
                f"constraint '{block.name}': its equations are not finite at these coordinates and speeds. Check its parameters: "
                "a direction, or the quaternion of a frame, must not be 0."
            )


def _concern_known_speeds(table: RowTable, w: np.ndarray) -> np.ndarray:
    """(n_rows,) whether a row has entries at speeds that motions or locks prescribe, and at no others; see constraint_sweeps for E."""
    E = np.abs(at(w, table.E))
    counts = CANCELLED * E.max(axis=1, initial=0.0, keepdims=True) < E
    concern: np.ndarray = counts.any(axis=1) & ~counts[:, ~table.known(w)].any(axis=1)
    return concern


def _distance(table: RowTable, w: np.ndarray) -> float:
    """From the manifold: of q in rad and m, and of u relative to u."""
    blocks = [block for block in table.blocks if w[block.enabled.offset]]
    of_position = [block.first + i for block in blocks for i in range(block.position_errors.size)]
    of_velocity = [block.first + i for block in blocks for i in range(block.velocity_errors.size)]
    G, u = table.G(w) * ~table.known(w), at(w, table.u)
    errors = np.concatenate([np.zeros(0), *(at(w, block.position_errors) for block in blocks)])
    rates = np.concatenate([np.zeros(0), *(at(w, block.velocity_errors) for block in blocks)])
    beside = distance_of_errors(G[of_position], errors)
    dq = factor_rows(G[of_position], rank_tolerance_beside(len(of_position), beside)).solve(errors)
    du = factor_rows(G[of_velocity], rank_tolerance_beside(len(of_velocity), beside)).solve(rates)
    if not du.any():
        return float(np.linalg.norm(dq))
    return float(np.linalg.norm(dq) + np.linalg.norm(du) / max(np.linalg.norm(u), np.finfo(float).tiny))


def _terms(table: RowTable, w: np.ndarray) -> np.ndarray:
    """(n_rows,) how large the terms of each bias are that come from the motion of bodies."""
    terms = np.zeros(table.n_rows)
    for block in table.blocks:
        for (_, K), (V, A_c) in zip(block.on_bodies, block.motions, strict=True):
            size = (at(w, V) ** 2).max() + np.abs(at(w, A_c)).max()
            terms[block.first : block.first + block.n] += size * np.abs(at(w, K)).sum(axis=1)
    return terms
