"""FlexibleBody: a body with modal coordinates, which a mobilizer carries as it carries a RigidBody."""

import numpy as np
from numpy.typing import ArrayLike

from mobod.arguments.real_numbers import real_numbers
from mobod.errors import InputError, UnsupportedError
from mobod.flexible import ModalData
from mobod.flexible.deforming_mass import DeformingMass
from mobod.flexible.modal_data import MOST_MODES
from mobod.matter.bodies.rigid_body import RigidBody
from mobod.matter.equations.interface_equations import ModalEquations
from mobod.spatial import MassProperties, Transform
from mobod.system.named_arguments import NamedArguments

_MOST_SECOND = 16  # modes with shapes of second order, whose matrices are always recorded
_LEAST_MASS = 1e-9  # relative: less is lost in round-off


class FlexibleBody(NamedArguments):
    """A body that bends: large motion of its frame, small deformation in it.

        blade = mb.Pin(hub, mb.FlexibleBody(modal, damping_ratio=0.01), name="blade")
        tip = mb.Weld(blade.interface("end"), mass, name="tip")

    modal                 ModalData: interfaces, frequencies, coupling of the modes with rigid motion
    damping_ratio         () or (n,)  part of the critical damping of all modes, or of each, of the clamped body; tunable
    inertia               'core': constant in the mean-axis frame (default); 'full': it follows the deformation, for modal data of whole
                          meshes and those with mass points
    geometric_stiffening  whether the points' shapes are of second order, as those of a FlexibleBeam

    The mobilizer's frame M is at the inboard interface, which X_BM, if given, must say too; its axes are free. With modal data relative to
    mean axes (frame='mean') the mobilizer has six degrees of freedom, M may be anywhere, and joints and constraints are on interfaces.
    The deformation is linear: it holds for rotations of an interface up to about 0.2 rad and for speeds of rotation up to about 0.3 of the
    first clamped frequency.
    """

    def __init__(
        self,
        modal: ModalData,
        *,
        damping_ratio: ArrayLike = 0.0,
        inertia: str | None = None,
        geometric_stiffening: bool = False,
    ):
        if not isinstance(modal, ModalData):
            raise InputError(
                f"FlexibleBody takes ModalData, not {type(modal).__name__}. Make it by ModalData.from_matrices or from_reduced."
            )
        if modal.n > MOST_MODES:
            raise UnsupportedError(f"FlexibleBody: the modal data have {modal.n} modes; a flexible body has at most {MOST_MODES} for now.")
        has_second = modal.has_second_shapes or any(each.second is not None for each in modal.interfaces.values())
        if has_second and modal.n > _MOST_SECOND:
            raise UnsupportedError(
                f"FlexibleBody: {modal.n} modes with shapes of second order; they are for at most {_MOST_SECOND} modes. Keep fewer modes, "
                "or take linear shapes (geometric_stiffening=False of a FlexibleBeam)."
            )
        if inertia not in (None, "core"):
            if inertia != "full":
                raise InputError(f"FlexibleBody: inertia is 'core' or 'full', not {inertia!r}.")
            if not modal.points and modal.moments is None:
                raise UnsupportedError(
                    "FlexibleBody: inertia='full' needs ModalData with mass points, from a whole mesh, or from an SID file with the "
                    "terms of first order of J, Cr and Oe; inertia='core' does not."
                )
        if geometric_stiffening and not (inertia == "full" and modal.points and modal.has_second_shapes):
            raise UnsupportedError(
                "FlexibleBody: geometric_stiffening=True needs inertia='full' and mass points with shapes of second order, as a "
                "FlexibleBeam has."
            )
        ratio = real_numbers(damping_ratio, "FlexibleBody: damping_ratio")
        if ratio.shape not in ((), (modal.n,)):
            raise InputError(
                f"FlexibleBody: damping_ratio has shape {ratio.shape}. One number, or {modal.n}, one for each mode, are needed."
            )
        if not np.isfinite(ratio).all() or (ratio < 0).any():
            raise InputError(f"FlexibleBody: damping_ratio is {ratio.tolist()}. It must be finite and not negative.")
        self.modal = modal
        self.is_full, self.is_stiffened = inertia == "full", geometric_stiffening
        self.damping_ratio = ratio.copy()
        if self.is_full and not modal.has_second_shapes:
            self._check_positive()

    def _check_positive(self) -> None:
        """Raise UnsupportedError for an inertia that is not positive at deformations of a tenth of the radius of gyration."""
        inertia, rng = self.deforming_mass(np.zeros(3)), np.random.default_rng(0)
        assert inertia is not None
        for _ in range(20 if self.modal.n else 0):
            direction = rng.normal(size=self.modal.n)
            eta = 0.1 * self.modal.scale * direction / np.linalg.norm(direction)
            if (least := inertia.least_mass(eta)) < _LEAST_MASS:
                raise UnsupportedError(
                    "FlexibleBody: inertia='full' of these data is not positive where the body is deformed by a tenth of its size: "
                    f"a motion has {least:.2g} of the mass of its coordinates. The rows of M were summed for it, or the points do not have "
                    "the mass of M. Use inertia='core'."
                )

    @property
    def mass_properties(self) -> MassProperties:
        """Of the frame M: none. The mass belongs to the mean-axis frame, which moves relative to M; see `modal.mass_properties`."""
        return MassProperties.massless()

    @property
    def has_mean_axes(self) -> bool:
        """Whether its frame is that of the mean axes, so that nothing is attached to it."""
        return self.modal.inboard is None

    def deforming_mass(self, origin: np.ndarray) -> DeformingMass | None:
        """The inertia that follows the deformation; None: it is constant in the mean axes. origin (3,) m: of M in the body's frame."""
        modal = self.modal
        if not self.is_full:
            return None
        if modal.points:
            return DeformingMass.of_points(modal.points, origin, is_curved=modal.has_second_shapes)
        assert modal.moments is not None
        whole = modal.mass_properties
        return DeformingMass.of_moments(
            whole.mass, whole.com - origin, modal.central_inertia, modal.coupling, np.eye(modal.n), modal.moments
        )

    @property
    def equations(self) -> ModalEquations:
        """Those of its modal node."""
        ratio = tuple(self.damping_ratio.tolist()) if self.damping_ratio.ndim else float(self.damping_ratio)
        return ModalEquations(self.modal.n, 1.0, ratio)

    def frame_of_mobilizer(self, X_BM: Transform | None, owner: str, n_speeds: int) -> Transform:
        """The pose of M on the body: that of the inboard interface, unless another one of the same origin is given.

        Relative to mean axes it is any, by default that of the body's frame. Raises InputError for one that cannot be, and for a
        mobilizer with fewer speeds than six, which would hold the mean axes.
        """
        modal = self.modal
        if modal.inboard is None:
            if n_speeds != 6:
                raise InputError(
                    f"{owner} has {n_speeds} degrees of freedom. The shapes of its flexible body are relative to the mean axes, which no "
                    "joint can hold. Take a Free, or reduce the body with inboard='...' in place of frame='mean'."
                )
            return X_BM or Transform()
        X = modal.interfaces[modal.inboard].X
        if X_BM is None:
            return X
        if np.abs(X_BM.p - X.p).max() > 1e-9 * max(modal.size, float(np.abs(X.p).max())):
            names = ", ".join(f"'{name}' at {each.X.p.tolist()}" for name, each in modal.interfaces.items())
            hint = next((name for name, each in modal.interfaces.items() if np.allclose(each.X.p, X_BM.p, atol=1e-9 * modal.size)), None)
            what = "which is no interface" if hint is None else f"the interface '{hint}', which is not the inboard one"
            raise InputError(
                f"{owner} has X_BM at {X_BM.p.tolist()}, {what} of the flexible body. Its interfaces: {names}; inboard: '{modal.inboard}'. "
                "Leave X_BM out, or reduce the body with another inboard interface."
            )
        return X_BM

    def _summary(self) -> str:
        return f"of {self.modal.total_mass:g} kg, {self.modal.n} modes"


def check_holds_parts(body: object, owner: str) -> None:
    """Raise InputError for a body to whose own frame nothing can be attached."""
    carried = getattr(body, "body", None)
    if isinstance(carried, FlexibleBody) and carried.has_mean_axes:
        names = ", ".join(f"'{name}'" for name in carried.modal.interfaces)
        raise InputError(
            f"{owner}: the frame of '{getattr(body, 'name', '')}' has its mean axes, on which there is no material. Take one of its "
            f"interfaces: {names}."
        )


def carried_body(body: object, owner: str) -> RigidBody | FlexibleBody:
    """The body that a mobilizer carries. Raises InputError for what is none; owner: the type of the mobilizer, for the message."""
    if isinstance(body, MassProperties):
        return RigidBody(body)
    if not isinstance(body, (RigidBody, FlexibleBody)):
        raise InputError(f"{owner}: the body is a RigidBody, a FlexibleBody or MassProperties, not {type(body).__name__}.")
    return body
