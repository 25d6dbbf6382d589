"""Allowed violation of contact rows, so that round-off does not open and close a contact at rest."""

import numpy as np

from mobod.compilation.scales import estimated_scales
from mobod.couplings.coupling_joint import default_pose
from mobod.matter import MatterSubsystem, MultibodySystem
from mobod.matter.multibody_system import DEFAULT_TOLERANCE
from mobod.simulate.limits import limits_of
from mobod.system import System


def row_tolerances(system: System) -> np.ndarray:
    """(n,) for each unilateral row, in the unit of its distance: that of its constraint, or the System's for lengths or for other units."""
    constraints = limits_of(system)
    if not constraints:
        return np.zeros(0)
    assert isinstance(system, MultibodySystem)
    penetration = default_penetration_tol(system.matter) if system.penetration_tol is None else system.penetration_tol
    found = []
    for contact in (contact for constraint in constraints for contact in constraint.contacts):
        constraint = contact.constraint
        is_length = constraint.equations.position_units[contact.row] == "m"
        of_system = penetration if is_length else system.rotary_limit_tol
        found.append(of_system if constraint.tolerance is None else constraint.tolerance)
    return np.array(found)


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
