"""Spatial vectors: an angular and a linear 3-vector in one array (6,), the angular first.

    velocity  V = [w; v]    rad/s, m/s    of a body; v is the velocity of its point at the reference point
    force     F = [t; f]    N m, N        on a body; t is the moment about the reference point

All functions can be recorded.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from mobod.scalar import Array, Scalar
from mobod.spatial.rotation import cross_matrix


def cross(a: Array | Sequence[Scalar], b: Array | Sequence[Scalar]) -> Array:
    """Cross product a x b of (3,) arrays. NumPy's function is many times slower on recorded scalars."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def shift_velocity(V: Array, p: Array | Sequence[Scalar]) -> Array:
    """The velocity of the same body at another point: [w; v + w x p].

    V        (6,)   rad/s, m/s
    p        (3,)   m            from the point of V to the other point
    returns  (6,)   rad/s, m/s
    """
    w, v = V[:3], V[3:]
    return np.concatenate([w, v + cross(w, p)])


def shift_force(F: Array, p: Array | Sequence[Scalar]) -> Array:
    """The same force with its moment about another point: [t + f x p; f].

    F        (6,)   N m, N
    p        (3,)   m        from the point of F to the other point
    returns  (6,)   N m, N
    """
    t, f = F[:3], F[3:]
    return np.concatenate([t + cross(f, p), f])


def spatial_inertia(mass: Scalar, p_BoBcm: Array | Sequence[Scalar], I_BBo: ArrayLike) -> Array:
    """Spatial inertia of a body about its origin, expressed in its own frame.

    mass     ()      kg
    p_BoBcm  (3,)    m        from the body origin to the mass center
    I_BBo    (3, 3)  kg m^2   about the body origin
    returns  (6, 6)           maps [alpha; a] to [torque; force]

    Source: Featherstone, Rigid Body Dynamics Algorithms (2008), ch. 2.
    """
    mc = mass * cross_matrix(p_BoBcm)
    return np.block([[np.asarray(I_BBo), mc], [mc.T, mass * np.eye(3)]])
