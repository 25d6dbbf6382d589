"""The equations of a Port: how its frame F moves in Ground, and the force that it puts on its body."""

import numpy as np

from mobod.forces.station import arm, force_at, velocity_at
from mobod.scalar import Array, Scalar, norm, where
from mobod.spatial import cross


def pose(R_BF: Array, p_BF: Array, R_GB: Array, r: Array, p_GM: Array) -> tuple[Array, Array, Array]:
    """(p_GF, quaternion_GF, arm): the arm from the origin of the body's frame M to that of F, (3,) m, in Ground."""
    arm_F = arm(R_GB, r, p_BF)
    return p_GM + arm_F, unit_quaternion(R_GB @ R_BF), arm_F


def velocity(arm: Array, V_GM: Array) -> Array:
    """(6,) rad/s, m/s, V_GF."""
    return np.concatenate([V_GM[:3], velocity_at(arm, V_GM)])


def acceleration(p_BF: Array, R_GB: Array, V_GB: Array, A_GB: Array) -> Array:
    """(6,) rad/s^2, m/s^2, A_GF."""
    p_BF_G, w, alpha = R_GB @ p_BF, V_GB[:3], A_GB[:3]
    return np.concatenate([alpha, A_GB[3:] + cross(alpha, p_BF_G) + cross(w, cross(w, p_BF_G))])


def wrench(enabled: Scalar, torque: Array, force: Array, arm: Array) -> Array:
    """(6,) N m, N, about the origin of M."""
    F = force_at(arm, force)
    return where(enabled, np.concatenate([F[:3] + torque, F[3:]]), 0.0)


def unit_quaternion(R: Array) -> Array:
    """(4,) the quaternion that to_quaternion gives. It can be recorded.

    The derivatives are those of the row of 4 e e^T that has the largest diagonal entry.
    """
    rows = np.array(
        [
            [1 + R[0, 0] + R[1, 1] + R[2, 2], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
            [R[2, 1] - R[1, 2], 1 + R[0, 0] - R[1, 1] - R[2, 2], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
            [R[0, 2] - R[2, 0], R[0, 1] + R[1, 0], 1 - R[0, 0] + R[1, 1] - R[2, 2], R[1, 2] + R[2, 1]],
            [R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], 1 - R[0, 0] - R[1, 1] + R[2, 2]],
        ]
    )
    e, largest = rows[0], rows[0, 0]
    for i in range(1, 4):
        is_larger = rows[i, i] > largest
        e, largest = where(is_larger, rows[i], e), where(is_larger, rows[i, i], largest)
    first = e[3]
    for entry in e[2::-1]:
        first = where(entry == 0, first, entry)  # the first entry that is not zero
    return where(first < 0, -e, e) / norm(e)
