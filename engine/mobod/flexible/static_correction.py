"""Static correction of modes: further shapes, with which static deflections under given loads are those of all freedoms.

With the kept modes V of unit mass, the deflection u = K^-1 f under a load f leaves the residual r = u - V V^T M u, which is orthogonal to
the modes in K and M. Those of all loads span the further shapes.

Source: MacNeal, A hybrid method of component mode synthesis, Computers and Structures 1 (1971).
"""

# Decision: docs/decisions/231-static-correction.md

import numpy as np
from scipy import linalg

KINDS = (None, "forces", "loads")
_PART = 1e-8  # of a load's compliance: less is not worth a shape


def residual_shapes(M: np.ndarray, K: np.ndarray, modes: np.ndarray, loads: np.ndarray) -> np.ndarray:
    """(freedoms, m) residuals of loads (freedoms, k), without those that depend on others, orthonormal in K.

    Freedoms without coupling stay so, exactly.
    """
    deflections = linalg.solve(K, loads, assume_a="pos")
    residuals = deflections - modes @ (modes.T @ (M @ deflections))
    found = np.zeros((len(K), 0))
    for deflection, residual, load in zip(deflections.T, residuals.T, loads.T, strict=True):
        left = residual
        for _ in range(2):  # the second time removes the round-off of the first
            left = left - found @ (found.T @ (K @ left))
        energy = left @ K @ left
        if energy > _PART * (deflection @ load):
            found = np.column_stack([found, left / np.sqrt(energy)])
    return found
