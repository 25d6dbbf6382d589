"""Modal data as an .npz file: what ModalData.write writes."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from mobod.errors import InputError, MassPropertiesError, ModelFileError
from mobod.flexible.deforming_mass import SecondMoments
from mobod.flexible.files.fields import Fields
from mobod.flexible.interfaces import MassPoint, ModalInterface, check_names
from mobod.flexible.surface import ModalSurface
from mobod.spatial import Inertia, MassProperties, Transform

FORMAT, VERSION = "mobod modal data", 1


class ModalParts(Protocol):
    """The parts of ModalData; see there."""

    @property
    def inboard(self) -> str | None: ...

    @property
    def interfaces(self) -> Mapping[str, ModalInterface]: ...

    @property
    def mass_properties(self) -> MassProperties: ...

    @property
    def coupling(self) -> np.ndarray: ...

    @property
    def stiffness(self) -> np.ndarray: ...

    @property
    def damping(self) -> np.ndarray: ...

    @property
    def size(self) -> float: ...

    @property
    def flexibility_lost(self) -> float: ...

    @property
    def points(self) -> tuple[MassPoint, ...]: ...

    @property
    def moments(self) -> SecondMoments | None: ...

    @property
    def surface(self) -> ModalSurface | None: ...


def write_modal_file(modal: ModalParts, path: Path) -> None:
    """Raises InputError for another suffix, or for a file that cannot be written."""
    if path.suffix.lower() != ".npz":
        raise InputError(f"'{path}': modal data are written to .npz files.")
    n, frames, points, surface = modal.stiffness.size, list(modal.interfaces.values()), modal.points, modal.surface
    whole = modal.mass_properties
    arrays: dict[str, Any] = {
        "format": np.array(FORMAT),
        "version": np.array(VERSION),
        "inboard": np.array(modal.inboard or ""),  # empty: mean axes
        "interfaces": np.array(list(modal.interfaces)),
        "R": np.array([each.X.R for each in frames]),
        "p": np.array([each.X.p for each in frames]),
        "shapes": np.array([each.shapes for each in frames]),
        **_second("second", frames, n),
        "mass": np.array(whole.mass),
        "com": np.array(whole.com),
        "inertia": np.array(whole.inertia),
        "coupling": modal.coupling,
        "stiffness": modal.stiffness,
        "damping": modal.damping,
        "size": np.array(modal.size),
        "flexibility_lost": np.array(modal.flexibility_lost),
    }
    if points:
        arrays |= {f"points.{name}": np.array([getattr(each, name) for each in points]) for name in ("mass", "inertia", "p", "shapes")}
        arrays |= _second("points.second", points, n)
    if modal.moments is not None:
        arrays |= {"moments.first": modal.moments.first, "moments.second": modal.moments.second}
    if surface is not None:
        arrays |= {f"surface.{name}": getattr(surface, name) for name in ("vertices", "faces", "shapes")}
    try:
        with path.open("wb") as file:
            np.savez_compressed(file, **arrays)
    except OSError as error:
        raise InputError(f"'{path}' cannot be written: {error.strerror}.") from None


def _second(name: str, parts: Sequence[ModalInterface | MassPoint], n: int) -> dict[str, np.ndarray]:
    """Shapes of second order, and which parts have them; nothing if none has."""
    has = np.array([int(each.second is not None) for each in parts])
    return (
        {name: np.array([np.zeros((3, n, n)) if each.second is None else each.second for each in parts]), f"{name}.is_given": has}
        if has.any()
        else {}
    )


def modal_parts(fields: Fields) -> dict[str, object]:
    """The arguments of ModalData from a file of write_modal_file. Raises ModelFileError, which names the file and the field."""
    version = int(fields.numbers("version", ()))
    if version != VERSION:
        raise fields.error("version", f"is {version}, and this mobod reads {VERSION}")
    names, inboard = fields.texts("interfaces"), fields.texts("inboard")[0] or None
    try:
        check_names(list(names), inboard)
    except InputError as error:
        raise ModelFileError(f"{fields.path}: 'interfaces': {error}") from None
    if len(set(names)) < len(names):
        raise fields.error("interfaces", "has a name twice")
    k, stiffness = len(names), fields.numbers("stiffness", (-1,))
    n = stiffness.size
    if n and (stiffness.min() <= 0 or (np.diff(stiffness) < 0).any()):
        raise fields.error("stiffness", "must be positive and not decreasing")
    frames = zip(
        _rotations(fields, k),
        fields.numbers("p", (k, 3)),
        fields.numbers("shapes", (k, 6, n)),
        _seconds(fields, "second", k, n),
        strict=True,
    )
    interfaces = {name: ModalInterface(Transform(R, p), shapes, second) for name, (R, p, shapes, second) in zip(names, frames, strict=True)}
    if inboard is not None and np.abs(interfaces[inboard].shapes).max(initial=0.0) > 0:
        raise fields.error("shapes", f"of the inboard interface '{inboard}' are not zero")
    coupling, damping = fields.numbers("coupling", (6, n)), fields.numbers("damping", (n, n))
    if np.abs(damping - damping.T).max(initial=0.0) > 1e-9 * np.abs(damping).max(initial=0.0):
        raise fields.error("damping", "is not symmetric")
    if n and np.linalg.eigvalsh(damping)[0] < -1e-9 * np.abs(damping).max():
        raise fields.error("damping", "has a negative eigenvalue: it would add energy")
    properties = _mass_properties(fields)
    _check_mass_of_modes(fields, properties, coupling)
    return {
        "inboard": inboard,
        "interfaces": interfaces,
        "mass_properties": properties,
        "coupling": coupling,
        "stiffness": stiffness,
        "damping": damping,
        "size": _positive(fields, "size"),
        "flexibility_lost": float(fields.numbers("flexibility_lost", ())),
        "points": _points(fields, n),
        "moments": _moments(fields, n),
        "surface": _surface(fields, n),
    }


def _rotations(fields: Fields, k: int) -> np.ndarray:
    R = fields.numbers("R", (k, 3, 3))
    if k and (np.abs(R @ R.transpose(0, 2, 1) - np.eye(3)).max() > 1e-9 or np.linalg.det(R).min() < 0):
        raise fields.error("R", "has a matrix that is no rotation")
    return R


def _positive(fields: Fields, name: str) -> float:
    value = float(fields.numbers(name, ()))
    if not value > 0:
        raise fields.error(name, f"is {value:g}; it must be positive")
    return value


def _mass_properties(fields: Fields) -> MassProperties:
    try:
        return MassProperties(_positive(fields, "mass"), fields.numbers("com", (3,)), Inertia(fields.numbers("inertia", (3, 3))))
    except MassPropertiesError as error:
        raise ModelFileError(f"{fields.path}: 'mass', 'com', 'inertia': {error}") from None


def _check_mass_of_modes(fields: Fields, properties: MassProperties, coupling: np.ndarray) -> None:
    """What the modes alone have, beside the part of the mass that moves with the mean-axis frame, is positive."""
    central = np.linalg.pinv(np.asarray(properties.inertia_about_com), hermitian=True)
    carried = coupling[:3].T @ central @ coupling[:3] + coupling[3:].T @ coupling[3:] / properties.mass
    if coupling.shape[1] and np.linalg.eigvalsh(carried)[-1] >= 1:
        raise fields.error("coupling", "is too large for the mass: a motion of the modes would have a negative mass")


def _seconds(fields: Fields, name: str, k: int, n: int) -> list[np.ndarray | None]:
    if name not in fields:
        return [None] * k
    second, given = fields.numbers(name, (k, 3, n, n)), fields.whole_numbers(f"{name}.is_given", (k,))
    if np.abs(second - second.transpose(0, 1, 3, 2)).max(initial=0.0) > 1e-9 * np.abs(second).max(initial=0.0):
        raise fields.error(name, "is not symmetric in the modal coordinates")
    return [each if has else None for each, has in zip(second, given, strict=True)]


def _points(fields: Fields, n: int) -> tuple[MassPoint, ...]:
    if "points.mass" not in fields:
        return ()
    mass = fields.numbers("points.mass", (-1,))
    m = mass.size
    if m and mass.min() < 0:
        raise fields.error("points.mass", "has a negative mass")
    inertia, p = fields.numbers("points.inertia", (m, 3, 3)), fields.numbers("points.p", (m, 3))
    try:
        for each in inertia:
            Inertia(each)
    except MassPropertiesError as error:
        raise ModelFileError(f"{fields.path}: 'points.inertia': {error}") from None
    shapes, second = fields.numbers("points.shapes", (m, 6, n)), _seconds(fields, "points.second", m, n)
    return tuple(MassPoint(float(mass[i]), inertia[i], p[i], shapes[i], second[i]) for i in range(m))


def _moments(fields: Fields, n: int) -> SecondMoments | None:
    if "moments.first" not in fields:
        return None
    return SecondMoments(fields.numbers("moments.first", (n, 3, 3)), fields.numbers("moments.second", (n, n, 3, 3)))


def _surface(fields: Fields, n: int) -> ModalSurface | None:
    if "surface.faces" not in fields:
        return None
    vertices, faces = fields.numbers("surface.vertices", (-1, 3)), fields.whole_numbers("surface.faces", (-1, 3))
    if not faces.size or faces.min() < 0 or faces.max() >= len(vertices):
        raise fields.error("surface.faces", f"has no faces, or numbers of vertices beyond 0 to {len(vertices) - 1}")
    return ModalSurface(vertices, faces, fields.numbers("surface.shapes", (len(vertices), 3, n)))
