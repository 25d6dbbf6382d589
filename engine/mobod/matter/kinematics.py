"""Kernels of the outward sweeps: poses, velocities, and what they make of masses. One call for each body, parents first.

Notation of the guide's section 14.1, after Jain and Simbody: G ground, P parent, B body, F frame on P, M frame on B. A prefix names the
point: l = p_PB, r = p_MB, both in G. Spatial arrays are angular first, expressed in G, about the body's origin.
"""

from typing import Any

import numpy as np

from mobod.matter.equations import MobilizerEquations
from mobod.spatial import cross


def body_constants(R_BM: Any, p_BM: Any, mass: Any, com: Any) -> tuple[Any, ...]:
    """What the frames and the mass of a body fix: (R_MB, p_MB, mass * com)."""
    R_MB = R_BM.T
    return R_MB, -(R_MB @ p_BM), mass * com


def position(
    equations: MobilizerEquations, R_GP: Any, p_GP: Any, R_PF: Any, p_PF: Any, R_MB: Any, p_MB: Any, q: Any, mc: Any, inertia: Any
) -> tuple[Any, ...]:
    """(R_GF, R_GB, p_GB, l, r, H, mass * com in G, inertia in G); inertia is (6,): xx yy zz xy xz yz."""
    X_FM = equations.X_FM(q)
    H_FM = equations.H_FM(q)
    R_GF = R_GP @ R_PF
    R_GM = R_GF @ X_FM.R
    R_GB = R_GM @ R_MB
    r = R_GM @ p_MB
    l = R_GP @ p_PF + R_GF @ X_FM.p + r
    H_w = R_GF @ H_FM[:3]
    H_v = R_GF @ H_FM[3:]
    H_v = H_v + np.array([cross(column, r) for column in H_w.T]).reshape(-1, 3).T
    return R_GF, R_GB, p_GP + l, l, r, np.concatenate([H_w, H_v]), R_GB @ mc, rotated_inertia(R_GB, inertia)


def rotated_inertia(R: Any, inertia: Any) -> Any:
    """R I R^T, with I and the result as (6,): xx yy zz xy xz yz."""
    half = R @ symmetric(inertia)
    return np.array([half[i] @ R[j] for i, j in SYMMETRIC_ENTRIES])


SYMMETRIC_ENTRIES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


def symmetric(entries: Any) -> Any:
    """(3, 3) from (6,): xx yy zz xy xz yz."""
    xx, yy, zz, xy, xz, yz = entries
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def velocity(
    equations: MobilizerEquations, R_GF: Any, l: Any, r: Any, H: Any, V_P: Any, A_c_P: Any, q: Any, u: Any, mass: Any, mc: Any, inertia: Any
) -> tuple[Any, ...]:
    """(V, A_c, F_c, q_dot).

    V    (6,)  velocity of the body in G
    A_c  (6,)  its acceleration when all u_dot are zero: Jdot u
    F_c  (6,)  the force that this acceleration and the gyroscopic effects take: M A_c + b
    """
    w_P, v_P = V_P[:3], V_P[3:]
    w_FM, v_across = H[:3] @ u, H[3:] @ u  # velocity across the joint, of the body's origin
    w = w_P + w_FM
    v = v_P + cross(w_P, l) + v_across

    H_dot_u = equations.H_dot_u(q, u)
    c_w = R_GF @ H_dot_u[:3]
    c_v = R_GF @ H_dot_u[3:] + cross(c_w, r) + cross(w_FM, cross(w_FM, r))
    a_w = c_w + cross(w_P, w_FM)
    a_v = c_v + cross(w_P, v_across + v - v_P)
    alpha = A_c_P[:3] + a_w
    a = A_c_P[3:] + cross(A_c_P[:3], l) + a_v

    I_G = symmetric(inertia)
    torque = I_G @ alpha + cross(mc, a) + cross(w, I_G @ w)
    force = mass * a + cross(alpha, mc) + cross(w, cross(w, mc))
    return np.concatenate([w, v]), np.concatenate([alpha, a]), np.concatenate([torque, force]), equations.q_dot(q, u)


def kinetic_energy(mass: Any, mc: Any, inertia: Any, V: Any) -> Any:
    """V^T M V / 2 of one body."""
    w, v = V[:3], V[3:]
    return (w @ (symmetric(inertia) @ w) + mass * (v @ v)) / 2 + v @ cross(w, mc)


def acceleration_of_coordinates(equations: MobilizerEquations, q: Any, u: Any, u_dot: Any) -> Any:
    return equations.q_dot_dot(q, u, u_dot)
