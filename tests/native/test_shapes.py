"""Distances and contact points of convex shapes (fmu_src/native/shapes), proven by support functions that NumPy computes.

Of shapes that are apart, a direction n with f(n) = d and two points of the shapes at the distance d prove each other.
"""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mobod import contact
from mobod.contact.shapes.hull_tables import hull_tables
from mobod.contact.slots import number_of_slots
from tests.native.convex_shapes import FREE, KINDS, ON_EDGES, ON_FACE_OF_1, ON_FACE_OF_2, Pose, Shape, Shapes, compiled
from tests.native.convex_supports import all_pairs, excess, extent, nearly_touching, random_pose, random_shape, separation, turned

BOUNDED = tuple(kind for kind in KINDS if kind not in ("half_space", "terrain"))
ROUND_OFF = 1e-14  # m, of lengths below 1 m
AT_ORIGIN = Pose(np.eye(3), np.zeros(3))
BOX = Shape("box", (0.5, 0.4, 0.1))
Pair = tuple[Shape, Pose, Shape, Pose]
OF_MOBOD = {
    "ball": contact.Sphere(0.1),
    "capsule": contact.Capsule(0.1, 0.2),
    "box": contact.Box([0.1, 0.2, 0.3]),
    "rounded_box": contact.RoundedBox([0.1, 0.2, 0.3], 0.05),
    "cylinder": contact.Cylinder(0.1, 0.2),
    "cone": contact.Cone(0.1, 0.2),
    "ellipsoid": contact.Ellipsoid([0.1, 0.2, 0.3]),
    "hull": contact.ConvexMesh([(0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)]),
}


@pytest.fixture(scope="module")
def shapes() -> Shapes:
    return compiled()


def some_pairs(shapes: Shapes, seed: int, gaps: tuple[float, ...]) -> list[Pair]:
    """A pair of each two kinds, and in each order, near to each other by one of the gaps (m)."""
    generator = np.random.default_rng(seed)
    kinds = [*all_pairs(BOUNDED), *((second, first) for first, second in all_pairs(BOUNDED) if first != second)]
    return [nearly_touching(shapes, generator, *pair, gaps[i % len(gaps)]) for i, pair in enumerate(kinds)]


def upright(shape: Shape, x: float, y: float, z: float, angle: float = 0.0) -> Pose:
    return Pose(turned(np.array([0.0, 0.0, 1.0]), angle), np.array([x, y, z]))


@pytest.mark.slow
def test_points_and_normal_prove_the_distance_of_shapes_that_are_apart(shapes):
    for shape1, X1, shape2, X2 in some_pairs(shapes, 1, (0.1, 1e-2, 1e-4, 1e-6)):
        found = shapes.points(shape1, X1, shape2, X2)
        point = found.nearest
        between = X2(point.b) - X1(point.a)

        # no direction separates them more, since these points are no farther apart
        assert_allclose(np.linalg.norm(between), found.d, atol=1e-11)
        assert_allclose(separation(shape1, X1, shape2, X2, found.normal), found.d, atol=1e-11)
        # and the points are points of the shapes: they do not stand out along any normal of them
        assert abs(found.normal @ X1.R @ point.a - extent(shape1, found.normal @ X1.R)) < 1e-11
        assert abs(-found.normal @ X2.R @ point.b - extent(shape2, -found.normal @ X2.R)) < 1e-11


@pytest.mark.slow
def test_no_direction_beside_the_normal_of_overlapping_shapes_separates_them_more(shapes):
    generator = np.random.default_rng(2)
    for shape1, X1, shape2, X2 in some_pairs(shapes, 3, (-1e-3, -1e-5, -1e-8)):
        found = shapes.points(shape1, X1, shape2, X2)
        beside = found.normal + generator.normal(size=(300, 3)) * 10.0 ** generator.uniform(-6, -1, (300, 1))
        beside /= np.linalg.norm(beside, axis=1)[:, None]

        assert_allclose(separation(shape1, X1, shape2, X2, found.normal), found.d, atol=1e-12)
        # the normal of a face is taken where another one is better by less than 1e-9 sizes
        assert separation(shape1, X1, shape2, X2, beside).max() < found.d + 3e-10


def test_all_points_lie_on_the_surfaces_at_their_distances_with_numbers_of_their_own(shapes):
    directions = np.random.default_rng(4).normal(size=(200, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    for shape1, X1, shape2, X2 in some_pairs(shapes, 5, (0.01, 1e-6, 0.0, -1e-6)):
        found = shapes.points(shape1, X1, shape2, X2)
        assert (
            len({point.on for point in found.points}) == len(found.points) <= number_of_slots(OF_MOBOD[shape1.kind], OF_MOBOD[shape2.kind])
        )
        for point in found.points:
            a, b, n = X1(point.a), X2(point.b), point.normal(X1, X2)
            assert_allclose(n @ (b - a), point.d, atol=ROUND_OFF)
            assert max(excess(shape1, X1, a, directions), excess(shape2, X2, b, directions)) < 1e-11
            assert point.d > found.d - 0.02 * abs(found.d) - ROUND_OFF


def test_kinds_give_the_normal_from_shape_1_to_shape_2(shapes):
    small = Shape("box", (0.1, 0.08, 0.05))
    on_top, below = upright(small, 0.05, 0.03, 0.15), upright(small, 0.05, 0.03, -0.15)
    tilted = Pose(turned(np.array([1.0, 0, 0]), 0.3) @ turned(np.array([0, 1.0, 0]), 0.4), np.array([0.02, 0.03, 0.3]))
    for shape1, X1, shape2, X2, kind in (
        (BOX, AT_ORIGIN, small, on_top, ON_FACE_OF_1),
        (small, on_top, BOX, AT_ORIGIN, ON_FACE_OF_2),
        (BOX, AT_ORIGIN, small, below, ON_FACE_OF_1),
        (BOX, AT_ORIGIN, small, tilted, ON_FACE_OF_1),
        (Shape("capsule", (0.1, 0.2)), AT_ORIGIN, Shape("capsule", (0.1, 0.2)), Pose(tilted.R, np.array([0.2, 0.1, 0.0])), FREE),
    ):
        found = shapes.points(shape1, X1, shape2, X2)
        assert {point.kind for point in found.points} == {kind}
        for point in found.points:
            assert_allclose(point.normal(X1, X2), found.normal, atol=ROUND_OFF)
            assert found.normal @ (X2.p - X1.p) > 0


def test_crossing_edges_give_both_directions(shapes):
    cube = Shape("box", (0.1, 0.1, 0.1))
    X1 = Pose(turned(np.array([1.0, 0, 0]), np.pi / 4), np.zeros(3))  # an edge along x on top
    X2 = Pose(turned(np.array([0, 0, 1.0]), 0.7) @ turned(np.array([0, 1.0, 0]), np.pi / 4), np.array([0.01, 0.02, 0.2 * 2**0.5 + 1e-3]))

    (point,) = shapes.points(cube, X1, cube, X2).points

    assert point.kind == ON_EDGES
    assert_allclose(point.d, 1e-3, atol=ROUND_OFF)
    assert_allclose(np.abs(X1.R @ point.m), [1, 0, 0], atol=ROUND_OFF)
    assert_allclose(np.abs(X2.R @ point.e), [abs(np.sin(0.7)), np.cos(0.7), 0], atol=ROUND_OFF)
    assert_allclose(X1(point.a)[:2], X2(point.b)[:2], atol=ROUND_OFF)


def test_the_last_normal_gives_the_same_points_as_a_cold_start(shapes):
    pairs = some_pairs(shapes, 6, (1e-3, 1e-6, 0.0))
    hints = np.zeros((len(pairs), 6))
    for cold, warm in zip(shapes.many(pairs, hints=hints), shapes.many(pairs, hints=hints), strict=True):
        assert_allclose(warm.d, cold.d, atol=1e-11)
        assert_allclose(warm.nearest.a, cold.nearest.a, atol=1e-8)


def test_exchanged_shapes_give_the_mirrored_points(shapes):
    for shape1, X1, shape2, X2 in some_pairs(shapes, 7, (1e-3, 1e-5, -1e-5)):
        found, mirrored = shapes.points(shape1, X1, shape2, X2), shapes.points(shape2, X2, shape1, X1)
        assert_allclose(mirrored.d, found.d, atol=1e-12)
        assert_allclose(mirrored.normal, -found.normal, atol=1e-8)
        given, exchanged = ({point.on: (point.a, point.b) for point in each.points} for each in (found, mirrored))
        assert given.keys() == {(first, second) for second, first in exchanged}
        for (first, second), (a, b) in given.items():
            assert_allclose(exchanged[second, first], (b, a), atol=1e-8)


def test_a_motion_of_both_shapes_leaves_the_points_where_they_are_on_them(shapes):
    generator = np.random.default_rng(8)
    for shape1, X1, shape2, X2 in some_pairs(shapes, 9, (1e-3, 1e-5, -1e-5)):
        R, p = random_pose(generator).R, generator.uniform(-1, 1, 3)
        found = shapes.points(shape1, X1, shape2, X2)
        moved = shapes.points(shape1, Pose(R @ X1.R, R @ X1.p + p), shape2, Pose(R @ X2.R, R @ X2.p + p))
        assert_allclose(moved.d, found.d, atol=1e-13)
        assert_allclose(moved.normal, R @ found.normal, atol=1e-9)
        assert [point.on for point in moved.points] == [point.on for point in found.points]
        assert_allclose([point.a for point in moved.points], [point.a for point in found.points], atol=1e-9)


def test_points_are_within_reach(shapes):
    pairs = some_pairs(shapes, 10, (1e-3,))
    hints = np.zeros((len(pairs), 6))

    assert shapes.many(pairs, reach=0.9e-3) == [None] * len(pairs)
    for found in (*shapes.many(pairs, reach=1.1e-3, hints=hints), *shapes.many(pairs, reach=1.1e-3, hints=hints)):
        assert all(point.d <= 1.1e-3 for point in found.points)
    assert shapes.many(pairs, reach=0.9e-3, hints=hints) == [None] * len(pairs)


@pytest.mark.parametrize("kind", BOUNDED)
def test_over_a_half_space_the_lowest_point_is_found(shapes, kind):
    generator, ground = np.random.default_rng(11), Shape("half_space")
    for _ in range(5):
        shape, X, X_ground = random_shape(generator, kind), random_pose(generator), random_pose(generator)
        n = X_ground.R[:, 2]
        d = n @ (X.p - X_ground.p) - extent(shape, -n @ X.R)
        found, other = shapes.points(ground, X_ground, shape, X), shapes.points(shape, X, ground, X_ground)

        assert_allclose([found.d, other.d, min(point.d for point in found.points)], d, atol=ROUND_OFF)
        assert_allclose(found.normal, n, atol=ROUND_OFF)
        for point in found.points:
            assert_allclose(n @ (X(point.b) - X_ground.p), point.d, atol=ROUND_OFF)
            assert_allclose(point.a[2], 0, atol=ROUND_OFF)


def test_all_corners_of_a_box_within_reach_of_a_half_space_are_points(shapes):
    X = upright(BOX, 0.3, 0.2, 0.1)
    assert len(shapes.points(Shape("half_space"), AT_ORIGIN, BOX, X, reach=0.01).points) == 4
    assert len(shapes.points(Shape("half_space"), AT_ORIGIN, BOX, X, reach=0.3).points) == 8


@pytest.mark.parametrize("place", [(0.05, 0.03, 0.3), (0.5, 0.03, 0.3), (0.45, 0.37, 0.8)], ids=["inside", "edge", "corner"])
def test_noise_keeps_the_number_of_points_of_a_box_that_lies_flat(shapes, place):
    x, y, angle = place
    lying = Shape("box", (0.1, 0.08, 0.05))
    count = len(shapes.points(BOX, AT_ORIGIN, lying, upright(lying, x, y, 0.15, angle), reach=1e-3).points)
    generator = np.random.default_rng(12)
    noisy = []
    for _ in range(40):
        R = turned(generator.normal(size=3), 1e-10) @ turned(np.array([0, 0, 1.0]), angle)
        noisy.append((BOX, AT_ORIGIN, lying, Pose(R, np.array([x, y, 0.15]) + 1e-10 * generator.normal(size=3))))
    assert {len(found.points) for found in shapes.many(noisy, reach=1e-3)} == {count}


def test_noise_keeps_the_four_corners_of_equal_boxes_in_a_stack(shapes):
    brick, generator = Shape("box", (0.1, 0.05, 0.03)), np.random.default_rng(13)
    for _ in range(40):
        X = Pose(turned(generator.normal(size=3), 1e-10), np.array([0, 0, 0.06]) + 1e-10 * generator.normal(size=3))
        found = shapes.points(brick, AT_ORIGIN, brick, X, reach=1e-3)
        assert len(found.points) == 4
        assert {tuple(np.round(point.a[:2], 6)) for point in found.points} == set(product((-0.1, 0.1), (-0.05, 0.05)))


def test_tilted_boxes_touch_at_their_lowest_corner_with_the_others_above(shapes):
    lying = Shape("box", (0.1, 0.08, 0.05))
    R = turned(np.array([1.0, 2.0, 0.0]), 1e-5)
    corners = np.array(list(product((-0.1, 0.1), (-0.08, 0.08), (-0.05, 0.05)))) @ R.T
    X = Pose(R, np.array([0.05, 0.03, 0.1 - corners[:, 2].min()]))
    found = shapes.points(BOX, AT_ORIGIN, lying, X, reach=1e-3)
    assert_allclose(sorted(point.d for point in found.points), np.sort(corners[:, 2])[:4] - corners[:, 2].min(), atol=ROUND_OFF)


def test_a_cylinder_that_stands_over_an_edge_touches_along_its_disc(shapes):
    radius, half_length, x = 0.1, 0.2, 0.46
    cylinder = Shape("cylinder", (radius, half_length))
    found = shapes.points(BOX, AT_ORIGIN, cylinder, upright(cylinder, x, 0.1, 0.1 + half_length), reach=1e-3)
    b = np.array([point.b for point in found.points]) + np.array([x, 0.1, 0.0])

    assert len(found.points) <= 8
    assert np.hypot(b[:, 0] - x, b[:, 1] - 0.1).max() < radius + ROUND_OFF
    # where its rim crosses the edge of the box, exactly
    across = np.sqrt(radius**2 - (0.5 - x) ** 2)
    for y in (0.1 - across, 0.1 + across):
        assert np.abs(b[:, :2] - [0.5, y]).max(axis=1).min() < ROUND_OFF


@pytest.mark.parametrize("angle", [0.0, 0.05])
def test_rims_of_two_discs_cross_where_both_are(shapes, angle):
    lower, upper = Shape("cylinder", (0.1, 0.05)), Shape("cylinder", (0.08, 0.03))
    R = turned(np.array([0.0, 1.0, 0.0]), angle)
    d_lowest = extent(upper, -R[2])
    found = shapes.points(lower, AT_ORIGIN, upper, Pose(R, np.array([0.09, 0.02, 0.05 + d_lowest])), reach=0.02)
    on_both_rims = [p for p in found.points if np.isclose(np.hypot(*p.a[:2]), 0.1) and np.isclose(np.hypot(*p.b[:2]), 0.08)]
    assert len(on_both_rims) == 2
    for point in on_both_rims:
        assert_allclose([np.hypot(*point.a[:2]), np.hypot(*point.b[:2]), point.b[2]], [0.1, 0.08, -0.03], atol=1e-12)


def test_parallel_capsules_touch_along_their_common_part(shapes):
    capsule, other = Shape("capsule", (0.05, 0.2)), Shape("capsule", (0.03, 0.1))
    found = shapes.points(capsule, AT_ORIGIN, other, Pose(turned(np.array([1.0, 0, 0]), np.pi), np.array([0.08, 0, 0.15])))
    assert_allclose(sorted(point.a[2] for point in found.points), [0.05, 0.2], atol=ROUND_OFF)
    assert_allclose([point.d for point in found.points], 0, atol=ROUND_OFF)

    crossed = shapes.points(capsule, AT_ORIGIN, other, Pose(turned(np.array([1.0, 0, 0]), 1.0), np.array([0.08, 0, 0.01])))
    assert len(crossed.points) == 1


@pytest.mark.parametrize(
    "other", [Shape("capsule", (0.05, 0.6)), Shape("rounded_box", (0.04, 0.04, 0.6, 0.01))], ids=["capsule", "rounded_box"]
)
def test_a_rounded_shape_across_a_box_touches_both_edges_at_any_tilt(shapes, other):
    depth = 1e-6
    for tilt in (-1e-5, -1e-9, 0.0, 1e-9, 1e-5):  # along y, longer than the box
        found = shapes.points(
            BOX, AT_ORIGIN, other, Pose(turned(np.array([1.0, 0, 0]), np.pi / 2 + tilt), np.array([0.1, 0, 0.15 - depth]))
        )

        ends = sorted((point.a[1], point.d) for point in found.points)
        assert {round(y, 6) for y, _ in ends} == {-0.4, 0.4}
        assert_allclose([ends[0][1], ends[-1][1]], [-depth - 0.4 * tilt, -depth + 0.4 * tilt], atol=1e-10)


def test_a_ball_touches_everything_from_outside_and_inside(shapes):
    generator, ball = np.random.default_rng(14), Shape("ball", (0.02,))
    for kind in ("box", "cylinder", "hull"):
        shape = random_shape(generator, kind)
        outside = shapes.points(shape, AT_ORIGIN, ball, Pose(np.eye(3), np.array([0.0, 0.0, extent(shape, np.array([0, 0, 1.0])) + 0.1])))
        assert outside.d > 0
        inside = shapes.points(shape, AT_ORIGIN, ball, Pose(np.eye(3), np.array([1e-3, 2e-3, 3e-3])))
        assert inside.d < -0.02
        normal = inside.normal
        assert_allclose(separation(shape, AT_ORIGIN, ball, Pose(np.eye(3), np.array([1e-3, 2e-3, 3e-3])), normal), inside.d, atol=1e-13)


def test_steps_along_edges_find_the_farthest_vertex_and_its_best_face_of_thousands(shapes):
    generator = np.random.default_rng(15)
    points = generator.normal(size=(2000, 3))
    hull = Shape("hull", (), points / np.linalg.norm(points, axis=1)[:, None] * [0.3, 0.2, 0.1])
    assert len(hull.tables.vertices) == 2000
    plate = Shape("half_space")
    for _ in range(20):
        X = random_pose(generator)
        found = shapes.points(plate, AT_ORIGIN, hull, X)
        assert_allclose(found.d, X(hull.vertices)[:, 2].min(), atol=ROUND_OFF)


@pytest.mark.parametrize("kind", ["capsule", "cylinder", "cone", "ellipsoid"])
def test_centers_of_curvature_stay_where_round_shapes_roll(shapes, kind):
    """The lowest point moves around the shape by its radius times the angle that it rolls: so its center of curvature stays."""
    shape = {
        "capsule": Shape("capsule", (0.1, 0.2)),
        "cylinder": Shape("cylinder", (0.1, 0.2)),
        "cone": Shape("cone", (0.1, 0.2)),
        "ellipsoid": Shape("ellipsoid", (0.1, 0.15, 0.2)),
    }[kind]
    angle, along = 1e-4, turned(np.array([0.0, 0, 1]), 0.4)[:, 0]  # rad; the axis about which it rolls
    # a capsule, a cylinder and a cone lie on their sides, a cone on a line from its rim to its tip
    lean = np.arctan2(shape.numbers[0], 2 * shape.numbers[1]) if kind == "cone" else 0.0
    lying = turned(np.array([0.0, 0, 1]), 0.4) @ turned(np.array([0, 1.0, 0]), np.pi / 2 + lean) @ turned(np.array([0, 0, 1.0]), 0.3)
    if kind == "ellipsoid":
        lying = turned(np.array([0.0, 0, 1]), 0.4) @ turned(np.array([0, 1.0, 0]), np.pi / 2)
    # a cone rolls about its own axis, which leans
    axis = lying[:, 2] if kind == "cone" else along
    centers, points = [], []
    for turn in (-angle, angle):
        R = turned(axis, turn) @ lying
        X = Pose(R, np.array([0.0, 0.0, 0.1 + extent(shape, -R[2])]))
        found = shapes.points(BOX, AT_ORIGIN, shape, X, turning=axis)
        for point in found.points[:1]:
            n = point.normal(AT_ORIGIN, X)
            points.append(point.b)
            centers.append(point.b + point.radius[1] * (R.T @ n))
    moved = np.linalg.norm(points[1] - points[0])
    assert moved > angle * 0.05
    # what remains is the change of curvature of an ellipsoid, of the second order
    assert np.linalg.norm(centers[1] - centers[0]) < 1e-3 * moved


def test_corners_edges_and_faces_have_no_curvature(shapes):
    small = Shape("box", (0.1, 0.08, 0.05))
    for R in (np.eye(3), turned(np.array([0, 1.0, 0]), np.pi / 4), turned(np.array([1.0, 2, 0]), 0.7)):
        found = shapes.points(BOX, AT_ORIGIN, small, Pose(R, np.array([0.0, 0, 0.1 + extent(small, -R[2])])), turning=(1.0, 2.0, 3.0))
        assert {point.radius for point in found.points} == {(0.0, 0.0)}
    standing = shapes.points(BOX, AT_ORIGIN, Shape("cylinder", (0.1, 0.2)), upright(BOX, 0, 0, 0.3), turning=(1.0, 2.0, 3.0))
    assert {point.radius for point in standing.points} == {(0.0, 0.0)}


def test_a_hint_from_elsewhere_is_not_used(shapes):
    generator = np.random.default_rng(16)
    pair = nearly_touching(shapes, generator, "hull", "hull", 1e-3)
    expected = shapes.points(*pair)
    for hint in ([0, 0, 1, 1e9, 0, 1], [0, 0, 1, 0, -1, 1], [0, 0, 2, 0, 0, 1], [np.nan, 0, 1, 0, 0, 1], [0, 0, 1, np.nan, 0, 1]):
        assert shapes.points(*pair, hint=np.array(hint, dtype=float)).bits == expected.bits


def test_poses_that_are_not_numbers_end(shapes):
    generator = np.random.default_rng(17)
    for kind in BOUNDED:
        shape, X = random_shape(generator, kind), random_pose(generator)
        for other in ("box", "hull", "cylinder", "half_space"):
            given = Shape("half_space") if other == "half_space" else random_shape(generator, other)
            shapes.many([(shape, Pose(X.R * np.nan, X.p), given, AT_ORIGIN), (given, AT_ORIGIN, shape, Pose(X.R, X.p * np.nan))])


def test_faces_of_a_hull_have_all_of_their_corners_in_order():
    generator = np.random.default_rng(18)
    angles = np.sort(generator.uniform(0, 2 * np.pi, 7))
    prism = np.array([[0.2 * np.cos(a), 0.1 * np.sin(a), z] for z in (-0.1, 0.15) for a in angles])
    tables = hull_tables(np.vstack([prism, [[0.0, 0.0, 0.0], [0.01, 0.02, 0.15]]]) @ turned(generator.normal(size=3), 1.0).T)

    assert tables.n_faces == 9
    sizes = np.diff(tables.first_corner)
    assert sorted(sizes.tolist()) == [4] * 7 + [7] * 2
    # Euler's formula, with each edge in two faces
    assert len(tables.vertices) - len(tables.corners) / 2 + tables.n_faces == 2
    for face, normal in enumerate(tables.normals):
        corners = tables.vertices[tables.corners[tables.first_corner[face] : tables.first_corner[face + 1]]]
        heights = (tables.vertices - corners[0]) @ normal
        assert_allclose((corners - corners[0]) @ normal, 0, atol=ROUND_OFF)
        assert heights.max() < ROUND_OFF
        edges = np.roll(corners, -1, axis=0) - corners
        assert (np.cross(edges, np.roll(edges, -1, axis=0)) @ normal > 0).all()
    for vertex in range(len(tables.vertices)):
        around = slice(tables.first_neighbour[vertex], tables.first_neighbour[vertex + 1])
        for face in tables.faces[around]:
            assert vertex in tables.corners[tables.first_corner[face] : tables.first_corner[face + 1]]
        for other in tables.neighbours[around]:
            assert vertex in tables.neighbours[tables.first_neighbour[other] : tables.first_neighbour[other + 1]]


def test_a_small_box_at_the_edge_of_a_large_hull_touches_it_at_one_place(shapes):
    """To 1e-9 of the box, where the round-off of the distance is that of a hull twenty times as large."""
    generator, found = np.random.default_rng(4), []
    for _ in range(60):
        box, hull = random_shape(generator, "box"), random_shape(generator, "hull")
        large = Shape("hull", (), 20 * hull.vertices)
        X1, X2, n = random_pose(generator), random_pose(generator), generator.normal(size=3)
        n /= np.linalg.norm(n)
        X2 = Pose(X2.R, X2.p + (0.1 - separation(box, X1, large, X2, n)) * n)
        d, normal, _ = shapes.nearest(box, X1, large, X2)
        _, _, (a, b) = shapes.nearest(box, X1, large, Pose(X2.R, X2.p - d * normal))
        found.append(np.linalg.norm(b - a))
    assert max(found) < 1e-10
