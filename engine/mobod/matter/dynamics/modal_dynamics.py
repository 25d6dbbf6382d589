"""Recorded functions of flexible bodies in the articulated-body algorithm: the modal coordinates are eliminated before the joint.

Modal coordinates eta, with the mass Mee of the modes alone, move frames N with H_N: massless interfaces, and the frame that has the mass.
With the articulated inertia P_N and the force z_N of each frame, and l from the body's frame M to N:

    P_re = sum of shift(P_N H_N)    D = Mee + sum of H_N^T P_N H_N    G = P_re D^-1    P = sum of shift(P_N) - G P_re^T
    eps = f - sum of H_N^T z_N      z = sum of shift(z_N) + G eps
    eta_dot_dot = D^-1 eps - G^T A_r                                  A_N = shift(A_r) + H_N eta_dot_dot

This is the block elimination of eta in the equations of the body and its modes. Mee and D are positive definite, whatever is attached.

Source: Jain, Rodriguez, Recursive flexible multibody system dynamics using spatial operators, J. Guidance, Control, and Dynamics (1992).
"""

import numpy as np

from mobod.matter.dynamics.dynamics import entries_of, inertial_force, of_unknown, symmetric_inverse, upper
from mobod.matter.equations.interface_equations import InterfaceEquations
from mobod.matter.tree import kinematics
from mobod.matter.tree.kinematics import symmetric
from mobod.scalar import Array, Scalar
from mobod.spatial import cross, cross_matrix


# kinematics of a frame
def interface_position(
    R_GM: Array, p_GM: Array, R_MN: Array, p_MN: Array, shapes: Array, eta: Array, mc: Array, inertia: Array, *second: Array
) -> tuple[Array, ...]:
    """(R_GN, p_GN, l, H, mass * mass center and inertia in G, deflection); R_MN, p_MN: without deformation."""
    equations = InterfaceEquations(R_MN, p_MN, shapes, *second)
    _, R_GN, p_GN, l, H, mc_G, inertia_G = kinematics.position(equations, R_GM, p_GM, np.eye(3), np.zeros(3), eta, mc, inertia)
    return R_GN, p_GN, l, H, mc_G, inertia_G, np.concatenate([shapes[:3] @ eta, equations.displacement(eta)])


def interface_velocity(
    R_GM: Array,
    l: Array,
    H: Array,
    V_M: Array,
    A_c_M: Array,
    shapes: Array,
    eta: Array,
    eta_dot: Array,
    mass: Scalar,
    mc: Array,
    inertia: Array,
    *known_rates: Array,
) -> tuple[Array, ...]:
    """(V, A_c, F_c) of a frame; known_rates: the known eta_dot_dot of modes that may be locked."""
    return _velocity(
        InterfaceEquations(np.eye(3), np.zeros(3), shapes), R_GM, l, H, V_M, A_c_M, eta, eta_dot, mass, mc, inertia, *known_rates
    )


def curved_interface_velocity(
    second: Array,
    R_GM: Array,
    l: Array,
    H: Array,
    V_M: Array,
    A_c_M: Array,
    shapes: Array,
    eta: Array,
    eta_dot: Array,
    mass: Scalar,
    mc: Array,
    inertia: Array,
    *known_rates: Array,
) -> tuple[Array, ...]:
    """`interface_velocity` of a frame with shapes of second order."""
    equations = InterfaceEquations(np.eye(3), np.zeros(3), shapes, second)
    return _velocity(equations, R_GM, l, H, V_M, A_c_M, eta, eta_dot, mass, mc, inertia, *known_rates)


def _velocity(
    equations: InterfaceEquations,
    R_GM: Array,
    l: Array,
    H: Array,
    V_M: Array,
    A_c_M: Array,
    eta: Array,
    eta_dot: Array,
    mass: Scalar,
    mc: Array,
    inertia: Array,
    *known_rates: Array,
) -> tuple[Array, ...]:
    known = known_rates[0] if known_rates else None
    V, A_c, F_c, _ = kinematics.velocity(equations, R_GM, l, H, V_M, A_c_M, eta, eta_dot, mass, mc, inertia, (), known)
    return V, A_c, F_c


def known_modal_force(mass: Array, known_rates: Array) -> Array:
    """(n,) the force that known rates of the modal speeds need of the modes' own mass."""
    return mass @ known_rates


# inward with inertias
def interface_inertia(H: Array, l: Array, mass: Scalar, mc: Array, inertia: Array, children: Array) -> tuple[Array, ...]:
    """(shift(P), shift(P H), H^T P H) of a frame."""
    J = symmetric(inertia) + symmetric(children[:6])
    F = cross_matrix(mc) + children[6:15].reshape(3, 3)
    M = mass * np.eye(3) + symmetric(children[15:])
    PH_w, PH_v = J @ H[:3] + F @ H[3:], F.T @ H[:3] + M @ H[3:]
    lx = cross_matrix(l)
    F_shifted = F + lx @ M
    J_shifted = J + lx @ F.T - F_shifted @ lx
    shifted = np.concatenate([entries_of(J_shifted), F_shifted.ravel(), entries_of(M)])
    return shifted, np.concatenate([PH_w + lx @ PH_v, PH_v]), H[:3].T @ PH_w + H[3:].T @ PH_v


def modal_inertia(mass: Array, P_re: Array, P_ee: Array, P: Array, known_level: Scalar | None = None) -> tuple[Array, ...]:
    """(D^-1, G, P - G P_re^T); mass (n, n): Mee."""
    D_inverse = of_unknown(symmetric_inverse(mass + P_ee), known_level)
    G = P_re @ D_inverse
    w, v = slice(0, 3), slice(3, 6)
    J = P[:6] - upper(G[w], P_re[w])
    F = P[6:15] - (G[w] @ P_re[v].T).ravel()
    return D_inverse, G, np.concatenate([J, F, P[15:] - upper(G[v], P_re[v])])


# inward with forces
def interface_force(H: Array, l: Array, bias: Array, applied: Array, children: Array) -> tuple[Array, ...]:
    """(-H^T z, shift(z)); see dynamics.force."""
    return carried_force(H, l, bias - applied + children)


def carried_force(H: Array, l: Array, z: Array) -> tuple[Array, ...]:
    """(-H^T z, shift(z))."""
    return -(H.T @ z), np.concatenate([z[:3] + cross(l, z[3:]), z[3:]])


def modal_force(G: Array, loads: Array, bias: Array, applied: Array, children: Array, f: Array) -> tuple[Array, ...]:
    """(eps, z + G eps); loads (n,): the sum of -H^T z of the frames."""
    eps = f + loads
    return eps, bias - applied + children + G @ eps


def modal_mobility_force(G: Array, children: Array, eps: Array) -> Array:
    """z + G eps, if there are only generalized forces."""
    return children + G @ eps


# operators
def interface_transmitted_force(
    mass: Scalar, mc: Array, inertia: Array, H: Array, l: Array, A_r: Array, children: Array
) -> tuple[Array, ...]:
    """(H^T F, shift(F)) with F = M A_r + children."""
    return interface_projected_force(H, l, inertial_force(mass, mc, inertia, A_r) + children)


def interface_projected_force(H: Array, l: Array, F: Array) -> tuple[Array, ...]:
    """(H^T F, shift(F))."""
    return H.T @ F, np.concatenate([F[:3] + cross(l, F[3:]), F[3:]])


def modal_inertial_force(mass: Array, rates: Array, children: Array) -> tuple[Array, ...]:
    """(Mee v, the force that the node passes on)."""
    return mass @ rates, children


def passed_force(children: Array) -> Array:
    return children


# elasticity
def elastic_force(eta: Array, eta_dot: Array, parameters: Array, stiffness: Array, damping: Array) -> Array:
    """(n,) generalized forces; parameters: those of ModalEquations.

    Of a damping ratio zeta the damping of a mode is 2 zeta sqrt(k), with its stiffness k and a modal mass of 1.
    """
    k = parameters[0] * stiffness
    ratios = parameters[1:]
    return -k * eta - damping @ eta_dot - 2.0 * ratios * np.sqrt(k) * eta_dot


def elastic_energy(eta: Array, parameters: Array, stiffness: Array) -> Scalar:
    return parameters[0] * ((stiffness * eta) @ eta) / 2


def term(energy: Scalar) -> Scalar:
    return energy


def modal_kinetic_energy(mass: Array, eta_dot: Array) -> Scalar:
    """Of the modes alone, beside that of the frame that has the mass."""
    return eta_dot @ (mass @ eta_dot) / 2
