"""Distances of all pairs of shapes: laws, independent optimisation, C. (tests/reference compares them with reference numbers.)"""

import numpy as np
import pytest
import scipy
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.contact import Box, Capsule, Circle, Cone, ConvexMesh, Cylinder, Ellipsoid, HalfSpace, RoundedBox, Sphere, Torus, pair_of
from mobod.contact.proximity import ABSENT
from mobod.errors import InputError, UnsupportedError
from mobod.scalar.derivative import jvp
from mobod.scalar.recording import record
from mobod.spatial import Transform, cross
from tests.equivalence.same_in_c import UNOPTIMISED, same_in_c
from tests.reference.moving_shapes import DISTANCE, NORMAL, POINT, MovingShapes

CORNERS = ((0.3, 0.1, -0.2), (-0.4, 0.2, 0.1), (0.1, -0.3, 0.2), (0.0, 0.3, 0.4), (0.2, 0.0, 0.5))
AT_HALF_SPACE = {
    "sphere": Sphere(0.3),
    "capsule": Capsule(0.2, 0.4),
    "cylinder": Cylinder(0.3, 0.25),
    "cylinder_of_points": Cylinder(0.3, 0.25, points=3),
    "box": Box([0.2, 0.3, 0.4]),
    "ellipsoid": Ellipsoid([0.4, 0.2, 0.1]),
    "circle": Circle(0.35),
    "torus": Torus(0.3, 0.1),
    "mesh": ConvexMesh(CORNERS),
    "cone": Cone(0.3, 0.25),
    "rounded_box": RoundedBox([0.2, 0.3, 0.4], 0.05),
}
PAIRS = {
    **{f"half_space_{name}": (HalfSpace(), shape) for name, shape in AT_HALF_SPACE.items()},
    "sphere_sphere": (Sphere(0.3), Sphere(0.2)),
    "sphere_capsule": (Sphere(0.3), Capsule(0.2, 0.4)),
    "capsule_capsule": (Capsule(0.1, 0.5), Capsule(0.2, 0.4)),
    "box_sphere": (Box([0.2, 0.3, 0.4]), Sphere(0.25)),
    "half_space_circle_of_points": (HalfSpace(), Circle(0.35, points=3)),
}
NUMBER_OF_FEATURES = [1, 2, 2, 6, 8, 1, 1, 1, 5, 2, 8, 1, 1, 5, 1, 3]
UPRIGHT = Transform()


def random_pose(rng):
    return Transform(scipy.spatial.transform.Rotation.random(rng=rng).as_matrix(), rng.uniform(-0.6, 0.6, 3))


def placements(seed, n):
    rng = np.random.default_rng(seed)
    return [(random_pose(rng), random_pose(rng)) for _ in range(n)]


def all_numbers(proximity):
    parts = proximity.distance, proximity.normal, proximity.point, proximity.tangents, proximity.regularity
    return np.concatenate([np.ravel(part) for part in parts])


# singular placements: a name of a pair, two poses
LYING = Transform([[0, 0, 1], [0, 1, 0], [-1, 0, 0]])
ABOVE = Transform(p=[0, 0, 0.5])
SINGULAR = [
    *((name, UPRIGHT, ABOVE) for name in PAIRS if name.startswith("half_space")),
    ("half_space_cylinder", UPRIGHT, Transform([[1, 0, 0], [0, -1, 0], [0, 0, -1]])),
    ("half_space_cylinder", UPRIGHT, LYING),
    ("half_space_capsule", UPRIGHT, LYING),
    ("sphere_sphere", UPRIGHT, UPRIGHT),
    ("sphere_capsule", Transform(p=[0, 0, 0.1]), UPRIGHT),
    ("capsule_capsule", UPRIGHT, UPRIGHT),
    ("capsule_capsule", UPRIGHT, LYING),
    ("capsule_capsule", UPRIGHT, Transform(p=[0.3, 0, 0.2])),
    ("capsule_capsule", UPRIGHT, Transform(LYING.R, [0, 0, 0.5])),
    ("box_sphere", UPRIGHT, UPRIGHT),
    ("box_sphere", UPRIGHT, Transform(p=[0.2, 0, 0])),
    ("box_sphere", UPRIGHT, Transform(p=[0.2, 0.3, -0.4])),
    ("box_sphere", UPRIGHT, Transform(p=[0.1, 0.2, 0.3])),
]
SPIN = np.array([0.3, -0.5, 0.7, 0.2, 0.4, -0.1]), np.array([-0.6, 0.2, 0.1, 0.3, -0.7, 0.5])


def test_the_number_of_features_follows_from_the_kinds_of_shapes():
    assert [pair_of(*shapes).n for shapes in PAIRS.values()] == NUMBER_OF_FEATURES
    for shapes in PAIRS.values():
        assert len(set(pair_of(*shapes).names)) == pair_of(*shapes).n


@pytest.mark.parametrize("name", PAIRS)
def test_the_distance_is_between_the_points_along_the_normal_and_tangents_complete_it(name):
    shape1, shape2 = PAIRS[name]
    for X_1, X_2 in [*placements(1, 5), *((X_1, X_2) for pair, X_1, X_2 in SINGULAR if pair == name)]:
        found = pair_of(shape1, shape2).proximities(shape1, X_1, shape2, X_2)
        assert len(found) == pair_of(shape1, shape2).n
        for each in found:
            assert np.isfinite(all_numbers(each)).all()
            frame = np.array([*each.tangents, each.normal])
            assert_allclose(frame @ frame.T, np.eye(3), atol=1e-14)
            assert_allclose(cross(*each.tangents), each.normal, atol=1e-14)
            if each.distance != ABSENT:
                assert each.normal @ (each.point2 - each.point1) == pytest.approx(each.distance, abs=1e-14)
                assert_allclose((each.point1 + each.point2) / 2, each.point, atol=1e-14)


@pytest.mark.parametrize("name", PAIRS)
def test_shapes_in_the_other_order_give_the_same_with_opposite_normals(name):
    shape1, shape2 = PAIRS[name]
    same_kind = type(shape1) is type(shape2)
    for X_1, X_2 in placements(2, 4):
        found = pair_of(shape1, shape2).proximities(shape1, X_1, shape2, X_2)
        other = pair_of(shape2, shape1).proximities(shape2, X_2, shape1, X_1)
        if same_kind and len(found) == 5:  # the ends of the first are then those of the second
            other = *other[2:4], *other[:2], other[4]
        assert pair_of(shape1, shape2).names == pair_of(shape2, shape1).names
        for each, turned in zip(found, other, strict=True):
            assert turned.distance == pytest.approx(each.distance, abs=1e-14)
            assert turned.regularity == pytest.approx(each.regularity, abs=1e-14)
            assert_allclose(turned.normal, -each.normal, atol=1e-13)
            assert_allclose(cross(*turned.tangents), turned.normal, atol=1e-14)
            if each.distance != ABSENT:
                assert_allclose(turned.point, each.point, atol=1e-13)


@pytest.mark.parametrize("name", PAIRS)
def test_everything_moves_with_the_shapes(name):
    shape1, shape2 = PAIRS[name]
    ((X_1, X_2), (X_BA, _)) = placements(3, 2)
    found = pair_of(shape1, shape2).proximities(shape1, X_1, shape2, X_2)
    moved = pair_of(shape1, shape2).proximities(shape1, X_BA @ X_1, shape2, X_BA @ X_2)

    for each, other in zip(found, moved, strict=True):
        assert other.distance == pytest.approx(each.distance, abs=1e-14)
        assert_allclose(other.normal, X_BA.R @ each.normal, atol=1e-13)
        assert_allclose(other.tangents, each.tangents @ X_BA.R.T, atol=1e-13)
        if each.distance != ABSENT:
            assert_allclose(other.point, X_BA.apply(each.point), atol=1e-13)


def test_tangents_of_a_half_space_are_axes_of_its_frame():
    (X_1, X_2), *_ = placements(4, 1)
    (first,) = pair_of(HalfSpace(), Sphere(0.1)).proximities(HalfSpace(), X_1, Sphere(0.1), X_2)
    (second,) = pair_of(Sphere(0.1), HalfSpace()).proximities(Sphere(0.1), X_2, HalfSpace(), X_1)

    assert_array_equal(first.tangents, X_1.R[:, :2].T)
    assert_array_equal(second.tangents, [X_1.R[:, 0], -X_1.R[:, 1]])


# derivatives


def moving(name, X_1, X_2):
    shape1, shape2 = PAIRS[name]
    return MovingShapes(shape1, X_1, SPIN[0], shape2, X_2, SPIN[1])


def velocity_at(p, X, V):
    return V[3:] + cross(V[:3], p - X.p)


@pytest.mark.fast(11)
@pytest.mark.parametrize("name", PAIRS)
def test_the_rate_of_a_distance_is_the_relative_velocity_along_the_normal(name):
    """For all features, in singular placements too: forces along the normal at the point are those of the constraint."""
    for X_1, X_2 in [*placements(5, 6), *((X_1, X_2) for pair, X_1, X_2 in SINGULAR if pair == name)]:
        values, rates, second = moving(name, X_1, X_2).at(0.0)
        assert np.isfinite(second).all()
        for numbers, rate in zip(values, rates[:, DISTANCE], strict=True):
            if numbers[DISTANCE] == ABSENT:
                assert rate == 0
            else:
                p, n = numbers[POINT], numbers[NORMAL]
                assert rate == pytest.approx(n @ (velocity_at(p, X_2, SPIN[1]) - velocity_at(p, X_1, SPIN[0])), abs=1e-12)


@pytest.mark.fast(8)
@pytest.mark.parametrize("name", PAIRS)
def test_recorded_derivatives_of_all_numbers_match_differences(name):
    step = 1e-4  # s; round-off of differences is 1e-12, and their error step^4 times fifth derivatives
    for X_1, X_2 in placements(6, 3):
        shapes = moving(name, X_1, X_2)
        at = {k: shapes.at(k * step) for k in (-2, -1, 0, 1, 2)}
        present = at[0][0, :, DISTANCE] < ABSENT
        for order in (0, 1):
            by_differences = (8 * (at[1] - at[-1]) - (at[2] - at[-2]))[order] / (12 * step)
            assert_allclose(at[0][order + 1][present], by_differences[present], rtol=1e-7, atol=1e-7)


# independent computations


def least(function, grid):
    """The least value of a function of angles, by a search on a grid, then by Newton's method with differences."""
    start = min(grid, key=function)
    found = scipy.optimize.minimize(function, start, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-15, "maxiter": 4000})
    return found.fun


TURN = np.linspace(-np.pi, np.pi, 17)
SURFACES = {
    "ellipsoid": lambda s, a, b: np.array(s.radii) * [np.cos(a) * np.cos(b), np.sin(a) * np.cos(b), np.sin(b)],
    "circle": lambda s, a, b: s.radius * np.array([np.cos(a), np.sin(a), 0]),
    "torus": lambda s, a, b: (
        (s.radius + s.tube_radius * np.cos(b)) * np.array([np.cos(a), np.sin(a), 0]) + [0, 0, s.tube_radius * np.sin(b)]
    ),
    "cylinder": lambda s, a, b: np.array([s.radius * np.cos(a), s.radius * np.sin(a), s.half_length * np.sin(b)]),
    "cone": lambda s, a, b: np.array([(1 - np.sin(b)) / 2 * s.radius * x for x in (np.cos(a), np.sin(a))] + [s.half_length * np.sin(b)]),
}


@pytest.mark.parametrize("name", SURFACES)
def test_a_half_space_is_as_far_as_the_lowest_point_of_a_round_surface(name):
    shape = AT_HALF_SPACE[name]
    for X_1, X_2 in placements(7, 3):
        n = X_1.R[:, 2]
        found = pair_of(HalfSpace(), shape).proximities(HalfSpace(), X_1, shape, X_2)

        def height(angles, X_1=X_1, X_2=X_2, n=n):
            return n @ (X_2.apply(SURFACES[name](shape, *angles)) - X_1.p)

        lowest = least(height, [(a, b) for a in TURN for b in TURN])
        assert min(each.distance for each in found) == pytest.approx(lowest, abs=1e-11)


def test_balls_around_points_segments_and_boxes_are_as_far_as_bounded_least_squares_say():
    """Each of the shapes is a ball that moves along 0, 1 or 3 axes."""
    axes_and_radius = {
        Sphere: lambda s: (np.zeros((3, 0)), np.zeros(0), s.radius),
        Capsule: lambda s: (np.eye(3)[:, 2:], np.array([s.half_length]), s.radius),
        Box: lambda s: (np.eye(3), np.array(s.half_lengths), 0.0),
    }
    n_crossing = 0
    for name in ("sphere_capsule", "capsule_capsule", "box_sphere"):
        shape1, shape2 = PAIRS[name]
        (E1, h1, r1), (E2, h2, r2) = (axes_and_radius[type(shape)](shape) for shape in (shape1, shape2))
        for X_1, X_2 in placements(8, 12):
            A, b, h = np.hstack([X_1.R @ E1, -X_2.R @ E2]), X_2.p - X_1.p, np.concatenate([h1, h2])
            x = scipy.optimize.lsq_linear(A, b, (-h, h), method="bvls", tol=1e-15).x
            apart = np.linalg.norm(A @ x - b)
            distances = [each.distance for each in pair_of(shape1, shape2).proximities(shape1, X_1, shape2, X_2)]
            n_crossing += len(distances) == 5 and min(distances) < min(distances[:4])
            if apart > 1e-6:  # otherwise the center is inside the box
                assert min(distances) == pytest.approx(apart - r1 - r2, abs=1e-12)
    assert n_crossing > 1


def test_a_center_in_a_box_counts_to_the_nearest_face():
    box, sphere = PAIRS["box_sphere"]
    (found,) = pair_of(box, sphere).proximities(box, UPRIGHT, sphere, Transform(p=[0.05, -0.25, 0.1]))

    assert found.distance == pytest.approx(-0.05 - 0.25)
    assert_array_equal(found.normal, [0, -1, 0])
    assert_allclose(found.point1, [0.05, -0.3, 0.1], atol=1e-15)
    assert found.regularity == 0


def test_points_of_a_cylinder_are_fixed_on_its_rims():
    cylinder = Cylinder(0.3, 0.2, points=4)
    found = pair_of(HalfSpace(), cylinder).proximities(HalfSpace(), UPRIGHT, cylinder, ABOVE)

    expected = [[x, y, z] for z in (0.3, 0.7) for x, y in ((0.3, 0), (0, 0.3), (-0.3, 0), (0, -0.3))]
    assert_allclose([each.point2 for each in found], expected, atol=1e-15)
    assert pair_of(HalfSpace(), cylinder).names[:2] == ("rim_0_point_0", "rim_0_point_1")


def test_points_of_a_circle_are_fixed_on_it():
    circle = Circle(0.3, points=4)
    found = pair_of(HalfSpace(), circle).proximities(HalfSpace(), UPRIGHT, circle, ABOVE)

    assert_allclose([each.point2 for each in found], [[0.3, 0, 0.5], [0, 0.3, 0.5], [-0.3, 0, 0.5], [0, -0.3, 0.5]], atol=1e-15)
    assert pair_of(HalfSpace(), circle).names == ("point_0", "point_1", "point_2", "point_3")


def test_the_regularity_falls_with_the_tilt_of_a_coin():
    coin, tilt = Circle(0.3), 1e-3
    X = Transform(mb.spatial.rotation_x(tilt), [0, 0, 0.1])
    (found,) = pair_of(HalfSpace(), coin).proximities(HalfSpace(), UPRIGHT, coin, X)

    assert found.regularity == pytest.approx(np.sin(tilt))
    assert found.distance == pytest.approx(0.1 - 0.3 * np.sin(tilt))


@pytest.mark.parametrize("scale", [1e-6, 1e6])
@pytest.mark.parametrize("name", PAIRS)
def test_distances_grow_with_the_size_of_everything(name, scale):
    shape1, shape2 = PAIRS[name]
    larger1, larger2 = (shape.with_parameters(scale * shape.parameter_values()) for shape in (shape1, shape2))
    for X_1, X_2 in placements(9, 2):
        found = pair_of(shape1, shape2).proximities(shape1, X_1, shape2, X_2)
        Y_1, Y_2 = (Transform(X.R, scale * X.p) for X in (X_1, X_2))
        larger = pair_of(larger1, larger2).proximities(larger1, Y_1, larger2, Y_2)
        for each, other in zip(found, larger, strict=True):
            assert_allclose(other.normal, each.normal, atol=1e-12)
            assert other.regularity == pytest.approx(each.regularity, rel=1e-12)
            if each.distance != ABSENT:
                assert other.distance == pytest.approx(scale * each.distance, abs=1e-14 * scale)
            else:
                assert other.distance == ABSENT


# C


@pytest.mark.slow
def test_numbers_and_derivatives_are_the_same_in_c():
    """In regular and in singular placements, to the bit: only operations whose bits IEEE 754 defines are used."""
    rng = np.random.default_rng(10)
    samples = {}
    for name, shapes in PAIRS.items():
        values = [shape.parameter_values() for shape in shapes]
        poses = [*placements(11, 2), *((X_1, X_2) for pair, X_1, X_2 in SINGULAR if pair == name)]
        arguments = [[X_1.R, X_1.p, X_2.R, X_2.p, *values] for X_1, X_2 in poses]
        directions = [rng.normal(size=each.shape) for each in arguments[0]]
        opened = [np.full(each.shape, np.nan) for each in (*arguments[0], *directions)]
        samples[name] = record(with_derivatives(*shapes), opened, about=name), [[*each, *directions] for each in arguments]

    assert same_in_c(samples, UNOPTIMISED)


def with_derivatives(shape1, shape2):
    def numbers(R1, p1, R2, p2, values1, values2):
        first, second = shape1.with_parameters(values1), shape2.with_parameters(values2)
        found = pair_of(first, second).proximities(first, Transform.of(R1, p1), second, Transform.of(R2, p2))
        return np.array([all_numbers(each) for each in found])

    def derivatives(*arguments):
        at, along = arguments[:6], arguments[6:]
        value, rate = jvp(numbers, at, along)
        return value, rate, jvp(lambda *x: jvp(numbers, x, along)[1], at, along)[1]

    return derivatives


# bad input


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ((HalfSpace(), HalfSpace()), "^contact: there is no distance between a HalfSpace and a HalfSpace. "),
        ((Ellipsoid([1, 2, 3]), Box([1, 1, 1])), "^contact: there is no distance between an Ellipsoid and a Box. "),
        ((Capsule(0.1, 0.2), Box([1, 1, 1])), "^contact: there is no distance between a Capsule and a Box. "),
    ],
)
def test_pairs_without_a_distance_are_named(shapes, message):
    with pytest.raises(UnsupportedError, match=message):
        pair_of(*shapes)


@pytest.mark.slow
def test_what_is_no_shape_is_named():
    message = "^A contact is between shapes of mobod.contact, such as mb.contact.Sphere\\(0.1\\), not Sphere of mobod.matter"
    with pytest.raises(InputError, match=message):
        pair_of(HalfSpace(), mb.decorations.Sphere(0.1))
