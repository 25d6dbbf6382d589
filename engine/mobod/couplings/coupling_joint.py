"""CouplingJoint: a coupling between two bodies of a System, in the tree or closing a loop."""

# Decision: docs/decisions/061-coupling-joint.md

from typing import Any

from mobod.couplings.coupling import Coupling
from mobod.couplings.coupling_checks import check_unlocked, check_wrenches
from mobod.couplings.coupling_distances import loop_distances
from mobod.couplings.coupling_loop import CouplingLoop
from mobod.couplings.coupling_mobilizer import CouplingMobilizer
from mobod.couplings.unilateral_couplings import CouplingDistances
from mobod.errors import InputError
from mobod.matter import Ground, MobilizedBody, RigidBody
from mobod.spatial import MassProperties, Transform
from mobod.system.elements import checked_frame


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
) -> CouplingMobilizer | CouplingLoop | CouplingDistances:
    """A joint between frame C on body A and frame D on body B, given by a Coupling.

    If both bodies are in the tree already, the joint closes a loop and is a constraint. If one of them is a RigidBody or MassProperties,
    the joint is its mobilizer and the other body is the parent. The coupling's coordinates are then its q. They measure C in D in both
    cases.

    coupling    the coupling; it is copied, so later changes of it have no effect here
    X_AC, X_BD  frames on their bodies; default: the body frames
    X_WD        alternative: pose of D in Ground in the present default State, with C at the same pose. A new body is placed so that its
                own frame is C, unless its frame is given
    restitution between 0 and 1, of its limits and other unilateral constraints

    A run enforces ranges of coordinates and regions by unilateral constraints (see UnilateralConstraint). A loop with only unilateral
    constraints is a UnilateralConstraint itself. Constraints of a loop, limits of coordinates and regions can have a compliance and a
    damping, which are parameters then. A mobilizer has no compliance across its coordinates.

    Raises InputError if twists depend on each other or wrenches are not dual to them. Raises UnsupportedError for a mobilizer whose
    coupling has fewer coordinates than motions, or compliant bilateral constraints; for a loop with an angle range beyond half a turn;
    and, when the System is realized, for locked coordinates.
    """
    what = "CouplingJoint" if name is None else f"CouplingJoint '{name}'"
    if not isinstance(coupling, Coupling):
        raise InputError(f"{what} needs a Coupling, not {type(coupling).__name__}.")
    own = coupling.snapshot()
    new = [isinstance(body, (RigidBody, MassProperties)) for body in (body_A, body_B)]
    if all(new):
        raise InputError(f"{what}: neither body is in the tree. First connect one of them to matter.ground, or to a body in the tree.")
    for body, is_new, which in ((body_A, new[0], "A"), (body_B, new[1], "B")):
        if not is_new and not isinstance(body, (MobilizedBody, Ground)):
            raise InputError(f"{what}: body {which} must be a body of the tree, a RigidBody or MassProperties, not {type(body).__name__}.")
    if X_WD is not None:
        if (X_AC is not None and not new[0]) or (X_BD is not None and not new[1]):
            raise InputError(f"{what}: X_WD defines the frames on bodies of the tree. Give X_WD or the frames, not both.")
        if not isinstance(X_WD, Transform):
            raise InputError(f"{what}: X_WD must be a Transform, not {type(X_WD).__name__}.")
        X_AC = X_AC if new[0] else default_pose(body_A).inverse() @ X_WD
        X_BD = X_BD if new[1] else default_pose(body_B).inverse() @ X_WD
    X_AC, X_BD = (checked_frame(X or Transform(), f"{what}: {which}") for X, which in ((X_AC, "X_AC"), (X_BD, "X_BD")))
    if not any(new):
        check_wrenches(own, what)
        if any(each.is_bilateral for each in own.constraints):
            return CouplingLoop(own, body_A, body_B, X_AC, X_BD, name=name, restitution=restitution)
        check_unlocked(own, what)
        return CouplingDistances(loop_distances(own, X_AC, X_BD, what), body_A, body_B, restitution=restitution, name=name)
    if new[0]:
        joint = CouplingMobilizer(body_B, body_A, X_BD, X_AC, coupling=own, name=name)
    else:
        joint = CouplingMobilizer(body_A, body_B, X_AC, X_BD, coupling=own, name=name, reversed=True)
    joint.keep_ranges(restitution)
    return joint


def default_pose(body: MobilizedBody | Ground) -> Transform:
    """The pose of the body in Ground, in the default State."""
    if isinstance(body, Ground):
        return Transform()
    return default_pose(body.parent) @ body.X_PF @ body.default_transform @ body.X_BM.inverse()
