"""Allowed violation of contact rows, so that round-off does not open and close a contact at rest."""

from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from mobod.compilation.source.scales import estimated_scales
from mobod.couplings.coupling_joint import default_pose
from mobod.matter import MatterSubsystem, MultibodySystem, UnilateralConstraint
from mobod.matter.multibody_system import DEFAULT_TOLERANCE
from mobod.simulate.limits import limits_of
from mobod.system import System


def row_tolerances(system: System) -> np.ndarray:
    """(n,) for each unilateral row, in the unit of its distance: that of its constraint, or the System's for lengths or for other units."""
    kept = _ROWS.get(system)
    if kept is None or kept.topology_version != system.topology_version:
        kept = _ROWS[system] = _rows_of(system)
    if not kept.constraints:
        return np.zeros(0)
    assert isinstance(system, MultibodySystem)
    penetration = kept.penetration if system.penetration_tol is None else system.penetration_tol
    of_units = (system.rotary_limit_tol, penetration)
    of_rows = zip(kept.constraints, kept.are_lengths, strict=True)
    return np.array([of_units[is_length] if each.tolerance is None else each.tolerance for each, is_length in of_rows])


class _Rows(NamedTuple):
    """The constraint of each unilateral row, whether its distance is a length, and the default tolerance of lengths."""

    topology_version: int
    constraints: list[UnilateralConstraint]
    are_lengths: list[bool]
    penetration: float


_ROWS: "WeakKeyDictionary[System, _Rows]" = WeakKeyDictionary()


def _rows_of(system: System) -> _Rows:
    found = [(each, contact.row) for each in limits_of(system) for contact in each.contacts]
    are_lengths = [each.equations.position_units[row] == "m" for each, row in found]
    penetration = default_penetration_tol(system.matter) if found and isinstance(system, MultibodySystem) else 0.0
    return _Rows(system.topology_version, [each for each, _ in found], are_lengths, penetration)


def default_penetration_tol(matter: MatterSubsystem) -> float:
    """m: 1e-4 of half the diagonal of the box around connector frames and mass centers in the default State.

    1e-4 of the length scale if there is no box.
    """
    points = []
    for body in matter.bodies:
        X_GB = default_pose(body)
        points += [
            (default_pose(body.parent) @ body.X_PF).p,
            (X_GB @ body.X_BM).p,
            X_GB.apply(body.body.mass_properties.com),
        ]
    radius = float(np.linalg.norm(np.ptp(points, axis=0))) / 2 if points else 0.0
    return DEFAULT_TOLERANCE * (radius or estimated_scales(matter.system).scales.length)
