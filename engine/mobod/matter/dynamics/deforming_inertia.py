"""Recorded functions of a flexible body whose inertia follows its deformation, by the frame F of its present mass center.

The momentum of the body about its mass center c, with the velocity of M and the modal rates s, is that of a rigid body with the inertia J
and the velocity V_F of the mean axes (Buckens):

    V_F = shift(V_M) + H_F s      H_F = [J^-1 Cr; Ct / mass]      2 T = V_F.[J, mass] V_F + s.(Mee - Ct^T Ct / mass - Cr^T J^-1 Cr) s

So F is a frame on the body as interfaces are, which carries the mass; only its H and the mass of the modes alone depend on eta in another
way. The inertia forces of the points beyond those of F are a bias of the modes.

    of linear shapes:   torque = w x (J w + Cr s) + J_dot w       modes_i = -w.dJ_i w / 2 + 2 w.sum_k s_k Cr1_ki - H_F^T torque
    of second order:    acceleration of a point w x (w x y) + 2 w x S s + Phi2[s, s]; sums over the points

Notation: mobod/flexible/deforming_mass.py. The axes of F are those of the linear mean axes, which are exact at eta = 0 alone; nothing is
attached to it. Source: Shabana, Dynamics of Multibody Systems, ch. 5.
"""

# Decision: docs/decisions/206-deforming.md

import numpy as np

from mobod.matter.dynamics.dynamics import symmetric_inverse
from mobod.matter.equations.interface_equations import rotation_of_vector
from mobod.matter.tree.kinematics import rotated_inertia, symmetric
from mobod.scalar import Array, Scalar
from mobod.spatial import cross, cross_matrix


# position
def linear_position(
    R_GM: Array,
    p_GM: Array,
    shapes: Array,
    eta: Array,
    mass: Scalar,
    com: Array,
    J0: Array,
    Ct: Array,
    Cr0: Array,
    Mee: Array,
    J1: Array,
    J2: Array,
    Cr1: Array,
) -> tuple[Array, ...]:
    """(R_GF, p_GF, l, H, 0, inertia in G, deflection, mass of the modes alone; J, Cr, dJ); Mee: without Ct^T Ct / mass."""
    n = len(eta)
    T = np.array([sum(J2[i, j] * eta[j] for j in range(n)) for i in range(n)]).reshape(n, 6)
    J = J0 + sum((J1[i] + T[i]) * eta[i] for i in range(n))
    Cr = Cr0 + np.array([sum(Cr1[k, i] * eta[k] for k in range(n)) for i in range(n)]).reshape(n, 3).T
    return (*_frame(R_GM, p_GM, shapes, eta, mass, com, com + Ct @ eta / mass, J, Ct, Cr, Mee), J, Cr, J1 + 2.0 * T)


def point_position(eta: Array, m: Scalar, p: Array, Pt: Array, second: Array) -> tuple[Array, ...]:
    """Of one point with shapes of second order: (x, S; m x, and sums about M: J, Ct, Cr, the upper triangle of Mee)."""
    turned = second @ eta
    x, S = p + Pt @ eta + turned @ eta / 2, Pt + turned
    mS, n = m * S, len(eta)
    upper = np.array([S[:, i] @ mS[:, j] for i in range(n) for j in range(i, n)])
    return x, S, m * x, m * _point_inertia(x), mS, cross_matrix(x) @ mS, upper


def curved_position(
    R_GM: Array,
    p_GM: Array,
    shapes: Array,
    eta: Array,
    mass: Scalar,
    com: Array,
    Jr: Array,
    Cr_r: Array,
    Mr: Array,
    mc: Array,
    J: Array,
    Ct: Array,
    Cr: Array,
    upper: Array,
) -> tuple[Array, ...]:
    """As `linear_position`, from the sums of `point_position`; left for velocities: J, Cr. Jr, Cr_r, Mr: of rotary inertia."""
    n, c = len(eta), mc / mass
    pairs = [(i, j) for i in range(n) for j in range(i, n)]
    of = {pair: upper[k] + Mr[pair] - Ct[:, pair[0]] @ Ct[:, pair[1]] / mass for k, pair in enumerate(pairs)}
    Mee = np.array([of[min(i, j), max(i, j)] for i in range(n) for j in range(n)]).reshape(n, n)
    J, Cr = Jr + J - mass * _point_inertia(c), Cr_r + Cr - cross_matrix(c) @ Ct
    return (*_frame(R_GM, p_GM, shapes, eta, mass, com, c, J, Ct, Cr, Mee), J, Cr)


def _frame(
    R_GM: Array, p_GM: Array, shapes: Array, eta: Array, mass: Scalar, com: Array, c: Array, J: Array, Ct: Array, Cr: Array, Mee: Array
) -> tuple[Array, ...]:
    H_w, l, theta = symmetric_inverse(symmetric(J)) @ Cr, R_GM @ c, shapes[:3] @ eta
    H = np.concatenate([R_GM @ H_w, R_GM @ (Ct / mass)])
    alone = _symmetric_of(len(eta), lambda i, j: Mee[i, j] - Cr[:, i] @ H_w[:, j])
    deflection = np.concatenate([theta, c - com])
    return R_GM @ rotation_of_vector(theta), p_GM + l, l, H, np.zeros(3), rotated_inertia(R_GM, J), deflection, alone


def _symmetric_of(n: int, entry: object) -> Array:
    upper = {(i, j): entry(i, j) for i in range(n) for j in range(i, n)}  # type: ignore[operator] # a function
    return np.array([upper[min(i, j), max(i, j)] for i in range(n) for j in range(n)]).reshape(n, n)


def _point_inertia(y: Array) -> Array:
    xx, yy, zz = (each * each for each in y)
    return np.array([yy + zz, xx + zz, xx + yy, -y[0] * y[1], -y[0] * y[2], -y[1] * y[2]])


# velocity
def linear_velocity(
    R_GM: Array,
    l: Array,
    H: Array,
    V_M: Array,
    A_c_M: Array,
    eta_dot: Array,
    mass: Scalar,
    J: Array,
    Cr: Array,
    dJ: Array,
    Cr1: Array,
    *known_rates: Array,
) -> tuple[Array, ...]:
    """(V, A_c, F_c, bias of the modes) of F."""
    n, w = len(eta_dot), R_GM.T @ V_M[:3]
    J_dot = symmetric(sum((dJ[i] * eta_dot[i] for i in range(n)), np.zeros(6)))
    torque = cross(w, symmetric(J) @ w + Cr @ eta_dot) + J_dot @ w
    turning = [sum((Cr1[k, i] * eta_dot[k] for k in range(n)), np.zeros(3)) for i in range(n)]
    of_modes = np.array([2.0 * (w @ turning[i]) - w @ (symmetric(dJ[i]) @ w) / 2 for i in range(n)]).reshape(n)
    force = mass * cross(w, cross(w, R_GM.T @ l) + 2.0 * (R_GM.T @ (H[3:] @ eta_dot)))
    return _motion(R_GM, l, H, V_M, A_c_M, eta_dot, mass, J, J_dot, torque, force, of_modes, *known_rates)


def point_velocity(R_GM: Array, V_M: Array, eta_dot: Array, x: Array, S: Array, m: Scalar, second: Array) -> tuple[Array, ...]:
    """Of one point: its part of the sums of m acceleration, their moment about M, m x S s^T, and m S^T acceleration."""
    w, rate = R_GM.T @ V_M[:3], S @ eta_dot
    force = m * (cross(w, cross(w, x) + 2.0 * rate) + (second @ eta_dot) @ eta_dot)
    m_rate = m * rate
    return force, cross(x, force), np.array([x[i] * m_rate[j] for i in range(3) for j in range(3)]).reshape(3, 3), S.T @ force


def curved_velocity(
    R_GM: Array,
    l: Array,
    H: Array,
    V_M: Array,
    A_c_M: Array,
    eta_dot: Array,
    mass: Scalar,
    J: Array,
    Cr: Array,
    Ct: Array,
    Jr: Array,
    Cr_r: Array,
    force: Array,
    moment: Array,
    B: Array,
    of_modes: Array,
    *known_rates: Array,
) -> tuple[Array, ...]:
    """As `linear_velocity`, from the sums of `point_velocity`."""
    w, c = R_GM.T @ V_M[:3], R_GM.T @ l
    momentum = Ct @ eta_dot
    B = B - np.array([c[i] * momentum[j] for i in range(3) for j in range(3)]).reshape(3, 3)
    J_dot = 2.0 * (B[0, 0] + B[1, 1] + B[2, 2]) * np.eye(3) - B - B.T
    torque = moment - cross(c, force) + cross(w, symmetric(Jr) @ w + Cr_r @ eta_dot)
    return _motion(R_GM, l, H, V_M, A_c_M, eta_dot, mass, J, J_dot, torque, force, of_modes - Ct.T @ force / mass, *known_rates)


def _motion(
    R_GM: Array,
    l: Array,
    H: Array,
    V_M: Array,
    A_c_M: Array,
    eta_dot: Array,
    mass: Scalar,
    J: Array,
    J_dot: Array,
    torque: Array,
    force: Array,
    of_modes: Array,
    *known_rates: Array,
) -> tuple[Array, ...]:
    """As `motion_of_frame`, which has the arguments, then the bias of the modes."""
    known = tuple(H @ each for each in known_rates)
    V, A_c, F_c, torque_G = motion_of_frame(R_GM, l, V_M, A_c_M, H @ eta_dot, mass, J, J_dot, torque, force, *known)
    return V, A_c, F_c, of_modes - (H[:3].T @ torque_G)


def motion_of_frame(
    R_GM: Array,
    l: Array,
    V_M: Array,
    A_c_M: Array,
    across: Array,
    mass: Scalar,
    J: Array,
    J_dot: Array,
    torque: Array,
    force: Array,
    *known: Array,
) -> tuple[Array, ...]:
    """(V, A_c, F_c of F, the torque in G); across (6,): its velocity by the modes, known: its acceleration by their known rates.

    torque (3,) about the mass center and force (3,): sums of the points' m (w x (w x x) + 2 w x S s + Phi2[s, s]), in M's axes.
    """
    w_M = V_M[:3]
    w_F = w_M + across[:3]
    V = np.concatenate([w_F, V_M[3:] + cross(w_M, l) + across[3:]])
    J_G = rotated_inertia(R_GM, J)
    J_GG, torque_G = symmetric(J_G), R_GM @ torque
    gained = torque_G - cross(w_M, J_GG @ w_F) - R_GM @ (J_dot @ (R_GM.T @ w_F))
    alpha = A_c_M[:3] + symmetric_inverse(J_GG) @ gained + cross(w_M, w_F)
    total = J_GG @ A_c_M[:3] + torque_G
    a = A_c_M[3:] + cross(A_c_M[:3], l) + R_GM @ (force / mass)
    for each in known:
        alpha, total, a = alpha + each[:3], total + J_GG @ each[:3], a + each[3:]
    return V, np.concatenate([alpha, a]), np.concatenate([total, mass * a]), torque_G


# forces
def deforming_modal_force(
    G: Array, loads: Array, of_modes: Array, bias: Array, applied: Array, children: Array, f: Array
) -> tuple[Array, ...]:
    """`modal_dynamics.modal_force`, with the bias of the modes."""
    eps = f + loads - of_modes
    return eps, bias - applied + children + G @ eps


def bias_of_modes(of_modes: Array) -> Array:
    return of_modes
