"""Momentum of a mechanism, as the sum over its bodies."""

import numpy as np

import mobod as mb
from mobod.spatial import shift_force


def momentum_about_ground_origin(bodies: list[mb.MobilizedBody], state: mb.State) -> np.ndarray:
    """(6,) N m s and N s: angular momentum about the origin of Ground, and linear momentum. Needs stage VELOCITY."""
    total = np.zeros(6)
    for body in bodies:
        X_GB = body.X_GB(state)
        R = np.kron(np.eye(2), X_GB.R)
        h_Bo_G = R @ body.body.mass_properties.spatial_inertia() @ R.T @ body.V_GB(state)
        total += shift_force(h_Bo_G, -X_GB.p)
    return total
