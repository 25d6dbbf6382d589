"""Two tangents of a surface from its normal."""

import numpy as np

from mobod.scalar import Array, where


def tangents_of(n: Array) -> Array:
    """(2, 3): unit vectors t1 and t2, normal to the unit vector n (3,), with t1 x t2 = n. Can be recorded.

    They jump where n_z passes -1/2, and nowhere else.

    Source: Duff et al., J. Computer Graphics Techniques 6 (2017), Building an Orthonormal Basis, Revisited. There they jump at n_z = 0, and
    round-off would decide for normals of the faces of a box.
    """
    s = where(n[2] < -0.5, -1.0, 1.0)
    a = -1 / (s + n[2])
    b = n[0] * n[1] * a
    return np.array([[1 + s * n[0] * n[0] * a, s * b, -s * n[0]], [b, s + n[1] * n[1] * a, -n[1]]])
