"""Checks of modal data that were not made by a reduction, such as those of a file."""

from collections.abc import Mapping, Sequence

import numpy as np

from mobod.errors import InputError, UnknownNameError
from mobod.flexible.interfaces import MassPoint, ModalInterface

_NO_MOMENTUM = 1e-6  # of the mass of the modes alone, 1 without momentum
_VANISHES = 1e-9  # displacement of the inboard interface relative to the largest of all interfaces


def check_arrays(n: int, coupling: np.ndarray, stiffness: np.ndarray, damping: np.ndarray) -> None:
    """Raise InputError unless the arrays belong to n modes and the stiffness is positive."""
    _check("coupling", coupling, (6, n))
    _check("stiffness", stiffness, (n,))
    _check("damping", damping, (n, n))
    if (stiffness <= 0).any():
        raise InputError(f"ModalData: stiffness has the entry {stiffness.min():g} 1/s^2. All must be positive: rigid motions are no modes.")


def check_frames(inboard: str | None, interfaces: Mapping[str, ModalInterface], points: Sequence[MassPoint], n: int) -> None:
    """Raise InputError for shapes that do not belong to n modes, and for an inboard interface that deforms."""
    if inboard is not None:
        UnknownNameError.check("interface", inboard, list(interfaces))
    frames: list[tuple[str, ModalInterface | MassPoint]] = [(f"interface '{name}'", each) for name, each in interfaces.items()]
    for what, each in (*frames, *((f"point {k}", point) for k, point in enumerate(points, start=1))):
        _check(f"the shapes of {what}", each.shapes, (6, n))
        if each.second is not None:
            _check(f"the second-order shapes of {what}", each.second, (3, n, n))
    for point in points:
        if not 0 <= point.mass < np.inf:
            raise InputError(f"ModalData: a point has the mass {point.mass:g} kg. It must not be negative.")
    if inboard is None:
        return
    largest = max((float(np.abs(each.shapes).max(initial=0.0)) for each in interfaces.values()), default=0.0)
    if np.abs(interfaces[inboard].shapes).max(initial=0.0) > _VANISHES * largest:
        raise InputError(f"ModalData: the shapes of the inboard interface '{inboard}' are not 0. All shapes are relative to its frame.")


def check_modal_mass(mass: np.ndarray, *, is_mean: bool) -> None:
    """Raise InputError unless the mass of the modes alone, (n, n), is positive definite; relative to mean axes it is 1."""
    if is_mean and np.abs(mass - np.eye(len(mass))).max(initial=0.0) > _NO_MOMENTUM:
        raise InputError("ModalData: the coupling is not 0. Without an inboard interface shapes are relative to the mean axes.")
    if mass.size and (least := float(np.linalg.eigvalsh(mass)[0])) <= 0:
        raise InputError(
            f"ModalData: the coupling is too large: a motion of the modes alone would have the mass {least:.3g}, with shapes of unit modal "
            "mass. The coupling is the momentum of the modes about the mass center."
        )


def _check(what: str, array: np.ndarray, shape: tuple[int, ...]) -> None:
    if array.shape != shape:
        raise InputError(f"ModalData: {what} has shape {array.shape}, not {shape}, that of {shape[-1]} modes.")
    if not np.isfinite(array).all():
        raise InputError(f"ModalData: {what} has entries that are not finite.")
