"""Checks of couplings that join bodies of a System."""

import numpy as np

from mobod.couplings.coupling import Coupling
from mobod.couplings.derived_wrenches import complement_and_inverse
from mobod.errors import InputError, UnsupportedError

_DUAL = 1e-6  # largest error of the product of a wrench and a twist
_RANK = 1e-8  # of the twists, relative to the longest


def check_can_be_mobilizer(coupling: Coupling, what: str) -> None:
    """Raises UnsupportedError unless the number of coordinates equals the number of degrees of freedom, and all constraints are rigid."""
    n = 6 - sum(each.is_bilateral for each in coupling.constraints)
    if len(coupling.coordinates) != n:
        raise UnsupportedError(
            f"{what}: {type(coupling).__name__} leaves {n} degrees of freedom and has {len(coupling.coordinates)} coordinates, so it "
            "cannot be "
            "a mobilizer. Put the body on a Free mobilizer, and let the joint close a loop."
        )
    for constraint in coupling.constraints:
        if constraint.is_bilateral and constraint.compliance:
            raise UnsupportedError(
                f"{what}: bilateral constraint {constraint.index} of {type(coupling).__name__} is compliant, and a mobilizer moves along "
                "its "
                "coordinates alone. Put the body on a Free mobilizer, and let the joint close a loop; or leave the compliance out."
            )


def check_wrenches(coupling: Coupling, what: str) -> None:
    """Raises InputError unless, at the stored coordinates, twists are independent, bilateral wrenches do no work on them, and limit
    wrenches are dual to them.
    """
    if not coupling.coordinates:
        return
    kind = type(coupling).__name__
    coordinates = np.array([each.value for each in coupling.coordinates], dtype=float)
    J = coupling.recorded.twists(coordinates)
    diagonal = np.abs(complement_and_inverse(J)[2])
    if not diagonal.min() > _RANK * np.linalg.norm(J, axis=0).max():
        raise InputError(
            f"{what}: the coordinates of {kind} do not move C independently at {coordinates.tolist()}. Use other initial coordinates."
        )
    T = coupling.coordinates_to_TCD(coordinates)
    W = coupling.recorded.rows(T, T, coordinates, np.zeros(6), np.zeros(6))[0]
    for constraint in coupling.constraints:
        work = W[constraint.index] @ J
        if constraint.is_bilateral and np.abs(work).max() > _DUAL:
            worst = coupling.coordinates[int(np.abs(work).argmax())]
            raise InputError(
                f"{what}: bilateral constraint {constraint.index} of {kind} works against coordinate '{worst.name}': its wrench times the "
                f"twist is {work[worst.index]:.3g}, and must be 0. Check wrench_G: it is in frame G, with the force first."
            )
    for coordinate in coupling.coordinates:
        if coordinate.limit_constraint is not None:
            off = W[coordinate.limit_constraint.index] @ J - np.eye(len(coordinates))[coordinate.index]
            if np.abs(off).max() > _DUAL:
                worst = coupling.coordinates[int(np.abs(off).argmax())]
                raise InputError(
                    f"{what}: the limit wrench of coordinate '{coordinate.name}' of {kind} times the velocity is not its rate: for a unit "
                    f"rate of '{worst.name}' the error is {np.abs(off).max():.3g}. Check wrench_G: it is in frame G, with the force first."
                )


def check_unlocked(coupling: Coupling, name: str) -> None:
    """Raises UnsupportedError for locked coordinates, whose locks would be ignored."""
    for coordinate in coupling.coordinates:
        if coordinate.locked:
            kind = type(coupling).__name__
            raise UnsupportedError(f"CouplingJoint '{name}' ({kind}): coordinate '{coordinate.name}' is locked. Lock the body instead.")
