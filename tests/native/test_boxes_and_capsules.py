"""The rows of a box and a capsule against the runtime's own search: the least distance of those that are there is that of the shapes."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from mobod.contact import Box, Capsule, pair_of
from mobod.spatial import Transform
from tests.native.convex_shapes import Pose, Shape, compiled

N = 300


@pytest.fixture(scope="module")
def shapes():
    return compiled()


def random_pairs(seed):
    """(half lengths, radius, half length, pose of the box, of the capsule in it), some with the axis along axes of the box."""
    rng = np.random.default_rng(seed)
    for i in range(N):
        half_lengths, radius, half_length = rng.uniform(0.05, 0.3, 3), rng.uniform(0.02, 0.1), rng.uniform(0.05, 0.4)
        turned = Rotation.random(random_state=rng)
        if i % 4 == 0:
            turned = Rotation.from_euler("zyx", [rng.choice([0, np.pi / 2, rng.uniform(-3, 3)]), np.pi / 2 * rng.integers(2), 0])
        place = rng.uniform(-1, 1, 3) * (half_lengths + radius + 0.6 * half_length)
        X_GB = Transform(Rotation.random(random_state=rng).as_matrix(), rng.normal(size=3))
        yield half_lengths, radius, half_length, X_GB, Transform(turned.as_matrix(), place)


@pytest.mark.parametrize("is_swapped", [False, True])
@pytest.mark.fast(1)
def test_the_least_distance_of_the_rows_that_are_there_is_that_of_the_shapes(shapes, is_swapped):
    n_apart = 0
    for half_lengths, radius, half_length, X_GB, X_BC in random_pairs(3):
        box, capsule, X_GC = Box(half_lengths.tolist()), Capsule(radius, half_length), X_GB @ X_BC
        given = [(box, X_GB), (capsule, X_GC)]
        (one, X1), (other, X2) = given[::-1] if is_swapped else given
        found = pair_of(one, other, of_rigid_contact=True).proximities(one, X1, other, X2)
        there = [each for each in found if each.presences[0] >= 0]
        nearest = min(there, key=lambda each: each.gap)

        of_box, of_capsule = Shape("box", tuple(half_lengths)), Shape("capsule", (radius, half_length))
        distance, _, points = shapes.nearest(of_box, Pose(X_GB.R, X_GB.p), of_capsule, Pose(X_GC.R, X_GC.p))
        if distance < 1e-6 - radius:  # the axis meets the box: how deep is not said
            assert nearest.gap < 1e-6 - radius
            continue
        n_apart += 1
        assert nearest.gap == pytest.approx(distance, abs=1e-9)  # m
        assert nearest.point2 - nearest.point1 == pytest.approx(nearest.gap * nearest.normal, abs=1e-12)
        touching = [each for each in there if each.gap < nearest.gap + 1e-9]
        places = np.array([each.point for each in touching])
        apart = [np.linalg.norm(a - b) for i, a in enumerate(places) for b in places[:i]]
        assert min(apart, default=1.0) > 1e-6  # no two rows have the same point
        if len(touching) == 1:
            expected = np.array([nearest.point1, nearest.point2])[:: -1 if is_swapped else 1]
            assert expected == pytest.approx(points, abs=1e-6)  # m; the search ends at 1e-14 of the distance
    assert n_apart > N / 2
