"""Why a realization fails: bodies without mass, coordinates near a singularity, forces that are not finite."""

from typing import NoReturn

import numpy as np

from mobod.errors import MassPropertiesError, SingularMechanismError
from mobod.matter.bodies.body import MobilizedBody, MobilizedBodyOwner
from mobod.matter.constraint import ConstraintOwner
from mobod.system import State

# mobilizers without the motions for which a line or a point has no inertia
OTHER_MOBILIZERS = {
    "Free": "use a FreeLine (of a rod along its z axis) or a Translation (of a point mass), ",
    "Ball": "use a LineOrientation (of a rod along its z axis), ",
}


def check_masses(matter: MobilizedBodyOwner) -> None:
    """Raise MassPropertiesError for a massless terminal body that can move: its acceleration would be infinite."""
    with_children = {body.parent.index for body in matter.bodies}
    for body in matter.bodies:
        if body.index not in with_children and body.nu and body.body.mass_properties.mass == 0 and not _has_rotors(body):
            raise MassPropertiesError(
                f"body '{body.name}' ends its branch of the tree, can move ({type(body).__name__}), and has no mass: any force would "
                "give it an infinite acceleration. Give it mass and inertia, weld it to its parent, or put a body with mass on it."
            )


def _has_rotors(body: MobilizedBody) -> bool:
    """Whether rotors resist each of its motions."""
    return {speed for rotor in body.rotors if rotor.inertia > 0 for speed in rotor.speeds} == set(range(body.nu))


def explain_failure(matter: MobilizedBodyOwner, state: State) -> str:
    """A message for each mobilizer whose coordinates are at or near a singularity; '' if there are none."""
    reasons = [(body, body.equations_in(state).why_singular(body.q(state))) for body in matter.bodies]
    return " ".join(f"Mobilizer '{body.name}' ({type(body).__name__}): {reason}." for body, reason in reasons if reason)


def explain_not_finite(matter: ConstraintOwner, state: State) -> NoReturn:
    """Raise SingularMechanismError for accelerations that are not finite. It names the outermost mobilizer without inertia, or else the
    forces.
    """
    tree = matter.tree(state.layout)
    for body in reversed(matter.bodies):
        if body.nu and not np.isfinite(state.values[tree.D_inverse(body).slice]).all():
            reason = body.equations_in(state).why_singular(body.q(state))
            other = OTHER_MOBILIZERS.get(type(body).__name__, "")
            remedy = f". That comes from its coordinates: {reason}." if reason else f"; give them mass and inertia, {other}or weld it."
            if matter.constraints and not reason:
                remedy += (
                    " Constraints replace no inertia, unless welds, constant orientations or angles hold the body's orientation in Ground."
                )
            raise SingularMechanismError(
                f"mobilizer '{body.name}' ({type(body).__name__}) at time {state.time:g} s: nothing resists a motion along it, so "
                f"its acceleration is not finite. The body and all that it carries have no inertia along that motion{remedy}"
            )
    for subsystem in matter.system.subsystems:
        subsystem.check_finite(state)
    for what, slot in (("body", tree.slots.body_forces), ("generalized", tree.slots.mobility_forces)):
        if not np.isfinite(state.values[slot.slice]).all():
            raise SingularMechanismError(
                f"the sum of the {what} forces is not finite at time {state.time:g} s. Check the forces of System '{matter.system.name}'."
            )
    raise SingularMechanismError(
        f"accelerations are not finite at time {state.time:g} s though all forces are; q and u may be too large: {state.y}. "
        f"{explain_failure(matter, state)}".rstrip()
    )
