"""Velocities, accelerations and forces of rigid bodies taken from one point to another: of many bodies at once, on plain numbers.

In each, `p` (..., 3) is from the given point of a body to the wanted one; all are expressed in one frame.
"""

import numpy as np


def velocities_at(p: np.ndarray, V: np.ndarray) -> np.ndarray:
    """[w; v + w x p], (..., 6)"""
    w, v = V[..., :3], V[..., 3:]
    return np.concatenate([w, v + np.cross(w, p)], axis=-1)


def accelerations_at(p: np.ndarray, w: np.ndarray, A: np.ndarray) -> np.ndarray:
    """[alpha; a + alpha x p + w x (w x p)], (..., 6)"""
    alpha, a = A[..., :3], A[..., 3:]
    return np.concatenate([alpha, a + np.cross(alpha, p) + np.cross(w, np.cross(w, p))], axis=-1)


def forces_about(p: np.ndarray, F: np.ndarray) -> np.ndarray:
    """[t + f x p; f], (..., 6)"""
    t, f = F[..., :3], F[..., 3:]
    return np.concatenate([t + np.cross(f, p), f], axis=-1)
