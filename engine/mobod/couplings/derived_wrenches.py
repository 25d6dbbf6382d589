"""Wrenches that follow from the coordinates alone: the complement of their twists, and what is dual to them."""

import numpy as np

from mobod.couplings.coupling_methods import CouplingMethods
from mobod.errors import InputError
from mobod.scalar import Array, where
from mobod.scalar.derivative import jvp


def twists_G(coupling: CouplingMethods, coordinates: Array) -> Array:
    """(6, n) velocity of G in D for a unit rate of each coordinate, linear first, in G; can be recorded."""

    def pose(q: Array) -> tuple[Array, Array]:
        T = coupling.coordinates_to_TCD(q)
        return np.asarray(T.R), np.asarray(T.p)

    columns = []
    for e in np.eye(len(coordinates)):
        (R, _), (R_dot, p_dot) = jvp(pose, [coordinates], [e])
        W = R.T @ R_dot  # the cross matrix of the angular velocity in G
        columns.append(np.concatenate([R.T @ p_dot, np.array([W[2, 1], W[0, 2], W[1, 0]])]))
    return np.array(columns).T.reshape(6, len(coordinates))


def complement_and_inverse(J: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For twists J (6, n) of rank n: (6, 6 - n) an orthonormal basis of the wrenches that do no work on them, (n, 6) J^+, (n,) the diagonal
    of R.

    By Householder's reflections without pivoting, so that the basis is a smooth function of J, up to signs, and can be recorded.
    Source: Golub & Van Loan, Matrix Computations (2013), 5.2.2.
    """
    n = J.shape[1]
    R, Q = J, np.eye(6)
    for k in range(n):
        x = R[k:, k]
        length = np.sqrt(x @ x)
        # a sign that changes at 0, as usual, would follow round-off where twists are 0 there by structure
        v = np.array([x[0] + where(x[0] < -length / 2, -length, length), *x[1:]])
        scale = 2 / (v @ v)
        R = np.concatenate([R[:k], R[k:] - scale * np.outer(v, v @ R[k:])])
        Q = np.concatenate([Q[:, :k], Q[:, k:] - scale * np.outer(Q[:, k:] @ v, v)], axis=1)
    inverse: list[object] = [None] * n  # rows of R^-1 Q1^T, from the last
    for i in reversed(range(n)):
        rest = Q[:, i]
        for j in range(i + 1, n):
            rest = rest - R[i, j] * inverse[j]
        inverse[i] = rest / R[i, i]
    return Q[:, n:], np.array(inverse).reshape(n, 6), np.array([R[k, k] for k in range(n)])


def set_derived_wrenches(coupling: CouplingMethods) -> None:
    """Sets the wrenches of all constraints without a constant wrench.

    Raises InputError if the bilateral ones are not as many as the coordinates leave.
    """
    n = len(coupling.coordinates)
    changing = [each for each in coupling.constraints if not each.is_constant]
    bilateral = [each for each in changing if each.is_bilateral]
    others = [each for each in changing if not each.is_bilateral and not each.is_limit]
    if others:
        raise InputError(
            f"{type(coupling).__name__}: the wrench of unilateral constraint {others[0].index}, which limits no coordinate, cannot "
            "be derived from coordinates_to_TCD. Write update_constraints."
        )
    if bilateral and len(bilateral) != 6 - n:
        raise InputError(
            f"{type(coupling).__name__} has {n} coordinates and {len(bilateral)} bilateral constraints whose wrenches are to be derived "
            f"from them. There are {6 - n}: add as many without a wrench, or write update_constraints."
        )
    if not changing:
        return
    complement, dual, _ = complement_and_inverse(twists_G(coupling, np.array([each.value for each in coupling.coordinates])))
    for constraint, wrench in zip(bilateral, complement.T, strict=False):
        constraint.wrench_G = wrench
    for coordinate in coupling.coordinates:
        if coordinate.limit_constraint is not None and not coordinate.limit_constraint.is_constant:
            coordinate.limit_constraint.wrench_G = dual[coordinate.index]
