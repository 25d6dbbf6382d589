"""Recorded functions of the outward sweeps: poses, velocities, and mass properties in Ground. One call for each body, parents first.

Notation of the guide's section 14.1, after Jain and Simbody: G ground, F frame on the parent, M frame on the body B. P is the parent's own
frame M (Ground's is G): the functions use the origin of M as a body's reference point, since its mobilizer acts there and H is sparse.
Spatial arrays are angular first, expressed in G, about that origin; l is p_PM in G. A symmetric matrix is (6,): xx yy zz xy xz yz.
"""

# Decision: docs/decisions/029-frame-m.md

import numpy as np

from mobod.matter.equations.mobilizer_equations import MobilizerEquations
from mobod.scalar import Array, Scalar
from mobod.spatial import cross, shift_force, shift_velocity

SYMMETRIC_ENTRIES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


def constants(
    R_BM_P: Array, p_BM_P: Array, R_PF: Array, p_PF: Array, R_BM: Array, p_BM: Array, mass: Scalar, com: Array, inertia: Array
) -> tuple[Array, ...]:
    """Constants of frames and mass: (R_PF, p_PF from the parent's M; R_MB, p_MB; mass * mass center and inertia from M).

    The first four arguments are the frame M on the parent and the frame F on it, both from the parent's own frame. com and inertia are
    those of the body, from its own frame.
    """
    R_MB = R_BM.T
    p_MB = -(R_MB @ p_BM)
    c_B = R_MB @ com
    c_M = p_MB + c_B
    # parallel axes from B to M: c_M c_M^T - c_B c_B^T = c_B p^T + p c_M^T, which is zero if both origins coincide
    square = p_MB @ (c_M + c_B)
    moved = np.array([mass * ((square if i == j else 0) - c_B[i] * p_MB[j] - p_MB[i] * c_M[j]) for i, j in SYMMETRIC_ENTRIES])
    return R_BM_P.T @ R_PF, R_BM_P.T @ (p_PF - p_BM_P), R_MB, p_MB, mass * c_M, rotated_inertia(R_MB, inertia) + moved


def position(
    equations: MobilizerEquations,
    R_GP: Array,
    p_GP: Array,
    R_PF: Array,
    p_PF: Array,
    q: Array,
    mc: Array,
    inertia: Array,
    parameters: Array | tuple[()] = (),
) -> tuple[Array, ...]:
    """(R_GF, R_GM, p_GM, l, H, mass * mass center, inertia), the last two in G."""
    equations = equations.with_parameters(parameters)
    X_FM = equations.X_FM(q)
    R_GF = R_GP @ R_PF
    R_GM = R_GF @ X_FM.R
    l = R_GP @ p_PF + R_GF @ X_FM.p
    H_FM = equations.H_FM(q)
    H = np.concatenate([R_GF @ H_FM[:3], R_GF @ H_FM[3:]])
    return R_GF, R_GM, p_GP + l, l, H, R_GM @ mc, rotated_inertia(R_GM, inertia)


def body_pose(R_GM: Array, p_GM: Array, R_MB: Array, p_MB: Array) -> tuple[Array, ...]:
    """(R_GB, p_GB, p_MB in G)."""
    r = R_GM @ p_MB
    return R_GM @ R_MB, p_GM + r, r


def rotated_inertia(R: Array, inertia: Array) -> Array:
    """R I R^T, with I and the result as (6,): xx yy zz xy xz yz."""
    half = R @ symmetric(inertia)
    return np.array([half[i] @ R[j] for i, j in SYMMETRIC_ENTRIES])


def symmetric(entries: Array) -> Array:
    """(3, 3) from (6,): xx yy zz xy xz yz."""
    xx, yy, zz, xy, xz, yz = entries
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def prescribed_velocity(
    equations: MobilizerEquations,
    R_GF: Array,
    l: Array,
    H: Array,
    V_P: Array,
    A_c_P: Array,
    q: Array,
    u: Array,
    mass: Scalar,
    mc: Array,
    inertia: Array,
    known_u_dot: Array,
    parameters: Array | tuple[()] = (),
) -> tuple[Array, ...]:
    """`velocity` of a mobilizer whose u_dot may be known; A_c then includes the known u_dot."""
    return velocity(equations, R_GF, l, H, V_P, A_c_P, q, u, mass, mc, inertia, parameters, known_u_dot)


def velocity(
    equations: MobilizerEquations,
    R_GF: Array,
    l: Array,
    H: Array,
    V_P: Array,
    A_c_P: Array,
    q: Array,
    u: Array,
    mass: Scalar,
    mc: Array,
    inertia: Array,
    parameters: Array | tuple[()] = (),
    known_u_dot: Array | None = None,
) -> tuple[Array, ...]:
    """(V, A_c, F_c, q_dot).

    V    (6,)  velocity of the body
    A_c  (6,)  its acceleration if all u_dot are zero: Jdot u
    F_c  (6,)  the force needed for this acceleration and the gyroscopic effects: M A_c + b
    """
    equations = equations.with_parameters(parameters)
    across = H[:3] @ u, H[3:] @ u
    known = () if known_u_dot is None else (H[:3] @ known_u_dot, H[3:] @ known_u_dot)
    V, A_c, F_c = motion_across(R_GF, l, V_P, A_c_P, across, equations.H_dot_u(q, u), mass, mc, inertia, known)
    return V, A_c, F_c, equations.q_dot(q, u)


def motion_across(
    R_GF: Array,
    l: Array,
    V_P: Array,
    A_c_P: Array,
    across: tuple[Array, Array],
    H_dot_u: Array,
    mass: Scalar,
    mc: Array,
    inertia: Array,
    known: tuple[()] | tuple[Array, Array] = (),
) -> tuple[Array, ...]:
    """(V, A_c, F_c) of a body, see `velocity`; across: the two parts of H u, known: those of H times the known u_dot."""
    w_P, v_P = V_P[:3], V_P[3:]
    w_across, v_across = across
    w = w_P + w_across
    v = v_P + cross(w_P, l) + v_across
    alpha = A_c_P[:3] + R_GF @ H_dot_u[:3] + cross(w_P, w_across)
    a = A_c_P[3:] + cross(A_c_P[:3], l) + R_GF @ H_dot_u[3:] + cross(w_P, v_across + v - v_P)
    if known:
        alpha, a = alpha + known[0], a + known[1]

    I_G = symmetric(inertia)
    torque = I_G @ alpha + cross(mc, a) + cross(w, I_G @ w)
    force = mass * a + cross(alpha, mc) + cross(w, cross(w, mc))
    return np.concatenate([w, v]), np.concatenate([alpha, a]), np.concatenate([torque, force])


def body_velocity(V_GM: Array, r: Array) -> Array:
    """V_GB, with r = p_MB in G."""
    return shift_velocity(V_GM, r)


def body_acceleration(A_r: Array, A_c: Array, V_GM: Array, r: Array) -> Array:
    """A_GB, with r = p_MB in G; A_r + A_c is the acceleration at M."""
    A, w = A_r + A_c, V_GM[:3]
    return np.concatenate([A[:3], A[3:] + cross(A[:3], r) + cross(w, cross(w, r))])


def body_force(F_M: Array, r: Array) -> Array:
    """The same force about the body's origin, with r = p_MB in G."""
    return shift_force(F_M, r)


def kinetic_energy(mass: Scalar, mc: Array, inertia: Array, V: Array) -> Scalar:
    """V^T M V / 2 of one body."""
    w, v = V[:3], V[3:]
    return (w @ (symmetric(inertia) @ w) + mass * (v @ v)) / 2 + v @ cross(w, mc)


def acceleration_of_coordinates(
    equations: MobilizerEquations, q: Array, u: Array, u_dot: Array, parameters: Array | tuple[()] = ()
) -> Array:
    return equations.with_parameters(parameters).q_dot_dot(q, u, u_dot)
