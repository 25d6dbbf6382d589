from math import pi, sqrt

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from mobod.errors import InputError, RecordingError
from mobod.scalar import Tape
from mobod.spatial import (
    cross,
    cross_matrix,
    from_body_xyz,
    from_quaternion,
    quaternion_N,
    rotation_about,
    rotation_x,
    rotation_y,
    rotation_z,
    to_axis_angle,
    to_body_xyz,
    to_quaternion,
)
from mobod.spatial.rotation import checked_rotation

ROUND_OFF = 1e-14  # tens of rounding errors of numbers of size 1
AXES = {rotation_x: [1, 0, 0], rotation_y: [0, 1, 0], rotation_z: [0, 0, 1]}


def random_rotations(count=50):
    return Rotation.random(count, rng=np.random.default_rng(1)).as_matrix()


def rate(function, x, x_dot):
    """Time derivative of function(x) by a complex step, exact to rounding."""
    step = 1e-30
    return np.imag(function(x + 1j * step * x_dot)) / step


# ---- making rotations


@pytest.mark.parametrize("rotation", AXES)
def test_rotation_about_a_coordinate_axis_matches_its_rotation_vector(rotation):
    assert_allclose(rotation(0.7), Rotation.from_rotvec(0.7 * np.array(AXES[rotation])).as_matrix(), atol=ROUND_OFF)


def test_rotation_about_an_axis_matches_its_rotation_vector_whatever_its_length():
    axis, angle = np.array([0.3, -1.2, 0.4]), 2.3
    expected = Rotation.from_rotvec(angle * axis / np.linalg.norm(axis)).as_matrix()

    for length in (1.0, 1e-200, 1e200):
        assert_allclose(rotation_about(length * axis, angle), expected, atol=ROUND_OFF)


def test_rotation_of_a_quaternion_matches_scipy_whatever_its_length():
    e = np.array([0.4, -0.3, 1.1, 0.7])
    expected = Rotation.from_quat(e, scalar_first=True).as_matrix()

    for length in (1.0, -2.7, 1e-3):
        assert_allclose(from_quaternion(length * e), expected, atol=ROUND_OFF)


def test_body_fixed_xyz_matches_scipys_intrinsic_angles():
    q = [0.4, -1.1, 2.3]

    assert_allclose(from_body_xyz(q), Rotation.from_euler("XYZ", q).as_matrix(), atol=ROUND_OFF)


# ---- rates


def test_rate_of_a_rotation_about_an_axis_is_its_angular_velocity_crossed_with_it():
    axis = np.array([2.0, 3.0, -6.0]) / 7

    R_dot = rate(lambda q: rotation_about(axis, q), 0.7, 1.9)

    assert_allclose(R_dot, cross_matrix(1.9 * axis) @ rotation_about(axis, 0.7), atol=ROUND_OFF)


def test_rate_of_body_fixed_xyz_is_the_sum_of_the_rates_about_the_turned_axes():
    q, q_dot = np.array([0.4, -1.1, 2.3]), np.array([0.7, 1.3, -0.9])
    x, y, z = np.eye(3)
    w = q_dot[0] * x + rotation_x(q[0]) @ (q_dot[1] * y + rotation_y(q[1]) @ (q_dot[2] * z))

    assert_allclose(rate(from_body_xyz, q, q_dot), cross_matrix(w) @ from_body_xyz(q), atol=ROUND_OFF)


@pytest.mark.parametrize("length", [1.0, 1.3])
def test_N_gives_quaternion_rates_of_constant_length_for_an_angular_velocity(length):
    e = length * np.array([0.1, -0.5, 0.7, 0.5])
    w = np.array([0.3, -1.7, 0.8])
    e_dot = quaternion_N(e) @ w

    assert_allclose(rate(from_quaternion, e, e_dot), cross_matrix(w) @ from_quaternion(e), atol=ROUND_OFF)
    assert_allclose(e @ e_dot, 0, atol=ROUND_OFF)


def test_left_inverse_of_N_is_four_times_its_transpose_over_the_squared_length():
    e = np.array([0.4, -0.3, 1.1, 0.7])

    assert_allclose(4 * quaternion_N(e).T @ quaternion_N(e) / (e @ e), np.eye(3), atol=ROUND_OFF)


# ---- quaternions and angles of rotations


def test_the_quaternion_of_a_rotation_reproduces_it_with_unit_length_and_positive_scalar_part():
    for R in random_rotations():
        e = to_quaternion(R)

        assert_allclose(from_quaternion(e), R, atol=ROUND_OFF)
        assert_allclose(np.linalg.norm(e), 1, atol=ROUND_OFF)
        assert e[0] >= 0


@pytest.mark.parametrize("axis", [[1, 2, -3], [-1, 2, 3], [0, -1, 2], [0, 0, -1]])
@pytest.mark.parametrize("angle", [1e-9, 0.5, pi - 1e-9, pi])
def test_quaternion_is_accurate_from_tiny_angles_to_half_turns(axis, angle):
    R = rotation_about(axis, angle)

    e = to_quaternion(R)

    expected = np.array([np.cos(angle / 2), *(np.sin(angle / 2) * np.array(axis) / np.linalg.norm(axis))])
    assert_allclose(e * np.sign(e @ expected), expected, atol=ROUND_OFF)  # half turns about an axis and its opposite are equal


def test_quaternion_of_a_half_turn_has_its_first_nonzero_entry_positive():
    R = np.diag([-1.0, -1.0, 1.0])

    assert_allclose(to_quaternion(R), [0, 0, 0, 1], atol=0)


def test_body_fixed_xyz_angles_reproduce_the_rotation():
    for R in random_rotations():
        assert_allclose(from_body_xyz(to_body_xyz(R)), R, atol=ROUND_OFF)


def test_body_fixed_xyz_angles_are_recovered_within_their_ranges():
    rng = np.random.default_rng(2)
    for q in rng.uniform([-pi, -1.5, -pi], [pi, 1.5, pi], size=(50, 3)):
        assert_allclose(to_body_xyz(from_body_xyz(q)), q, atol=100 * ROUND_OFF)  # 1 / cos(1.5) = 14 times the error of R


@pytest.mark.parametrize("middle", [pi / 2, -pi / 2])
@pytest.mark.parametrize("off", [0.0, 1e-15, 1e-13, 1e-11, 1e-8])
def test_at_and_near_the_singular_middle_angle_the_rotation_is_reproduced(middle, off):
    R = from_body_xyz([0.4, middle - np.sign(middle) * off, 2.3])

    q = to_body_xyz(R)

    assert_allclose(from_body_xyz(q), R, atol=1e-12)  # the change by taking q0 = 0


@pytest.mark.parametrize("middle", [pi / 2, -pi / 2])
def test_at_the_singular_middle_angle_the_first_angle_is_zero(middle):
    q = to_body_xyz(from_body_xyz([0.4, middle, 2.3]))

    assert_allclose(q, [0, middle, 2.3 + 0.4 * np.sign(middle)], atol=ROUND_OFF)


def test_axis_and_angle_reproduce_the_rotation_with_an_angle_up_to_pi():
    for R in random_rotations():
        axis, angle = to_axis_angle(R)

        assert_allclose(rotation_about(axis, angle), R, atol=ROUND_OFF)
        assert 0 <= angle <= pi


def test_tiny_angles_keep_their_digits():
    axis, angle = to_axis_angle(rotation_about([2, 3, -6], 1e-12))

    assert_allclose(angle, 1e-12, rtol=1e-12)
    assert_allclose(axis, np.array([2, 3, -6]) / 7, atol=1e-12)


def test_the_axis_of_the_identity_is_x_and_its_angle_zero():
    axis, angle = to_axis_angle(np.eye(3))

    assert_allclose(axis, [1, 0, 0], atol=0)
    assert angle == 0


def test_cross_matrix_and_cross_product_agree_with_numpy():
    a, b = np.array([0.3, -1.7, 0.8]), np.array([2.1, 0.4, -0.6])

    assert_allclose(cross_matrix(a) @ b, np.cross(a, b), atol=ROUND_OFF)
    assert_allclose(cross(a, b), np.cross(a, b), atol=ROUND_OFF)


# ---- what is no rotation


def test_an_axis_without_direction_is_refused():
    with pytest.raises(InputError, match=r"axis is \[0, 0, 0\], which has no direction"):
        rotation_about([0, 0, 0], 0.3)


@pytest.mark.parametrize(
    ("axis", "message"),
    [
        ([1, 2], r"axis has shape \(2,\). Numbers of shape \(3,\) are needed"),
        ([1, np.nan, 2], r"axis is \[1.0, nan, 2.0\]. All its entries must be finite"),
        (["x", "y", "z"], r"axis is \['x', 'y', 'z'\]. Numbers of shape"),
        ([1, None, 2], r"axis is \[1, None, 2\]. Numbers of shape"),
        ([[1, 2], [3]], r"axis is not an array: its rows have different lengths"),
    ],
)
def test_an_axis_that_is_not_a_finite_vector_is_refused(axis, message):
    with pytest.raises(InputError, match=message):
        rotation_about(axis, 0.3)


@pytest.mark.parametrize(
    ("e", "message"),
    [
        ([0, 0, 0, 0], "quaternion is zero, which is not a rotation"),
        ([1, 0, 0], r"quaternion has shape \(3,\)"),
        ([1, np.inf, 0, 0], "quaternion is .* must be finite"),
    ],
)
def test_an_invalid_quaternion_is_refused(e, message):
    with pytest.raises(InputError, match=message):
        from_quaternion(e)


def test_body_fixed_angles_of_the_wrong_shape_are_refused():
    with pytest.raises(InputError, match=r"body-fixed x-y-z angles has shape \(2,\)"):
        from_body_xyz([0.1, 0.2])


@pytest.mark.parametrize("read", [to_quaternion, to_body_xyz, to_axis_angle])
def test_reading_an_invalid_rotation_is_refused(read):
    with pytest.raises(InputError, match=r"rotation is not a rotation: entry \[0, 1\] of R R\^T differs by 0.2 from that of the identity"):
        read([[1, 0.1, 0], [0.1, 1, 0], [0, 0, 1]])


@pytest.mark.parametrize("read", [to_quaternion, to_body_xyz, to_axis_angle])
def test_reading_a_complex_rotation_is_refused_because_it_decides_on_values(read):
    with pytest.raises(InputError, match=r"rotation is complex"):
        read(rotation_x(0.3 + 1e-30j))


@pytest.mark.parametrize("read", [to_quaternion, to_body_xyz, to_axis_angle])
def test_reading_a_recorded_rotation_is_refused_because_it_decides_on_values(read):
    with pytest.raises(RecordingError, match=r"rotation is a recorded value"):
        read(rotation_x(Tape().symbol("q")))


def test_a_reflection_is_refused_as_a_reflection():
    with pytest.raises(InputError, match=r"X_PF is a reflection, not a rotation: its determinant is -1"):
        checked_rotation(np.diag([1, 1, -1]), "X_PF")


def test_a_rotation_printed_with_ten_digits_is_accepted_and_one_with_six_is_refused():
    R = from_body_xyz([0.4, -1.1, 2.3])

    assert_allclose(checked_rotation(R.round(10), "R"), R, atol=1e-10)
    with pytest.raises(InputError, match="give it with more digits"):
        checked_rotation(R.round(6), "R")


@pytest.mark.parametrize("scale", [1e-200, 1e200, sqrt(2)])
def test_a_scaled_rotation_of_any_size_is_refused(scale):
    with pytest.raises(InputError, match="is not a rotation"):
        checked_rotation(scale * from_body_xyz([0.4, -1.1, 2.3]), "R")


def test_a_matrix_whose_products_overflow_is_refused():
    with pytest.raises(InputError, match="R is not a rotation: entry"):
        checked_rotation([[1e200, 1e200, 0], [1e200, -1e200, 0], [0, 0, 1]], "R")
