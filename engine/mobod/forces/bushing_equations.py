"""The equations of a LinearBushing: frame M in frame F by body-fixed x-y-z angles a, b, c and p_FM, and forces along these six.

With R_FM = Rx(a) Ry(b) Rz(c) the angular velocity of M in F is, in F, a_dot x + b_dot Rx(a) y + c_dot Rx(a) Ry(b) z, whose inverse divides
by cos(b). The torque that does the work of forces along the angles is the transpose of that inverse times them.
"""

import numpy as np

from mobod.forces.station import arm, force_at, velocity_at
from mobod.scalar import Array, Scalar, norm, where

# Nearer to b = +-90 degrees than 6e-8 degrees, round-off in R_FM decides a and c, and what divides by cos(b) is no number.
LEAST_COSINE = 1e-9


def coordinates(
    R_B1F: Array, p_B1F: Array, R_B2M: Array, p_B2M: Array, R_GB1: Array, r1: Array, p_GM1: Array, R_GB2: Array, r2: Array, p_GM2: Array
) -> tuple[Array, Array, Array, Array]:
    """(q, R_GF, arm1, arm2): the arms from the origin of either body's own frame M to that of the bushing's, (3,) m, in Ground."""
    R_GF = R_GB1 @ R_B1F
    arm1, arm2 = arm(R_GB1, r1, p_B1F), arm(R_GB2, r2, p_B2M)
    p_FM_G = p_GM2 - p_GM1 + arm2 - arm1
    q = np.concatenate([body_xyz_angles(R_GF.T @ (R_GB2 @ R_B2M)), R_GF.T @ p_FM_G])
    return q, R_GF, arm1 + p_FM_G, arm2


def body_xyz_angles(R: Array) -> Array:
    """(3,) as to_body_xyz gives them, but that near the singularity the first is what round-off makes it."""
    a = np.arctan2(-R[1, 2], R[2, 2])
    b = np.arctan2(R[0, 2], norm(R[1:, 2]))
    s, c = np.sin(a), np.cos(a)
    sin_c, cos_c = c * R[1, :2] + s * R[2, :2]  # of the second row of Rx(-a) R
    return np.array([a, b, np.arctan2(sin_c, cos_c)])


def rates(q: Array, R_GF: Array, arm1: Array, arm2: Array, V_GM1: Array, V_GM2: Array) -> tuple[Array, Array]:
    """(V_FM, q_dot), with V_FM in F."""
    w = R_GF.T @ (V_GM2[:3] - V_GM1[:3])
    v = R_GF.T @ (velocity_at(arm2, V_GM2) - velocity_at(arm1, V_GM1))
    (sa, sb), (ca, cb) = np.sin(q[:2]), np.cos(q[:2])
    c_dot = divided(ca * w[2] - sa * w[1], cb)
    return np.concatenate([w, v]), np.concatenate([np.array([w[0] - sb * c_dot, ca * w[1] + sa * w[2], c_dot]), v])


def along_coordinates(enabled: Scalar, stiffness: Array, damping: Array, q: Array, q_dot: Array) -> Array:
    """(6,) N m, N"""
    return where(enabled, -stiffness * q - damped(damping, q_dot), 0.0)


def energy(enabled: Scalar, stiffness: Array, q: Array) -> Scalar:
    return where(enabled, stiffness @ q**2 / 2, 0.0)


def loss(enabled: Scalar, damping: Array, q_dot: Array) -> Scalar:
    return where(enabled, damped(damping, q_dot**2).sum(), 0.0)


def damped(damping: Array, x: Array) -> Array:
    """damping x, entry by entry; nothing where there is no damping, though x may not exist there."""
    return np.array([where(each == 0, 0.0, each * of) for each, of in zip(damping, x, strict=True)])


def wrench(f: Array, q: Array) -> Array:
    """(6,) N m, N: on M about its origin, in F, of the forces f along the coordinates."""
    (sa, sb), (ca, cb) = np.sin(q[:2]), np.cos(q[:2])
    across = divided(f[2] - sb * f[0], cb)
    return np.concatenate([np.array([f[0], ca * f[1] - sa * across, sa * f[1] + ca * across]), f[3:]])


def on_bodies(f: Array, q: Array, R_GF: Array, arm1: Array, arm2: Array) -> tuple[Array, Array]:
    """The spatial forces on body 1 and body 2, both at the origin of the bushing's M, about the origins of their own M."""
    F = wrench(f, q)
    torque, force = R_GF @ F[:3], R_GF @ F[3:]
    alone = np.concatenate([torque, np.zeros(3)])
    return force_at(arm1, -force) - alone, force_at(arm2, force) + alone


def divided(numerator: Scalar, cosine: Scalar) -> Scalar:
    """numerator / cosine, which does not exist where that is too small; nothing of nothing is nothing. Elsewhere a numerator of 0 has its
    derivative: a bushing at rest resists.
    """
    exists = cosine > LEAST_COSINE
    return where(exists, numerator / where(exists, cosine, 1.0), where(numerator == 0, 0.0, np.nan))
