"""Recorded functions and rows of rotors, which turn with mobilizers and are no bodies.

A rotor with the inertia J about its axis a, which is fixed on the parent P, turns with the angular speed s = a . w_P + n u. Its energy is
J s^2 / 2. With S = sum of J a a^T, N = sum of J n a (a column for each speed) and the reflected inertia R = sum of J n^2 (for each speed):

    force along the speeds      R u_dot + N^T alpha_P
    torque on the parent        S alpha_P + N u_dot + w_P x (S w_P + N u)
    kinetic energy              w_P . S w_P / 2 + w_P . N u + R u^2 / 2
    angular momentum            S w_P + N u

In the articulated-body algorithm of dynamics.py, with P H + N for P H (N: a torque on the parent without a force):

    D = H^T P H + R    G = (P H + N) D^-1    P+ = P + S - G (P H + N)^T

Without an axis, N and S are 0: only D differs.

Source: Jain, Rodriguez, Recursive dynamics for geared robot manipulators, IEEE Conference on Decision and Control (1990).
"""

# Decision: docs/decisions/186-rotor-inertia.md

import numpy as np

from mobod.matter.tree.kinematics import SYMMETRIC_ENTRIES, symmetric
from mobod.scalar import Array, Scalar
from mobod.spatial import cross


def reflected_inertia(speeds: tuple[tuple[int, ...], ...], nu: int, J: Array, n: Array) -> Array:
    """(nu,) R."""
    sums: list[Scalar] = [0.0] * nu
    for k, own in enumerate(speeds):
        for each in own:
            sums[each] = sums[each] + J[k] * n[k] * n[k]
    return np.array(sums)


def rotor_axes(speeds: tuple[int | None, ...], nu: int, R_GF: Array, axes: Array, J: Array, n: Array) -> tuple[Array, Array]:
    """(N, S) in Ground.

    speeds  of each rotor; None: it has no axis
    axes    (rotors, 3) in F
    """
    N: list[list[Scalar]] = [[0.0] * nu for _ in range(3)]
    S = np.zeros(6)
    for k, speed in enumerate(speeds):
        if speed is not None:
            a = R_GF @ axes[k]
            S = S + np.array([J[k] * a[i] * a[j] for i, j in SYMMETRIC_ENTRIES])
            for i in range(3):
                N[i][speed] = N[i][speed] + J[k] * n[k] * a[i]
    return np.array(N), S


def spin_inertia(S: Array) -> Array:
    """S as a part of the parent's articulated inertia."""
    return S


def rotor_bias(N: Array, S: Array, V_P: Array, A_c_P: Array, u: Array) -> tuple[Array, Array]:
    """((nu,) the force along the speeds, (3,) the torque on the parent), if the unknown u_dot are 0."""
    w, alpha = V_P[:3], A_c_P[:3]
    S_matrix = symmetric(S)
    return N.T @ alpha, S_matrix @ alpha + cross(w, S_matrix @ w + N @ u)


def prescribed_rotor_bias(
    N: Array, S: Array, V_P: Array, A_c_P: Array, u: Array, reflected: Array, known_u_dot: Array
) -> tuple[Array, Array]:
    """`rotor_bias` of a mobilizer whose u_dot may be known."""
    force, torque = rotor_bias(N, S, V_P, A_c_P, u)
    return force + reflected * known_u_dot, torque + N @ known_u_dot


def known_rotor_force(reflected: Array, known_u_dot: Array) -> Array:
    """(nu,) the force along the speeds for a known u_dot, of rotors that do not act on the parent."""
    return reflected * known_u_dot


def rotor_force(reflected: Array, u_dot: Array) -> Array:
    """(nu,) R u_dot."""
    return reflected * u_dot


def coupled_rotor_force(N: Array, S: Array, reflected: Array, u_dot: Array, A_P: Array) -> tuple[Array, Array]:
    """((nu,) the force along the speeds, (3,) the torque on the parent) of accelerations."""
    alpha = A_P[:3]
    return reflected * u_dot + N.T @ alpha, symmetric(S) @ alpha + N @ u_dot


def coupled_rotor_torque(N: Array, S: Array, u_dot: Array, known_u_dot: Array, A_r_P: Array) -> Array:
    """(3,) the torque on the parent of the accelerations that are solved for."""
    return symmetric(S) @ A_r_P[:3] + N @ (u_dot - known_u_dot)


def rotor_energy(reflected: Array, u: Array) -> Scalar:
    return reflected @ (u * u) / 2


def coupled_rotor_energy(N: Array, S: Array, reflected: Array, u: Array, V_P: Array) -> Scalar:
    w = V_P[:3]
    return w @ (symmetric(S) @ w) / 2 + w @ (N @ u) + reflected @ (u * u) / 2


def rotor_momentum(N: Array, S: Array, u: Array, V_P: Array) -> Array:
    """(3,) the angular momentum, which is the same about each point."""
    return symmetric(S) @ V_P[:3] + N @ u
