"""Recorded functions of flexible bodies with many modes: what lies between the products of matrices, of a size that does not depend on n.

The equations are those of modal_dynamics.py and deforming_inertia.py; many_modes_rows.py has the order of the steps.
"""

import numpy as np

from mobod.matter.dynamics.deforming_inertia import motion_of_frame
from mobod.matter.dynamics.dynamics import entries_of, inertial_force, symmetric_inverse
from mobod.matter.equations.interface_equations import rate_of_rotation_vector, rotation_of_vector
from mobod.matter.tree.kinematics import motion_across, rotated_inertia, symmetric
from mobod.scalar import Array, Scalar
from mobod.scalar.derivative import jvp
from mobod.spatial import cross, cross_matrix


# kinematics
def frame_pose(R_GM: Array, p_GM: Array, R_MN: Array, p_MN: Array, deflection: Array, mc: Array, inertia: Array) -> tuple[Array, ...]:
    """(R_GN, p_GN, l, mass * mass center and inertia in G, R_GM T); R_MN, p_MN: without deformation."""
    theta = deflection[:3]
    R_GN, l = R_GM @ rotation_of_vector(theta) @ R_MN, R_GM @ (p_MN + deflection[3:])
    return R_GN, p_GM + l, l, R_GN @ mc, rotated_inertia(R_GN, inertia), R_GM @ rate_of_rotation_vector(theta)


def frame_velocity(
    R_GM: Array,
    l: Array,
    V_M: Array,
    A_c_M: Array,
    theta: Array,
    across: Array,
    rate: Array,
    mass: Scalar,
    mc: Array,
    inertia: Array,
    *known: Array,
) -> tuple[Array, ...]:
    """(V, A_c, F_c) of a frame with the rotation vector theta and its rate; across: H s, known: H times the known rates of s."""
    turning = jvp(lambda theta: rate_of_rotation_vector(theta) @ rate, [theta], [rate])[1]
    H_dot_s = np.concatenate([turning, np.zeros(3)])
    of_known = (known[0][:3], known[0][3:]) if known else ()
    return motion_across(R_GM, l, V_M, A_c_M, (across[:3], across[3:]), H_dot_s, mass, mc, inertia, of_known)


def deforming_pose(R_GM: Array, p_GM: Array, theta: Array, moved: Array, mass: Scalar, com: Array, J: Array) -> tuple[Array, ...]:
    """(R_GF, p_GF, l, 0, inertia in G, displacement; R J^-1, J^-1, R / mass) of the frame with the mass; moved: Ct eta."""
    displacement = moved / mass
    l, J_inverse = R_GM @ (com + displacement), symmetric_inverse(symmetric(J))
    R_GF = R_GM @ rotation_of_vector(theta)
    return R_GF, p_GM + l, l, np.zeros(3), rotated_inertia(R_GM, J), displacement, R_GM @ J_inverse, J_inverse, R_GM / mass


def turning_of_body(R_GM: Array, V_M: Array) -> tuple[Array, ...]:
    """(2 w, -q, q / 2) in M's axes, where w.J w = q.J for J as xx yy zz xy xz yz."""
    x, y, z = R_GM.T @ V_M[:3]
    q = np.array([x * x, y * y, z * z, 2.0 * x * y, 2.0 * x * z, 2.0 * y * z])
    return np.array([2.0 * x, 2.0 * y, 2.0 * z]), -q, q / 2


def deforming_velocity(
    R_GM: Array,
    l: Array,
    V_M: Array,
    A_c_M: Array,
    across: Array,
    mass: Scalar,
    J: Array,
    J_dot: Array,
    spin: Array,
    *known: Array,
) -> tuple[Array, ...]:
    """(V, A_c, F_c, torque in G) of the frame with the mass; spin: Cr s."""
    w, turned = R_GM.T @ V_M[:3], symmetric(J_dot)
    torque = cross(w, symmetric(J) @ w + spin) + turned @ w
    force = mass * cross(w, cross(w, R_GM.T @ l) + 2.0 * (R_GM.T @ across[3:]))
    return motion_of_frame(R_GM, l, V_M, A_c_M, across, mass, J, turned, torque, force, *known)


# inward with inertias
def frame_inertia(l: Array, mass: Scalar, mc: Array, inertia: Array, children: Array) -> tuple[Array, ...]:
    """(shift(P); P and its product with the shift, as matrices) of a frame."""
    J = symmetric(inertia) + symmetric(children[:6])
    F = cross_matrix(mc) + children[6:15].reshape(3, 3)
    M = mass * np.eye(3) + symmetric(children[15:])
    lx = cross_matrix(l)
    F_shifted, of_J = F + lx @ M, J + lx @ F.T
    shifted = np.concatenate([entries_of(of_J - F_shifted @ lx), F_shifted.ravel(), entries_of(M)])
    return shifted, _blocks(J, F, F.T, M), _blocks(of_J, F_shifted, F.T, M)


def _blocks(A: Array, B: Array, C: Array, D: Array) -> Array:
    rows = [np.concatenate([left[i], right[i]]) for left, right in ((A, B), (C, D)) for i in range(3)]
    return np.concatenate(rows).reshape(6, 6)


def without_modes(P: Array, loss: Array) -> Array:
    """P - G P_re^T; loss (6, 6): the product."""
    J, F, M = loss[:3, :3], loss[:3, 3:], loss[3:, 3:]
    return P - np.concatenate([entries_of(J), F.ravel(), entries_of(M)])


# inward with forces
def frame_force(l: Array, bias: Array, applied: Array, children: Array) -> tuple[Array, ...]:
    """(z, shift(z))"""
    z = bias - applied + children
    return z, shifted_force(l, z)


def shifted_force(l: Array, F: Array) -> Array:
    return np.concatenate([F[:3] + cross(l, F[3:]), F[3:]])


def force_on_node(bias: Array, applied: Array, children: Array) -> Array:
    return bias - applied + children


def modal_eps(f: Array, loads: Array) -> Array:
    return f + loads


def biased_modal_eps(f: Array, loads: Array, of_modes: Array) -> Array:
    return f + loads - of_modes


# outward
def shifted_acceleration(l: Array, A: Array) -> Array:
    return np.concatenate([A[:3], A[3:] + cross(A[:3], l)])


# operators
def frame_transmitted_force(mass: Scalar, mc: Array, inertia: Array, l: Array, A_r: Array, children: Array) -> tuple[Array, ...]:
    """(F, shift(F)) with F = M A_r + children."""
    F = inertial_force(mass, mc, inertia, A_r) + children
    return F, shifted_force(l, F)


# elasticity
def undamped_elastic_force(eta: Array, eta_dot: Array, parameters: Array, stiffness: Array) -> Array:
    """`modal_dynamics.elastic_force` without a damping matrix."""
    k = parameters[0] * stiffness
    return -k * eta - 2.0 * parameters[1:] * np.sqrt(k) * eta_dot


def half_product(a: Array, b: Array) -> Scalar:
    return a @ b / 2
