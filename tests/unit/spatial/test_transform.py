import copy
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mobod.errors import InputError
from mobod.spatial import Transform, from_body_xyz

ROUND_OFF = 1e-14  # tens of rounding errors of numbers of size 1

X_AB = Transform(from_body_xyz([0.4, -1.1, 2.3]), [0.3, -0.7, 1.9])
X_BC = Transform(from_body_xyz([-2.1, 0.6, 0.9]), p=[-0.2, 0.8, 0.5])


def test_omitted_arguments_mean_no_rotation_and_no_translation():
    assert_allclose(Transform().R, np.eye(3), atol=0)
    assert_allclose(Transform().p, np.zeros(3), atol=0)
    assert_allclose(Transform(X_AB.R).p, np.zeros(3), atol=0)
    assert_allclose(Transform(p=[1, 2, 3]).R, np.eye(3), atol=0)
    assert Transform(p=[1, 2, 3]).p.dtype == float


def test_adjacent_frames_cancel_in_a_product():
    p_CS = np.array([0.6, -1.4, 0.2])

    assert_allclose((X_AB @ X_BC).apply(p_CS), X_AB.apply(X_BC.apply(p_CS)), atol=ROUND_OFF)


def test_applying_a_transform_rotates_and_then_translates():
    assert_allclose(Transform([[0, -1, 0], [1, 0, 0], [0, 0, 1]], p=[10, 20, 30]).apply([1, 2, 3]), [8, 21, 33], atol=0)


def test_the_product_with_the_inverse_is_the_identity():
    assert (X_AB @ X_AB.inverse()).isclose(Transform(), atol=ROUND_OFF)
    assert (X_AB.inverse() @ X_AB).isclose(Transform(), atol=ROUND_OFF)


def test_the_inverse_of_a_product_is_the_reversed_product_of_inverses():
    assert (X_AB @ X_BC).inverse().isclose(X_BC.inverse() @ X_AB.inverse(), atol=ROUND_OFF)


def test_isclose_detects_differences_in_rotation_and_position():
    moved = Transform(X_AB.R, X_AB.p + np.array([0, 0, 2e-6]))
    turned = Transform(X_AB.R @ from_body_xyz([0, 2e-6, 0]), X_AB.p)

    for other in (moved, turned):
        assert not X_AB.isclose(other, atol=1e-6)
        assert X_AB.isclose(other, atol=3e-6)


def test_complex_step_passes_through_construction_product_and_inverse():
    def product(q):
        return (Transform(from_body_xyz(q), q) @ X_BC).inverse() @ X_AB

    q, q_dot, step = np.array([0.4, -1.1, 2.3]), np.array([0.7, 1.3, -0.9]), 1e-30
    exact = product(q + 1j * step * q_dot)
    h = 1e-6
    after, before = product(q + h * q_dot), product(q - h * q_dot)

    assert_allclose(exact.R.imag / step, (after.R - before.R) / (2 * h), atol=1e-8)  # round-off over h is 1e-10, h^2 is 1e-12
    assert_allclose(exact.p.imag / step, (after.p - before.p) / (2 * h), atol=1e-8)


def test_a_transform_cannot_be_changed():
    with pytest.raises(AttributeError):
        X_AB.p = np.zeros(3)
    with pytest.raises(ValueError, match="read-only"):
        X_AB.p[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        X_AB.R[0, 0] = 1


def test_a_transform_copies_its_arrays():
    p = np.array([1.0, 2.0, 3.0])
    X = Transform(p=p)

    p[0] = 7

    assert X.p[0] == 1


def test_a_transform_survives_copying_and_pickling():
    for other in (copy.deepcopy(X_AB), pickle.loads(pickle.dumps(X_AB))):
        assert other.isclose(X_AB, atol=0)


def test_repr_is_one_readable_line():
    X = Transform([[0.36, 0.48, -0.8], [-0.8, 0.6, 0], [0.48, 0.64, 0.6]], p=[1, -0.25, 1 / 3])

    assert repr(X) == "Transform(R=[[0.36, 0.48, -0.8], [-0.8, 0.6, 0], [0.48, 0.64, 0.6]], p=[1, -0.25, 0.333333])"


# ---- bad input


@pytest.mark.parametrize(
    ("R", "p", "message"),
    [
        (2 * np.eye(3), None, r"Transform: R is not a rotation: entry \[0, 0\] of R R\^T differs by 3 from that of the identity; 1e-09"),
        (np.diag([1, -1, 1]), None, "Transform: R is a reflection, not a rotation"),
        (np.eye(4), None, r"Transform: R has shape \(4, 4\). Numbers of shape \(3, 3\) are needed"),
        ([[1, 0, 0], [0, np.nan, 0], [0, 0, 1]], None, "Transform: R is .* must be finite"),
        (None, [1, 2], r"Transform: p has shape \(2,\). Numbers of shape \(3,\) are needed"),
        (None, [1, 2, np.inf], "Transform: p is .* must be finite"),
        (None, "123", r"Transform: p has shape \(\)"),
    ],
)
def test_an_invalid_pose_is_refused(R, p, message):
    with pytest.raises(InputError, match=message):
        Transform(R, p)


def test_a_product_with_a_point_is_refused_with_a_remedy():
    with pytest.raises(
        InputError, match=r"Transform @ ndarray: the right operand must be a Transform. For a point S write X_AB.apply\(p_BS\)"
    ):
        X_AB @ np.array([1, 2, 3])
    with pytest.raises(TypeError):
        np.eye(3) @ X_AB


def test_applying_to_an_invalid_point_is_refused():
    with pytest.raises(InputError, match=r"Transform.apply: the point has shape \(3, 3\). One point of shape \(3,\) is needed"):
        X_AB.apply(np.eye(3))
