"""Checked arguments of the makers of ModalData."""

import numpy as np

from mobod.errors import InputError, MassPropertiesError
from mobod.spatial import MassProperties

AS_EXPECTED = 1e-3  # of mass properties beside those of M: more is an error of units, frames or the mesh


def check_as_expected(found: MassProperties, expected: object) -> None:
    """Raise MassPropertiesError unless M gives these mass properties; lengths relative to the radius of gyration."""
    if not isinstance(expected, MassProperties):
        raise InputError(f"ModalData: mass_properties is MassProperties, not {type(expected).__name__}.")
    inertias = [each.inertia_about_com for each in (found, expected)]
    radius = float(np.sqrt(max(np.trace(inertias[0]), 0.0) / 2 / found.mass))
    moment = float(np.abs(inertias[0]).max())
    compared: tuple[tuple[str, float | np.ndarray, float | np.ndarray, float], ...] = (
        ("mass, kg,", found.mass, expected.mass, found.mass),
        ("mass center, m,", found.com, expected.com, radius),
        ("inertia about the mass center, kg m^2,", inertias[0], inertias[1], moment),
    )
    for what, has, wanted, size in compared:
        if np.abs(np.subtract(has, wanted)).max() > AS_EXPECTED * size:
            raise MassPropertiesError(
                f"ModalData: M gives the {what} {np.array(has).round(9).tolist()}, but mass_properties has "
                f"{np.array(wanted).round(9).tolist()}. Check the units and the density of the mesh, and the frame of the nodes."
            )


def checked_inboard(inboard: object, frame: object) -> str | None:
    """The inboard interface; None: shapes are relative to the mean axes. Raises InputError."""
    if frame not in ("inboard", "mean"):
        raise InputError(f"ModalData: frame is 'inboard' or 'mean', not {frame!r}.")
    if frame == "mean":
        if inboard is not None:
            raise InputError(
                f"ModalData: with frame='mean' no interface carries the frame of the body. Leave out inboard={inboard!r}, or frame='mean'."
            )
        return None
    if not isinstance(inboard, str):
        raise InputError(
            f"ModalData: inboard is the name of the interface that the frame of the body is on, not {inboard!r}. A body on a mobilizer "
            "with six degrees of freedom may have frame='mean' instead."
        )
    return inboard
