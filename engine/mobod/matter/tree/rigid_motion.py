"""Velocities, accelerations and forces of rigid bodies at another reference point, for many bodies at once.

In each, `p` (..., 3) points from the given reference point of a body to the new one. All arrays are expressed in the same frame.
"""

import numpy as np


def velocities_at(p: np.ndarray, V: np.ndarray) -> np.ndarray:
    """[w; v + w x p], (..., 6)"""
    w, v = V[..., :3], V[..., 3:]
    return np.concatenate([w, v + _cross(w, p)], axis=-1)


def accelerations_at(p: np.ndarray, w: np.ndarray, A: np.ndarray) -> np.ndarray:
    """[alpha; a + alpha x p + w x (w x p)], (..., 6)"""
    alpha, a = A[..., :3], A[..., 3:]
    return np.concatenate([alpha, a + _cross(alpha, p) + _cross(w, _cross(w, p))], axis=-1)


def forces_about(p: np.ndarray, F: np.ndarray) -> np.ndarray:
    """[t + f x p; f], (..., 6)"""
    t, f = F[..., :3], F[..., 3:]
    return np.concatenate([t + _cross(f, p), f], axis=-1)


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a x b, (..., 3). For a few bodies it takes a third of the time of NumPy's general function."""
    a0, a1, a2, b0, b1, b2 = a[..., 0], a[..., 1], a[..., 2], b[..., 0], b[..., 1], b[..., 2]
    product = np.empty(np.broadcast_shapes(a.shape, b.shape), dtype=np.result_type(a, b))
    product[..., 0], product[..., 1], product[..., 2] = a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0
    return product
