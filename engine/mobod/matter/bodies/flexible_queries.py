"""Modal coordinates of a flexible body: methods of mobilized bodies, which rigid ones refuse."""

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from mobod.errors import InputError
from mobod.matter.bodies.body_in_tree import BodyInTree, tree_of
from mobod.matter.bodies.flexible_body import FlexibleBody
from mobod.matter.dynamics.tree import Tree
from mobod.matter.tree.kinematics import symmetric
from mobod.spatial import Inertia, MassProperties, Transform, cross_matrix
from mobod.spatial.component_names import DEFLECTION
from mobod.system import CatalogueVariable, Stage, State


class BodyWithLocks(BodyInTree, Protocol):
    """See MobilizedBody."""

    def lock(self, state: State) -> None: ...

    def unlock(self, state: State) -> None: ...


B_co = TypeVar("B_co", covariant=True)


class PartsOfBody(Protocol[B_co]):
    """See FlexibleParts."""

    @property
    def data(self) -> FlexibleBody: ...

    @property
    def node(self) -> B_co: ...

    @property
    def core(self) -> B_co: ...

    @property
    def members(self) -> Sequence[B_co]: ...

    def interface(self, name: str) -> B_co: ...


class MaybeFlexibleBody(BodyInTree, Protocol):
    """See MobilizedBody."""

    @property
    def X_BM(self) -> Transform: ...

    @property
    def flexible(self) -> PartsOfBody[BodyWithLocks] | None: ...


def eta(body: MaybeFlexibleBody, state: State) -> np.ndarray:
    """(n,) kg^(1/2) m: the modal coordinates of a flexible body; read-only. At any stage."""
    return parts_of(body).node.q(state)


def set_eta(body: MaybeFlexibleBody, state: State, value: ArrayLike) -> None:
    """Set the modal coordinates, (n,) kg^(1/2) m. Invalidates stage POSITION."""
    parts_of(body).node.set_q(state, value)


def eta_dot(body: MaybeFlexibleBody, state: State) -> np.ndarray:
    """(n,) kg^(1/2) m/s: the rates of the modal coordinates; read-only. At any stage."""
    return parts_of(body).node.u(state)


def set_eta_dot(body: MaybeFlexibleBody, state: State, value: ArrayLike) -> None:
    """Set the rates of the modal coordinates, (n,) kg^(1/2) m/s. Invalidates stage VELOCITY."""
    parts_of(body).node.set_u(state, value)


def elastic_energy(body: MaybeFlexibleBody, state: State) -> float:
    """J: the energy of deformation of a flexible body. Needs stage POSITION."""
    node = parts_of(body).node
    slot = tree_of(node, state, Stage.POSITION, "elastic energy").modal.energy(node)
    return float(state.view(slot))


def deflection(body: BodyInTree, state: State) -> np.ndarray:
    """(6,) rad, m: rotation vector and displacement of an interface by the deformation, in the flexible body's axes; from POSITION on."""
    if body.shapes is None:
        raise InputError(f"body '{body.name}' is no interface of a flexible body, so it has no deflection; body.interface(name) gives one.")
    slot = tree_of(body, state, Stage.POSITION, "deflection").modal.deflection(body)
    return state.view(slot).copy()


def lock_modes(body: MaybeFlexibleBody, state: State) -> None:
    """Lock the modal coordinates where they are: the body is then rigid. Its joint can still move."""
    parts_of(body).node.lock(state)


def unlock_modes(body: MaybeFlexibleBody, state: State) -> None:
    """Release the lock of the modes."""
    parts_of(body).node.unlock(state)


def parts_of(body: MaybeFlexibleBody) -> PartsOfBody[BodyWithLocks]:
    """The parts of a flexible body. Raises InputError for a rigid one."""
    if body.flexible is None:
        raise InputError(f"body '{body.name}' is rigid. Only a mobilized body with a FlexibleBody has modes and interfaces.")
    return body.flexible


def check_attachable(body: Any, what: str) -> None:
    """Raise InputError for the frame that carries a deforming inertia: its angular velocity is not the rate of its axes (decision 206).

    what  the element that is to act on it, or to be carried by it
    """
    if getattr(body, "deforming", None) is not None:
        flexible = body.parent.parent.name
        raise InputError(
            f"{what}: '{body.name}' only carries the inertia of the flexible body '{flexible}', which follows the deformation; nothing can "
            f"be attached to it. Attach to '{flexible}', or to one of its interfaces."
        )


def deformed_mass_center(body: MaybeFlexibleBody, state: State) -> np.ndarray:
    """(3,) m: the mass center in the body's frame, with the present deformation. Needs stage POSITION."""
    return deformed_mass_properties(body, state).com


def deformed_mass_properties(body: MaybeFlexibleBody, state: State) -> MassProperties:
    """In the body's frame, with the present deformation. Needs stage POSITION."""
    core = parts_of(body).core
    slots, R_BG = tree_of(core, state, Stage.POSITION, "mass properties").slots, body.X_GB(state).R.T
    mass, com = float(state.view(slots.mass[core.index])), (body.X_GB(state).inverse() @ core.X_GB(state)).p
    central = R_BG @ symmetric(state.view(slots.inertia_G[core.index])) @ R_BG.T
    x = cross_matrix(com)
    return MassProperties(mass, com, Inertia((central + central.T) / 2 - mass * (x @ x)))


def modal_variables(body: BodyInTree, tree: Tree) -> list[CatalogueVariable]:
    """The catalogued variables of a modal node: its elastic energy; of an interface: its deflection."""
    if tree.modal.is_node(body):
        name, slot = f"{body.parent.name}.elastic_energy", tree.modal.energy(body)
        return [CatalogueVariable.output(name, slot, Stage.POSITION, "J", f"energy of the deformation of body '{body.parent.name}'")]
    if tree.modal.is_interface(body):
        units, text = ("rad",) * 3 + ("m",) * 3, f"rotation vector and displacement of '{body.name}' by the deformation, in its body's axes"
        name, slot = f"{body.name}.deflection", tree.modal.deflection(body)
        return [CatalogueVariable.output(name, slot, Stage.POSITION, units, text, components=DEFLECTION)]
    return []
