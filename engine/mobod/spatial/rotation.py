"""Rotations as 3x3 arrays R_AB, whose columns are the axes of B expressed in A; conversions from and to angles and quaternions.

Angles are in rad and right-handed. Quaternions e = (e0, e1, e2, e3) have the scalar part first.
Functions that return a rotation are smooth and can be recorded. Functions that read one (`to_...`) decide by values and need floats.
"""

# Decision: docs/decisions/035-quaternion-sizes.md

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from mobod.errors import InputError
from mobod.scalar import Array, Scalar, is_recorded, normalized
from mobod.spatial.checked import checked_array, checked_floats

# Largest deviation of R R^T from the identity. Accepts rotations with ten digits; rejects degrees, wrong signs and scaling.
ORTHONORMAL_WITHIN = 1e-9


def rotation_x(angle: Scalar) -> Array:
    """(3, 3) rotation by an angle, rad, about x; right-handed."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


def rotation_y(angle: Scalar) -> Array:
    """(3, 3) rotation by an angle, rad, about y; right-handed."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def rotation_z(angle: Scalar) -> Array:
    """(3, 3) rotation by an angle, rad, about z; right-handed."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def rotation_about(axis: ArrayLike, angle: Scalar) -> Array:
    """Rotation by an angle about an axis.

    axis     (3,)     -    of any length
    angle    ()       rad
    returns  (3, 3)
    raises   InputError if the axis is zero, not finite or no 3-vector

    Rodrigues' formula: R = 1 + s [a]x + (1 - c) [a]x^2 with the unit axis a.
    """
    x, y, z = _direction(axis)
    c, s = np.cos(angle), np.sin(angle)
    t = 1 - c
    return np.array(
        [
            [1 - t * (y * y + z * z), t * (x * y) - s * z, t * (x * z) + s * y],
            [t * (x * y) + s * z, 1 - t * (z * z + x * x), t * (y * z) - s * x],
            [t * (x * z) - s * y, t * (y * z) + s * x, 1 - t * (x * x + y * y)],
        ]
    )


def from_quaternion(e: ArrayLike) -> np.ndarray:
    """Rotation matrix of the quaternion e/|e|. It does not depend on |e|, so an integrated e need not be normalised first.

    e        (4,)     -    scalar part first
    returns  (3, 3)
    raises   InputError if e is zero, not finite or not a 4-vector
    """
    w, x, y, z = e = checked_array(e, (4,), "quaternion")
    if not is_recorded(e) and not np.any(e):
        raise InputError("the quaternion is zero, which is not a rotation. The identity is [1, 0, 0, 0].")
    s = 2 / (w * w + x * x + y * y + z * z)
    return np.array(
        [
            [1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
            [s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)],
            [s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)],
        ]
    )


_LEAST, _LARGEST = 1e-100, 1e100  # of a quaternion's entries, whose squares are computed


def check_quaternion(e: np.ndarray, what: str) -> None:
    """Raise InputError for a quaternion that has no direction: zero, not finite, or too long or too short to compute with."""
    largest = np.abs(e).max()
    if largest == 0:
        raise InputError(f"{what}: the quaternion is zero, which is not a rotation. The identity is [1, 0, 0, 0].")
    if not np.isfinite(largest):
        raise InputError(f"{what}: the quaternion {e.tolist()} is not finite. The identity is [1, 0, 0, 0].")
    if not _LEAST < largest < _LARGEST:
        raise InputError(
            f"{what}: the quaternion {e.tolist()} is too {'long' if largest > 1 else 'short'} to compute with. Scale it to unit length."
        )


def to_quaternion(R: ArrayLike) -> np.ndarray:
    """Unit quaternion of a rotation matrix. Of e and -e, the one whose first nonzero entry is positive.

    R        (3, 3)
    returns  (4,)     -    scalar part first
    raises   InputError if R is not a rotation matrix

    Shepperd's method (Quaternion from Rotation Matrix, J. Guidance and Control, 1978): divide by the largest of the four entries.
    """
    R = _rotation_of_floats(R)
    # the rows of 4 e e^T are multiples of e: the row with the largest diagonal entry loses the fewest digits
    outer = np.array(
        [
            [1 + R[0, 0] + R[1, 1] + R[2, 2], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
            [R[2, 1] - R[1, 2], 1 + R[0, 0] - R[1, 1] - R[2, 2], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
            [R[0, 2] - R[2, 0], R[0, 1] + R[1, 0], 1 - R[0, 0] + R[1, 1] - R[2, 2], R[1, 2] + R[2, 1]],
            [R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], 1 - R[0, 0] - R[1, 1] + R[2, 2]],
        ]
    )
    e = outer[np.argmax(outer.diagonal())]
    e = e / np.linalg.norm(e)
    return -e if e[np.flatnonzero(e)[0]] < 0 else e


def quaternion_N(e: Array | Sequence[Scalar]) -> Array:
    """N(e) with e_dot = N(e) w_FM, where e is the quaternion of R_FM.

    N is linear in e, which is not normalised here. So e_dot is orthogonal to e, and |e| is constant for any |e|.

    e        (4,)     -      scalar part first
    returns  (4, 3)   -      multiplies the angular velocity of M in F, expressed in F, rad/s

    It is the quaternion product w e / 2: the scalar part -w . v / 2 and the vector part (e0 w + w x v) / 2, with v = (e1, e2, e3).
    """
    w, x, y, z = e
    return np.array([[-x, -y, -z], [w, z, -y], [-z, w, x], [y, -x, w]]) / 2


def from_body_xyz(q: ArrayLike) -> np.ndarray:
    """Rotation by q0 about x, then by q1 about the new y, then by q2 about the new z: Rx(q0) Ry(q1) Rz(q2).

    q        (3,)     rad
    returns  (3, 3)
    raises   InputError if q is not finite or not a 3-vector
    """
    q = checked_array(q, (3,), "body-fixed x-y-z angles")
    return rotation_x(q[0]) @ rotation_y(q[1]) @ rotation_z(q[2])


def to_body_xyz(R: ArrayLike) -> np.ndarray:
    """Body-fixed x-y-z angles of a rotation.

    At q1 = pi/2 or -pi/2 the first and the third axis are parallel, and only the sum or the difference of their angles is determined.
    q0 is set to 0 there.

    R        (3, 3)
    returns  (3,)     rad   q0 and q2 in [-pi, pi], q1 in [-pi/2, pi/2]
    raises   InputError if R is not a rotation matrix
    """
    R = _rotation_of_floats(R)
    cos_q1 = np.hypot(R[1, 2], R[2, 2])
    is_singular = cos_q1 < 1e-12  # round-off in R determines q0 there, and setting it to 0 changes R by no more
    q0 = 0.0 if is_singular else np.arctan2(-R[1, 2], R[2, 2])
    q1 = np.arctan2(R[0, 2], cos_q1)
    s, c = np.sin(q0), np.cos(q0)
    sin_q2, cos_q2 = c * R[1, :2] + s * R[2, :2]  # the second row of Rx(-q0) R: accurate for any small cos_q1
    return np.array([q0, q1, np.arctan2(sin_q2, cos_q2)])


def to_axis_angle(R: ArrayLike) -> tuple[np.ndarray, float]:
    """Axis and angle of a rotation.

    The axis of the identity is x. Of the two axes of a half turn, it is the one whose first nonzero entry is positive.

    R        (3, 3)
    returns  axis (3,), a unit vector, and the angle in rad, in [0, pi]
    raises   InputError if R is not a rotation matrix
    """
    e = to_quaternion(R)
    length = np.linalg.norm(e[1:])
    if length == 0:
        return np.array([1.0, 0.0, 0.0]), 0.0
    return e[1:] / length, float(2 * np.arctan2(length, e[0]))


def cross_matrix(v: Array | Sequence[Scalar]) -> Array:
    """(3, 3) in the unit of v: [v]x, with [v]x a = v x a."""
    x, y, z = v
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def checked_rotation(value: object, what: str) -> np.ndarray:
    """The value as a new array (3, 3) that is a rotation. For recorded scalars only the shape is checked.

    raises   InputError if its axes are not orthonormal, with the deviation, or left-handed
    """
    R = checked_array(value, (3, 3), what)
    if is_recorded(R):
        return R
    with np.errstate(over="ignore", invalid="ignore"):
        deviation = np.abs(R @ R.T - np.eye(3))
    row, column = np.unravel_index(np.argmax(deviation), (3, 3))
    if not deviation[row, column] <= ORTHONORMAL_WITHIN:  # written so that NaN, from overflow of huge entries, is refused too
        raise InputError(
            f"{what} is not a rotation: entry [{row}, {column}] of R R^T differs by {deviation[row, column]:.3g} from that of the"
            f" identity; {ORTHONORMAL_WITHIN:g} is allowed."
            " Make R with rotation_about, from_quaternion or from_body_xyz, or give it with more digits."
        )
    if np.linalg.det(R).real < 0:
        raise InputError(f"{what} is a reflection, not a rotation: its determinant is -1. Its axes must be right-handed.")
    return R


def _rotation_of_floats(R: ArrayLike) -> np.ndarray:
    return checked_rotation(checked_floats(R, (3, 3), "rotation"), "rotation")


def _direction(axis: ArrayLike) -> np.ndarray:
    axis = checked_array(axis, (3,), "axis")
    if is_recorded(axis):
        return normalized(axis)
    if not np.any(axis):
        raise InputError("axis is [0, 0, 0], which has no direction.")
    return normalized(axis / np.abs(axis).max())  # scaled first, so that no square overflows or underflows
