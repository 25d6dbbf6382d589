"""Inertia along motions of a body, relative to all of its inertia."""

import numpy as np

ROUND_OFF = 1e-13  # relative inertias up to this one are rounding errors
NEAR = 1e-3  # m: a moment of inertia is compared with at least that of the mass at this distance


def relative_inertias(H: np.ndarray, inertia: np.ndarray, whole: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Eigenvalues (n,) and eigenvectors (n, n) of scale_i (H^T inertia H)_ij scale_j, and the scale (n,) of each motion.

    A motion with a rotation is compared with the moments of inertia about the origin, a translation with the mass. Without mass, all
    eigenvalues are 0.

    H        (6, n)  motions [w; v] of the body's frame
    inertia  (6, 6)  that resists the motion, such as an articulated one
    whole    (6, 6)  with which it is compared; default: the same one
    """
    whole = inertia if whole is None else whole
    mass = whole[5, 5]
    if mass <= 0:
        return np.zeros(H.shape[1]), np.eye(H.shape[1]), np.ones(H.shape[1])
    scale = 1 / np.sqrt(np.where(np.abs(H[:3]).any(axis=0), size_of_moments(whole), mass))
    values, vectors = np.linalg.eigh(scale[:, None] * (H.T @ inertia @ H) * scale)
    return values, vectors, scale


def size_of_moments(inertia: np.ndarray) -> float:
    """kg m^2, with which rounding errors of moments of inertia about the origin are compared."""
    return float(np.trace(inertia[:3, :3]) + inertia[5, 5] * NEAR**2)
