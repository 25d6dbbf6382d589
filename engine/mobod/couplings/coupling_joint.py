"""CouplingJoint: a coupling between two bodies of a System, in the tree or closing a loop."""

from typing import Any

import numpy as np

from mobod.couplings.coupling import Coupling
from mobod.couplings.coupling_distances import loop_distances
from mobod.couplings.coupling_loop import CouplingLoop
from mobod.couplings.coupling_mobilizer import CouplingMobilizer
from mobod.couplings.derived_wrenches import complement_and_inverse
from mobod.couplings.rigid_couplings import check_rigid
from mobod.errors import InputError, UnsupportedError
from mobod.matter.body import Ground, MobilizedBody, RigidBody
from mobod.matter.unilateral import UnilateralConstraint
from mobod.spatial import MassProperties, Transform

_DUAL = 1e-6  # what the product of a wrench and a twist may be off
_RANK = 1e-8  # of the twists, relative to the longest


def CouplingJoint(
    coupling: Coupling,
    body_A: Any,
    body_B: Any,
    X_WD: Transform | None = None,
    *,
    X_AC: Transform | None = None,
    X_BD: Transform | None = None,
    restitution: float = 0.0,
    name: str | None = None,
) -> CouplingMobilizer | CouplingLoop | UnilateralConstraint:
    """Connect body A, on which frame C is, with body B, on which frame D is.

    Of two bodies that are in the tree already it closes a loop: a constraint. If one is a RigidBody or MassProperties, the joint is its
    mobilizer, whose parent is the other: the coupling's coordinates are its q, and measure C in D either way.

    coupling    it is copied: later changes of it have no effect here
    X_AC, X_BD  frames on their bodies; default: their own
    X_WD        instead: where D is in Ground, in the default State as it is now; C is there too. A body that is new is put there so that
                its own frame is C, unless its frame is given
    restitution between 0 and 1, of its limits and other unilateral constraints

    A run keeps ranges of coordinates and regions (see UnilateralConstraint). A loop that is unilateral alone is a UnilateralConstraint.

    Raises InputError where twists depend on each other or wrenches are not dual to them; UnsupportedError for a mobilizer whose coupling
    has fewer coordinates than motions, for a loop with a range of an angle beyond half a turn, and, when the System is realized, for
    coordinates that are locked and constraints that are compliant.
    """
    what = "CouplingJoint" if name is None else f"CouplingJoint '{name}'"
    if not isinstance(coupling, Coupling):
        raise InputError(f"{what} takes a Coupling, not {type(coupling).__name__}.")
    own = coupling.snapshot()
    _check_wrenches(own, what)
    new = [isinstance(body, (RigidBody, MassProperties)) for body in (body_A, body_B)]
    if all(new):
        raise InputError(f"{what}: neither body is in the tree. Connect one of them to matter.ground, or to a body that is there, first.")
    for body, is_new, which in ((body_A, new[0], "A"), (body_B, new[1], "B")):
        if not is_new and not isinstance(body, (MobilizedBody, Ground)):
            raise InputError(f"{what}: body {which} is a body of the tree, a RigidBody or MassProperties, not {type(body).__name__}.")
    if X_WD is not None:
        if (X_AC is not None and not new[0]) or (X_BD is not None and not new[1]):
            raise InputError(f"{what}: X_WD says where the frames are on bodies of the tree. Give it, or their frames, not both.")
        if not isinstance(X_WD, Transform):
            raise InputError(f"{what}: X_WD is a Transform, not {type(X_WD).__name__}.")
        X_AC = X_AC if new[0] else default_pose(body_A).inverse() @ X_WD
        X_BD = X_BD if new[1] else default_pose(body_B).inverse() @ X_WD
    X_AC, X_BD = X_AC or Transform(), X_BD or Transform()
    if not any(new):
        if any(each.is_bilateral for each in own.constraints):
            return CouplingLoop(own, body_A, body_B, X_AC, X_BD, name=name, restitution=restitution)
        check_rigid(own, what)
        return UnilateralConstraint(loop_distances(own, X_AC, X_BD, what), (body_B, body_A), restitution=restitution, name=name)
    _check_can_be_mobilizer(own, what)
    if new[0]:
        return CouplingMobilizer(own, body_B, body_A, X_BD, X_AC, name=name, reversed=False, restitution=restitution)
    return CouplingMobilizer(own, body_A, body_B, X_AC, X_BD, name=name, reversed=True, restitution=restitution)


def default_pose(body: MobilizedBody | Ground) -> Transform:
    """In Ground, in the default State."""
    if isinstance(body, Ground):
        return Transform()
    return default_pose(body.parent) @ body.X_PF @ body.default_transform @ body.X_BM.inverse()


def _check_can_be_mobilizer(coupling: Coupling, what: str) -> None:
    n = 6 - sum(each.is_bilateral for each in coupling.constraints)
    if len(coupling.coordinates) != n:
        raise UnsupportedError(
            f"{what}: {type(coupling).__name__} leaves {n} motions and has {len(coupling.coordinates)} coordinates, so it cannot be "
            "a mobilizer. Put the body on a Free mobilizer, and let the joint close a loop."
        )


def _check_wrenches(coupling: Coupling, what: str) -> None:
    """At the stored coordinates: twists are independent, bilateral wrenches do no work on them, limit wrenches are dual to them."""
    if not coupling.coordinates:
        return
    kind = type(coupling).__name__
    coordinates = np.array([each.value for each in coupling.coordinates], dtype=float)
    J = coupling.recorded.twists(coordinates)
    diagonal = np.abs(complement_and_inverse(J)[2])
    if not diagonal.min() > _RANK * np.linalg.norm(J, axis=0).max():
        raise InputError(f"{what}: the coordinates of {kind} do not move C independently at {coordinates.tolist()}. Begin elsewhere.")
    T = coupling.coordinates_to_TCD(coordinates)
    W = coupling.recorded.rows(T, T, coordinates, np.zeros(6), np.zeros(6))[0]
    for constraint in coupling.constraints:
        work = W[constraint.index] @ J
        if constraint.is_bilateral and np.abs(work).max() > _DUAL:
            worst = coupling.coordinates[int(np.abs(work).argmax())]
            raise InputError(
                f"{what}: bilateral constraint {constraint.index} of {kind} works against coordinate '{worst.name}': its wrench times the "
                f"twist is {work[worst.index]:.3g}, and must be 0. Look at wrench_G, which is in frame G, the force first."
            )
    for coordinate in coupling.coordinates:
        if coordinate.limit_constraint is not None:
            off = W[coordinate.limit_constraint.index] @ J - np.eye(len(coordinates))[coordinate.index]
            if np.abs(off).max() > _DUAL:
                worst = coupling.coordinates[int(np.abs(off).argmax())]
                raise InputError(
                    f"{what}: the limit wrench of coordinate '{coordinate.name}' of {kind} times the velocity is not its rate: for a unit "
                    f"rate of '{worst.name}' it is off by {np.abs(off).max():.3g}. Its wrench_G is in frame G, the force first."
                )
