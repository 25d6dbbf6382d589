"""Recorded functions of the articulated-body algorithm, O(n): inward with inertias, inward with forces, outward with accelerations.

The equations are those of the guide's section 14.2, with one change: accelerations are relative to A_c, those for u_dot = 0, so that the
inward sweep does not multiply an articulated inertia by the Coriolis acceleration.

    P    = M + sum over children of shift(P+)          D = H^T P H    G = P H D^-1    P+ = P - G (P H)^T
    z    = F_c - F + sum over children of shift(z+)    eps = f - H^T z                z+ = z + G eps
    A_P' = shift(A_r of the parent)                    u_dot = D^-1 eps - G^T A_P'    A_r = A_P' + H u_dot    A = A_r + A_c

An articulated inertia [[J, F], [F^T, M]] is stored in 21 numbers: J (6), F (9), M (6). Nothing is shifted to Ground.

Source: Featherstone, Rigid Body Dynamics Algorithms (2008), ch. 7; Jain, Robot and Multibody Dynamics (2010), ch. 7.
"""

# Decisions: docs/decisions/030-zero-u-dot.md, docs/decisions/033-lost-inertia.md

import numpy as np

from mobod.matter.tree.kinematics import SYMMETRIC_ENTRIES, symmetric
from mobod.scalar import Array, Scalar, where
from mobod.spatial import cross, cross_matrix

SINGULAR = 1e-10


def articulated_inertia(
    H: Array, l: Array, mass: Scalar, mc: Array, inertia: Array, children: Array, known_level: Scalar | None = None
) -> tuple[Array, ...]:
    """(D^-1, G, shift(P+)); `children` is the sum of shift(P+) over them."""
    J, F, M, PH_w, PH_v, D_inverse = _projected(H, mass, mc, inertia, children)
    return _articulated(H, l, J, F, M, PH_w, PH_v, D_inverse, known_level)


def geared_articulated_inertia(
    H: Array, l: Array, mass: Scalar, mc: Array, inertia: Array, children: Array, reflected: Array, *known_level: Scalar
) -> tuple[Array, ...]:
    """`articulated_inertia` of a mobilizer with rotors that do not act on the parent; reflected (nu,): see rotors.py."""
    J, F, M, PH_w, PH_v, D_inverse = _projected(H, mass, mc, inertia, children, reflected)
    return _articulated(H, l, J, F, M, PH_w, PH_v, D_inverse, *known_level)


def coupled_articulated_inertia(
    H: Array, l: Array, mass: Scalar, mc: Array, inertia: Array, children: Array, reflected: Array, N: Array, *known_level: Scalar
) -> tuple[Array, ...]:
    """`articulated_inertia` of a mobilizer with rotors that act on the parent, without their S (see rotors.py)."""
    J, F, M, PH_w, PH_v, D_inverse = _projected(H, mass, mc, inertia, children, reflected)
    return _articulated(H, l, J, F, M, PH_w + N, PH_v, D_inverse, *known_level)


def _articulated(
    H: Array, l: Array, J: Array, F: Array, M: Array, PH_w: Array, PH_v: Array, D_inverse: Array, known_level: Scalar | None = None
) -> tuple[Array, ...]:
    """(D^-1, G, shift(P+)) of what `_projected` returns."""
    D_inverse = of_unknown(D_inverse, known_level)
    G_w, G_v = PH_w @ D_inverse, PH_v @ D_inverse
    F = F - G_w @ PH_v.T
    M = M - symmetric(upper(G_v, PH_v))
    F_shifted = F + np.array([cross(l, column) for column in M.T]).T
    lx = cross_matrix(l)
    J_shifted = entries_of(J) - upper(G_w, PH_w) + upper(lx, F) - np.array([cross(F_shifted[i], l)[j] for i, j in SYMMETRIC_ENTRIES])
    return D_inverse, np.concatenate([G_w, G_v]), np.concatenate([J_shifted, F_shifted.ravel(), entries_of(M)])


def inertia_of_a_kept_orientation(mass: Scalar, *enabled: Scalar) -> Array:
    """(21,) an inertia of 1 m^2 times the mass about any axis, while all constraints are enabled that keep a body from turning.

    The body has none of its own. Since it cannot turn, this one has no effect on the solution of the equations with constraints; it is
    no part of the body's energy, momentum and reactions. Any size gives the same accelerations.
    """
    J = mass
    for each in enabled:
        J = J * each
    return np.array([J, J, J, *[0.0] * 18])


def articulated_inertia_on_ground(
    H: Array, l: Array, mass: Scalar, mc: Array, inertia: Array, children: Array, known_level: Scalar | None = None
) -> Array:
    """D^-1; P is not needed for Ground."""
    return of_unknown(_projected(H, mass, mc, inertia, children)[-1], known_level)


def geared_articulated_inertia_on_ground(
    H: Array, l: Array, mass: Scalar, mc: Array, inertia: Array, children: Array, reflected: Array, *known_level: Scalar
) -> Array:
    """`articulated_inertia_on_ground` of a mobilizer with rotors."""
    return of_unknown(_projected(H, mass, mc, inertia, children, reflected)[-1], *known_level)


def prescribed_articulated_inertia(
    H: Array, l: Array, mass: Scalar, mc: Array, inertia: Array, children: Array, known_level: Scalar
) -> tuple[Array, ...]:
    """`articulated_inertia` of a mobilizer whose u_dot may be known; P+ is then P."""
    return articulated_inertia(H, l, mass, mc, inertia, children, known_level)


def prescribed_articulated_inertia_on_ground(
    H: Array, l: Array, mass: Scalar, mc: Array, inertia: Array, children: Array, known_level: Scalar
) -> Array:
    """`articulated_inertia_on_ground` of a mobilizer whose u_dot may be known."""
    return articulated_inertia_on_ground(H, l, mass, mc, inertia, children, known_level)


def of_unknown(D_inverse: Array, known_level: Scalar | None = None) -> Array:
    """The argument where u_dot is unknown, 0 where it is known."""
    return D_inverse if known_level is None else where(known_level > 0, np.zeros(D_inverse.shape), D_inverse)


def _projected(H: Array, mass: Scalar, mc: Array, inertia: Array, children: Array, reflected: Array | None = None) -> tuple[Array, ...]:
    """(J, F, M) of P, the two parts of P H, and D^-1; reflected (nu,): inertia of rotors."""
    J = symmetric(inertia) + symmetric(children[:6])
    F = cross_matrix(mc) + children[6:15].reshape(3, 3)
    M = mass * np.eye(3) + symmetric(children[15:])
    H_w, H_v = H[:3], H[3:]
    PH_w = J @ H_w + F @ H_v
    PH_v = F.T @ H_w + M @ H_v
    D = H_w.T @ PH_w + H_v.T @ PH_v
    return J, F, M, PH_w, PH_v, symmetric_inverse(D if reflected is None else D + np.diag(reflected))


def upper(a: Array, b: Array) -> Array:
    """The entries xx yy zz xy xz yz of a @ b.T."""
    return np.array([a[i] @ b[j] for i, j in SYMMETRIC_ENTRIES])


def entries_of(a: Array) -> Array:
    return np.array([a[i, j] for i, j in SYMMETRIC_ENTRIES])


def force(H: Array, G: Array, l: Array, bias: Array, applied: Array, children: Array, f: Array) -> tuple[Array, ...]:
    """(eps, shift(z+)).

    bias      (6,)   F_c of the body
    applied   (6,)   forces applied to the body
    children  (6,)   sum of shift(z+) over them
    f         (nu,)  generalized forces of the mobilizer
    """
    z = bias - applied + children
    eps = f - H.T @ z
    z = z + G @ eps
    return eps, np.concatenate([z[:3] + cross(l, z[3:]), z[3:]])


def coupled_force(
    H: Array, G: Array, l: Array, bias: Array, applied: Array, children: Array, f: Array, rotor_bias: Array
) -> tuple[Array, ...]:
    """`force` of a mobilizer with rotors that act on the parent."""
    return force(H, G, l, bias, applied, children, f - rotor_bias)


def force_on_ground(H: Array, bias: Array, applied: Array, children: Array, f: Array) -> Array:
    """eps; z is not needed for Ground."""
    return f - H.T @ (bias - applied + children)


def mobility_force(H: Array, G: Array, l: Array, children: Array, f: Array) -> tuple[Array, ...]:
    """`force` if there are only generalized forces."""
    return force(H, G, l, np.zeros(6), np.zeros(6), children, f)


def mobility_force_on_ground(H: Array, children: Array, f: Array) -> Array:
    """`force_on_ground` if there are only generalized forces."""
    return force_on_ground(H, np.zeros(6), np.zeros(6), children, f)


def acceleration(H: Array, D_inverse: Array, G: Array, l: Array, eps: Array, A_r_P: Array) -> tuple[Array, ...]:
    """(u_dot, A_r)."""
    A_P = np.concatenate([A_r_P[:3], A_r_P[3:] + cross(A_r_P[:3], l)])
    u_dot = D_inverse @ eps - G.T @ A_P
    return u_dot, A_P + H @ u_dot


def acceleration_on_ground(H: Array, D_inverse: Array, eps: Array) -> tuple[Array, ...]:
    """(u_dot, A_r)."""
    u_dot = D_inverse @ eps
    return u_dot, H @ u_dot


def known(u_dot: Array) -> Array:
    """The known u_dot, which is added to the computed u_dot, 0 there."""
    return u_dot


# inverse dynamics with known u_dot: outward, then inward


def known_acceleration(H: Array, l: Array, A_r_P: Array, u_dot: Array) -> Array:
    """A_r, (6,)."""
    return np.concatenate([A_r_P[:3], A_r_P[3:] + cross(A_r_P[:3], l)]) + H @ u_dot


def transmitted_force(mass: Scalar, mc: Array, inertia: Array, H: Array, l: Array, A_r: Array, children: Array) -> tuple[Array, ...]:
    """(H^T F, shift(F)) with F = M A_r + children: the force that the mobilizer transmits to move the body and all its descendants."""
    return projected_force(H, l, inertial_force(mass, mc, inertia, A_r) + children)


def projected_force(H: Array, l: Array, F: Array) -> tuple[Array, ...]:
    """(H^T F, shift(F)): the generalized forces of a transmitted force, and its contribution to the parent's."""
    return H.T @ F, np.concatenate([F[:3] + cross(l, F[3:]), F[3:]])


def inertial_force(mass: Scalar, mc: Array, inertia: Array, A: Array) -> Array:
    """M A, (6,)."""
    alpha, a = A[:3], A[3:]
    return np.concatenate([symmetric(inertia) @ alpha + cross(mc, a), mass * a + cross(alpha, mc)])


def reaction(
    mass: Scalar, mc: Array, inertia: Array, l: Array, A_r: Array, bias: Array, applied: Array, children: Array
) -> tuple[Array, ...]:
    """(F, shift(F)) with the whole force F that the mobilizer transmits to the body, from the body's balance of forces.

    bias      (6,)   F_c of the body
    applied   (6,)   forces applied to the body. Forces along the mobilizer's own motion are transmitted by it and are part of F
    children  (6,)   sum of shift(F) over them, minus the forces of constraints on the body
    """
    F = inertial_force(mass, mc, inertia, A_r) + bias - applied + children
    return F, np.concatenate([F[:3] + cross(l, F[3:]), F[3:]])


def opposite(F: Array) -> Array:
    return -F


def symmetric_inverse(D: Array) -> Array:
    """The inverse of a symmetric positive definite matrix (n, n), n from 0 to 6, by D = L diag(d) L^T.

    It is not finite if D is singular to round-off: if the inertia along a mobility with all earlier ones free is less than SINGULAR
    times the inertia with them locked. Only rounding errors would remain of it.
    """
    n = len(D)
    L = [[1.0 if i == j else 0.0 for j in range(n)] for i in range(n)]
    d: list[Scalar] = []
    for j in range(n):
        pivot = D[j, j] - sum(L[j][k] * L[j][k] * d[k] for k in range(j))
        d.append(where(pivot > SINGULAR * D[j, j], pivot, 0.0) if j else pivot)
        for i in range(j + 1, n):
            L[i][j] = (D[i, j] - sum(L[i][k] * L[j][k] * d[k] for k in range(j))) / d[j]
    # rows of L^-1 by forward substitution
    inverse = [[1.0 if i == j else 0.0 for j in range(n)] for i in range(n)]
    for i in range(n):
        for j in range(i):
            inverse[i][j] = -sum(L[i][k] * inverse[k][j] for k in range(j, i))
    entries = [[sum(inverse[k][i] * inverse[k][j] / d[k] for k in range(max(i, j), n)) for j in range(n)] for i in range(n)]
    return np.array(entries).reshape(n, n)


def motion_force(H: Array, F: Array, level: Scalar, applied: Array, by_constraints: Array | Scalar = 0.0) -> Array:
    """(nu,) the generalized force of a Motion, 0 where it is disabled: the transmitted force along the speeds minus the other forces there.

    F  (6,)  force that the mobilizer transmits to its body, about M
    """
    return where(level > 0, H.T @ F - applied - by_constraints, 0.0)


def geared_motion_force(
    rotor_bias: Array, H: Array, F: Array, level: Scalar, applied: Array, by_constraints: Array | Scalar = 0.0
) -> Array:
    """`motion_force` of a mobilizer with rotors that do not act on the parent."""
    return motion_force(H, F, level, applied - rotor_bias, by_constraints)


def coupled_motion_force(
    rotor_bias: Array, N: Array, A_r_P: Array, H: Array, F: Array, level: Scalar, applied: Array, by_constraints: Array | Scalar = 0.0
) -> Array:
    """`motion_force` of a mobilizer with rotors that act on the parent."""
    return motion_force(H, F, level, applied - rotor_bias - N.T @ A_r_P[:3], by_constraints)
