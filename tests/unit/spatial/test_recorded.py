"""Smooth functions give the same numbers from floats and from their recordings."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mobod.scalar import Tape
from mobod.scalar.array_function import ArrayFunction
from mobod.spatial import (
    Transform,
    cross,
    from_body_xyz,
    from_quaternion,
    quaternion_N,
    rotation_about,
    shift_force,
    shift_velocity,
    spatial_inertia,
)

P_BC = [0.3, -0.7, 1.9]


def rotations(q):
    return rotation_about(q[:3], q[3]), rotation_about([2, 3, -6], q[3]), from_body_xyz(q[:3]), from_quaternion(q[6:]), quaternion_N(q[6:])


def transforms(q):
    X = Transform(from_body_xyz(q[:3]), p=q[3:6]) @ Transform(from_quaternion(q[6:]), P_BC).inverse()
    return X.R, X.p, X.apply(q[:3])


def spatial_vectors(q):
    return cross(q[:3], q[3:6]), shift_velocity(q[:6], q[7:]), shift_force(q[:6], P_BC)


def inertia(q):
    I_BBo = np.array([[q[4], q[7], q[8]], [q[7], q[5], q[9]], [q[8], q[9], q[6]]])
    return spatial_inertia(q[0], q[1:4], I_BBo), spatial_inertia(q[0], P_BC, np.eye(3))


@pytest.mark.parametrize("function", [rotations, transforms, spatial_vectors, inertia])
def test_recording_gives_the_numbers_of_floats(function):
    q = np.random.default_rng(4).normal(size=10)

    for a, b in zip(ArrayFunction(function)(q), function(q), strict=True):
        assert_allclose(a, b, atol=1e-14)  # NumPy adds in another order: a few rounding errors


def test_structural_zeros_are_not_recorded():
    q = Tape().symbols("q", (1,))

    X = Transform(rotation_about([0, 0, 1], q[0]), p=[0, 0, 0.3 * q[0]]) @ Transform(p=[0, 0, 0.5])

    is_constant = [[getattr(entry, "value", entry) is not None for entry in row] for row in X.R]
    assert is_constant == [[False, False, True], [False, False, True], [True, True, True]]
    assert [getattr(entry, "value", entry) for entry in X.p[:2]] == [0, 0]


def test_only_shapes_of_recorded_arrays_are_checked():
    q = Tape().symbols("q", (2, 2))

    with pytest.raises(ValueError, match=r"Transform: R has shape \(2, 2\)"):
        Transform(q)
