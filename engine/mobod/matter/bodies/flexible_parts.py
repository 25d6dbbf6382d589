"""The bodies of the tables that a flexible body adds: its modal node, and the frames that its modes move."""

# Decision: docs/decisions/201-flexible.md

from dataclasses import dataclass
from typing import NoReturn, final

import numpy as np
from numpy.typing import ArrayLike

from mobod.errors import InputError, UnknownNameError, UnsupportedError
from mobod.flexible import ModalData
from mobod.flexible.deforming_mass import DeformingMass
from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.bodies.body_in_tree import tree_of
from mobod.matter.bodies.flexible_body import FlexibleBody
from mobod.matter.equations.interface_equations import FrameEquations, ModalEquations
from mobod.matter.equations.motion_equations import Level
from mobod.spatial import Inertia, MassProperties, Transform
from mobod.system import Stage, State


@final
@dataclass(frozen=True, eq=False)
class ModesOfBody:
    """See tree_body.ModalCoordinates."""

    mass: np.ndarray
    damping: np.ndarray
    stiffness: np.ndarray
    scale: float


@final
class ModalNode(MobilizedBody):
    """The modal coordinates of a flexible body: q = eta, u = eta_dot. Made with the body; its frame is the body's, at the origin of M."""

    parent: MobilizedBody

    def __init__(self, flexible: MobilizedBody, data: FlexibleBody):
        modal = data.modal
        self.equations: ModalEquations = data.equations
        self.modes = ModesOfBody(modal.mass, modal.damping, modal.stiffness, modal.scale)
        super().__init__(flexible, MassProperties.massless(), Transform(p=flexible.X_BM.p), name=f"{flexible.name}.modes")

    @property
    def names_of_coordinates(self) -> tuple[str, str]:
        return f"{self.parent.name}.eta", f"{self.parent.name}.eta_dot"

    @property
    def owner_of_parameters(self) -> str:
        return self.parent.name

    def check_supported(self) -> None:
        _check_plain(self, "modal coordinates")


@final
class InterfaceFrame(MobilizedBody):
    """A frame on a flexible body, which other bodies, constraints, forces and contacts take as a body. Made with the body.

    It has no mass, coordinates or speeds of its own: the modal coordinates of the body move it.
    """

    equations = FrameEquations()
    parent: ModalNode
    shapes: np.ndarray

    def __init__(
        self,
        node: ModalNode,
        name: str,
        X: Transform,
        shapes: np.ndarray,
        mass_properties: MassProperties,
        second: np.ndarray | None = None,
        deforming: DeformingMass | None = None,
    ):
        self.shapes, self.second_shapes, self.deforming = shapes, second, deforming
        super().__init__(node, mass_properties, Transform(X.R, X.p - node.X_PF.p), name=name)

    def X_FM(self, state: State) -> Transform:
        """Pose of the frame in the flexible body's own frame, at the origin of its frame M. Needs stage POSITION."""
        return self.parent.X_GB(state).inverse() @ self.X_GB(state)

    def V_FM(self, state: State) -> np.ndarray:
        """(6,) rad/s, m/s: velocity of the frame in the flexible body's frame, expressed there. Needs stage VELOCITY."""
        tree = tree_of(self, state, Stage.VELOCITY, "V_FM")
        V_G = state.view(tree.modal.columns("interface_H", self)) @ state.view(tree.u(self.parent))
        R = self.parent.X_GB(state).R
        return np.concatenate([R.T @ V_G[:3], R.T @ V_G[3:]])

    def set_default_inboard_frame(self, X_PF: Transform) -> None:
        """Not of an interface: its pose comes from the modal data."""
        _refuse(self, "its pose")

    def set_inboard_frame(self, state: State, X_PF: Transform) -> None:
        """Not of an interface: its pose comes from the modal data."""
        _refuse(self, "its pose")

    def set_default_outboard_frame(self, X_BM: Transform) -> None:
        """Not of an interface: its pose comes from the modal data."""
        _refuse(self, "its pose")

    def set_outboard_frame(self, state: State, X_BM: Transform) -> None:
        """Not of an interface: its pose comes from the modal data."""
        _refuse(self, "its pose")

    def set_mass_properties(self, state: State, mass_properties: MassProperties) -> None:
        """Not of an interface: the mass comes from the modal data. Weld a body with mass to it."""
        _refuse(self, "its mass")

    def lock(self, state: State, level: Level = "position") -> None:
        """Not of an interface: body.lock_modes(state) locks all modes."""
        self.lock_at(state, (), level)

    def lock_at(self, state: State, value: ArrayLike, level: Level = "position") -> None:
        """Not of an interface: body.lock_modes(state) locks all modes."""
        raise UnsupportedError(
            f"interface '{self.name}' has no coordinates. '{self.parent.parent.name}'.lock_modes(state) locks the modes."
        )

    def check_supported(self) -> None:
        _check_plain(self, "interface frame")


@final
@dataclass(frozen=True, eq=False)
class FlexibleParts:
    """What belongs to a flexible body.

    data    FlexibleBody
    node    its modal coordinates
    core    its mean-axis frame, which has the mass: at the mass center, with constant inertia at that without deformation
    frames  the interfaces by name; that of the inboard interface moves with M
    """

    data: FlexibleBody
    node: ModalNode
    core: InterfaceFrame
    frames: dict[str, InterfaceFrame]

    @property
    def modal(self) -> ModalData:
        return self.data.modal

    @property
    def members(self) -> list[MobilizedBody]:
        """All bodies of the tables beside its own."""
        return [self.node, self.core, *self.frames.values()]

    def interface(self, name: str) -> InterfaceFrame:
        """Raises UnknownNameError."""
        UnknownNameError.check(f"interface of '{self.node.parent.name}'", name, list(self.frames))
        return self.frames[name]


def new_flexible_parts(flexible: MobilizedBody, data: FlexibleBody) -> FlexibleParts:
    """Add the modal node and the frames of a flexible body that has just been added."""
    modal, node = data.modal, ModalNode(flexible, data)
    massless, whole, deforming = MassProperties.massless(), modal.mass_properties, data.deforming_mass(flexible.X_BM.p)
    of_core = MassProperties(whole.mass, np.zeros(3), Inertia(modal.central_inertia))
    X = Transform(p=whole.com)
    if deforming is not None:
        of_core = MassProperties(deforming.mass, np.zeros(3), Inertia(deforming.inertia))
        X = Transform(p=flexible.X_BM.p + deforming.com)
    core = InterfaceFrame(node, f"{flexible.name}.mean_axes", X, modal.core_shapes, of_core, deforming=deforming)
    frames = {
        name: InterfaceFrame(node, f"{flexible.name}.{name}", each.X, each.shapes, massless, each.second)
        for name, each in modal.interfaces.items()
    }
    return FlexibleParts(data, node, core, frames)


def _refuse(body: InterfaceFrame, what: str) -> NoReturn:
    raise UnsupportedError(f"'{body.name}' is a frame of the flexible body '{body.parent.parent.name}': {what} comes from its modal data.")


def _check_plain(body: MobilizedBody, what: str) -> None:
    """Raise InputError for a Motion or rotors of what moves by modes alone."""
    if body.motion is not None:
        raise InputError(f"'{body.name}' is the {what} of a flexible body and cannot have a Motion.")
    if body.rotors:
        raise InputError(f"'{body.name}' is the {what} of a flexible body and cannot have a rotor inertia.")
