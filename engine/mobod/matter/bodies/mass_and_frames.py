"""Mass properties and frames of a mobilized body in a State: INSTANCE-stage variables.

They can be changed in a State, except entries that recordings have folded: zeros of what the body was made with, and ones of its rotations.
Changing a folded entry raises an error; the defaults can be set to any value.
"""

import numpy as np
from numpy.typing import ArrayLike

from mobod.arguments.real_numbers import real_numbers
from mobod.errors import InputError, UnsupportedError
from mobod.matter.bodies.body_in_tree import BodyInTree, tree_of
from mobod.matter.bodies.flexible_queries import MaybeFlexibleBody, deformed_mass_center, deformed_mass_properties
from mobod.matter.tree.kinematics import SYMMETRIC_ENTRIES, symmetric
from mobod.scalar.slot import Slot
from mobod.spatial import MassProperties, Transform
from mobod.system import Stage, State

_SAME_ORIGIN = 1e-9  # of frames on a flexible body, relative to its size


def mass_center_station(body: MaybeFlexibleBody, state: State) -> np.ndarray:
    """(3,) m: the mass center, from the body's origin, in its frame. At any stage; of a flexible body from POSITION on."""
    if body.flexible is not None:
        return deformed_mass_center(body, state)
    slot = tree_of(body, state).slots.com[body.index]
    return state.view(slot)


def mass_properties(body: MaybeFlexibleBody, state: State) -> MassProperties:
    """The mass properties of the body in this State; those of a flexible body, from POSITION on, follow its deformation."""
    if body.flexible is not None:
        return deformed_mass_properties(body, state)
    slots = tree_of(body, state).slots
    inertia = symmetric(state.view(slots.inertia[body.index]))
    return MassProperties(float(state.view(slots.mass[body.index])), state.view(slots.com[body.index]), inertia)


def set_mass_properties(body: MaybeFlexibleBody, state: State, mass_properties: MassProperties) -> None:
    """Set the mass properties of a rigid body in a State. Invalidates stage INSTANCE."""
    if body.flexible is not None:
        raise UnsupportedError(f"'{body.name}' is flexible: its mass comes from its ModalData, and cannot be set.")
    if not isinstance(mass_properties, MassProperties):
        raise InputError(f"the mass properties of '{body.name}' are MassProperties, not {type(mass_properties).__name__}.")
    slots = tree_of(body, state).slots
    inertia = [mass_properties.inertia[i, j] for i, j in SYMMETRIC_ENTRIES]
    _write_instance(
        body,
        state,
        (slots.mass, mass_properties.mass, "mass"),
        (slots.com, mass_properties.com, "mass center"),
        (slots.inertia, inertia, "inertia"),
    )


def inboard_frame(body: BodyInTree, state: State) -> Transform:
    """X_PF, the pose of frame F on the parent, in this State."""
    slots = tree_of(body, state).slots
    return Transform(state.view(slots.R_PF[body.index]), state.view(slots.p_PF[body.index]))


def set_inboard_frame(body: BodyInTree, state: State, X_PF: Transform) -> None:
    """Set the pose of frame F on the parent in a State. Invalidates stage INSTANCE."""
    slots = tree_of(body, state).slots
    _check_frame(body, X_PF, "inboard")
    _write_instance(body, state, (slots.R_PF, X_PF.R, "rotation of its inboard frame"), (slots.p_PF, X_PF.p, "origin of its inboard frame"))


def outboard_frame(body: BodyInTree, state: State) -> Transform:
    """X_BM, the pose of frame M on the body, in this State."""
    slots = tree_of(body, state).slots
    return Transform(state.view(slots.R_BM[body.index]), state.view(slots.p_BM[body.index]))


def set_outboard_frame(body: MaybeFlexibleBody, state: State, X_BM: Transform) -> None:
    """Set the pose of frame M on the body in a State. Invalidates stage INSTANCE."""
    slots = tree_of(body, state).slots
    _check_frame(body, X_BM, "outboard")
    check_outboard_frame(body, X_BM)
    _write_instance(
        body, state, (slots.R_BM, X_BM.R, "rotation of its outboard frame"), (slots.p_BM, X_BM.p, "origin of its outboard frame")
    )


def check_outboard_frame(body: MaybeFlexibleBody, X_BM: Transform) -> None:
    """Raise UnsupportedError for an origin of M on a flexible body other than that with which it was made."""
    if body.flexible is None:
        return
    origin, size = body.X_BM.p, body.flexible.data.modal.size
    if np.abs(X_BM.p - origin).max() > _SAME_ORIGIN * max(size, float(np.abs(origin).max())):
        raise UnsupportedError(
            f"'{body.name}' is flexible: the origin of its outboard frame is {origin.tolist()} m since it was made, and cannot become "
            f"{X_BM.p.tolist()} m. Its axes may turn."
        )


def _check_frame(body: BodyInTree, X: object, which: str) -> None:
    if not isinstance(X, Transform):
        raise InputError(f"the {which} frame of '{body.name}' is a Transform, not {type(X).__name__}.")


def _write_instance(body: BodyInTree, state: State, *changes: tuple[Slot, ArrayLike, str]) -> None:
    """Write the body's part of each array; if one value is invalid, write none."""
    constants = tree_of(body, state).constants
    writes = []
    for whole, value, what in changes:
        slot, array = whole[body.index], real_numbers(value, f"the {what} of '{body.name}'")
        for k, entry in enumerate(array.ravel()):
            fixed = constants.get(slot.offset + k)
            if fixed is not None and entry != fixed:
                raise InputError(
                    f"the {what} of '{body.name}' has an entry that is fixed at {fixed:g}, and cannot become {entry:g}. Entries that "
                    f"are zero when a body is made are left out of the computation. Make '{body.name}' with another value, or set "
                    "the default value."
                )
        writes.append((slot, array, what))
    for slot, array, what in writes:
        state.write(slot, array, f"{what} of '{body.name}'", Stage.INSTANCE)
