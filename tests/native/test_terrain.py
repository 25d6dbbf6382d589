"""Contact points of convex shapes and terrain (fmu_src/native/terrain/terrain_points.c)."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mobod.contact import HeightField, TerrainMesh
from mobod.contact.shapes.convex_mesh import _facets
from tests.native.convex_shapes import Pose, Shape, Shapes, compiled
from tests.native.convex_supports import nearly_touching, random_pose, separation, turned

BOUNDED = ("ball", "capsule", "box", "rounded_box", "cylinder", "cone", "ellipsoid", "hull")
GAPS = (1e-2, 1e-4, 1e-6, 1e-9, -1e-9)  # deeper, a triangle beside may have a point
AT_ORIGIN = Pose(np.eye(3), np.zeros(3))


@pytest.fixture(scope="module")
def shapes() -> Shapes:
    return compiled()


def surface_of(hull: Shape) -> Shape:
    """The triangles of a hull, as terrain."""
    assert hull.vertices is not None
    return Shape("terrain", ground=TerrainMesh(hull.vertices, _facets(hull.vertices)))


def distance_of_hull(shapes: Shapes, generator: np.random.Generator, kind: str, gap: float) -> None:
    hull, X1, other, X2 = nearly_touching(shapes, generator, "hull", kind, gap)
    expected = shapes.points(hull, X1, other, X2)
    assert expected is not None
    for pair in ((surface_of(hull), X1, other, X2), (other, X2, surface_of(hull), X1)):
        found = shapes.points(*pair, reach=max(gap, 0) + 1e-4)
        assert found is not None
        assert len({point.on for point in found.points}) == len(found.points) <= 8
        # a point has the distance of both, none is deeper, and no normal is wrong: along one of them f(n) is the distance
        assert_allclose(found.d, expected.d, rtol=0, atol=2e-9)  # faces count as the normal within 1e-9 sizes
        first, X_1, second, X_2 = (hull, X1, other, X2) if pair[1] is X1 else (other, X2, hull, X1)
        apart = max(separation(first, X_1, second, X_2, point.normal(X_1, X_2)) for point in found.points)
        assert_allclose(apart, expected.d, rtol=0, atol=2e-9)


@pytest.mark.parametrize("kind", BOUNDED)
def test_the_surface_of_a_hull_is_touched_where_the_hull_is(shapes, kind):
    generator = np.random.default_rng(BOUNDED.index(kind))
    for gap in GAPS:
        distance_of_hull(shapes, generator, kind, gap)


def test_what_touches_a_corner_or_an_edge_without_a_gap_is_found_with_a_normal_of_the_terrain(shapes):
    generator = np.random.default_rng(1014)
    for number in range(65):
        hull, X1, other, X2 = nearly_touching(shapes, generator, "hull", "cylinder", 0.0)
        if number not in (25, 64):  # an edge, and a corner, at which a search finds a normal of the cylinder alone
            continue
        for first, X_1, second, X_2 in ((surface_of(hull), X1, other, X2), (other, X2, surface_of(hull), X1)):
            found = shapes.points(first, X_1, second, X_2, reach=1e-4)
            assert found is not None
            of_hull = [hull if each.kind == "terrain" else each for each in (first, second)]
            apart = max(separation(of_hull[0], X_1, of_hull[1], X_2, point.normal(X_1, X_2)) for point in found.points)
            assert_allclose([found.d, apart], 0, atol=2e-9)


@pytest.mark.slow
@pytest.mark.parametrize("kind", BOUNDED)
def test_surfaces_of_many_hulls_are_touched_where_the_hulls_are(shapes, kind):
    generator = np.random.default_rng(100 + BOUNDED.index(kind))
    for gap in 20 * GAPS:
        distance_of_hull(shapes, generator, kind, gap)


def sides(found, X1: Pose, X2: Pose) -> np.ndarray:
    return np.array([point.normal(X1, X2) for point in found.points])


def test_a_box_on_flat_triangles_has_its_corners_alone(shapes):
    field = HeightField(np.zeros((9, 8)), (0.13, 0.11))
    for ground in (field, TerrainMesh(field.vertices, field.faces)):
        for angle in (0.0, 0.3, 1.1):
            X2 = Pose(turned(np.array([0.0, 0.0, 1.0]), angle), np.array([0.03, -0.02, 0.05]))
            found = shapes.points(Shape("terrain", ground=ground), AT_ORIGIN, Shape("box", (0.2, 0.15, 0.05)), X2, reach=0.01)
            corners = sorted(X2([(x, y, -0.05) for x in (-0.2, 0.2) for y in (-0.15, 0.15)]).tolist())
            assert_allclose(sorted(point.a.tolist() for point in found.points), corners, atol=1e-15)
            assert_allclose(sides(found, AT_ORIGIN, X2), [[0, 0, 1]] * 4, atol=1e-15)


def test_a_box_over_the_border_lies_on_it(shapes):
    field = Shape("terrain", ground=HeightField(np.zeros((5, 5)), 0.1))
    X2 = Pose(np.eye(3), np.array([0.19, 0.18, 0.05]))
    found = shapes.points(field, AT_ORIGIN, Shape("box", (0.1, 0.05, 0.05)), X2, reach=0.01)
    places = {(round(float(point.a[0]), 12), round(float(point.a[1]), 12)) for point in found.points}
    assert {(0.09, 0.13), (0.09, 0.2), (0.2, 0.13), (0.2, 0.2)} <= places
    assert all(0.09 <= x <= 0.2 and 0.13 <= y <= 0.2 for x, y in places)
    assert_allclose(sides(found, AT_ORIGIN, X2), np.tile([0, 0, 1], (len(places), 1)), atol=1e-15)


def test_a_plank_on_two_tables_is_not_caught_by_their_sides(shapes):
    """A mesh of two boxes: the plank lies over their inner edges, and its middle is beyond both sides."""
    corners = np.array([(x, y, z) for x in (-0.5, -0.2) for y in (-0.3, 0.3) for z in (-0.5, 0.0)])
    faces = np.array(_facets(corners))
    ground = TerrainMesh(np.concatenate([corners, corners + np.array([0.7, 0, 0])]), np.concatenate([faces, faces + 8]))
    for lift in (0.0, 1e-12, -1e-12, -1e-7):
        X2 = Pose(np.eye(3), np.array([0.0, 0.0, 0.02 + lift]))
        found = shapes.points(Shape("terrain", ground=ground), AT_ORIGIN, Shape("box", (0.4, 0.1, 0.02)), X2, reach=0.001)
        assert_allclose(found.d, lift, atol=1e-15)
        assert_allclose(sides(found, AT_ORIGIN, X2), np.tile([0, 0, 1], (len(found.points), 1)), atol=1e-15)
        assert {round(float(point.a[0]), 9) for point in found.points} == {-0.4, -0.2, 0.2, 0.4}


def test_normals_on_a_ridge_are_those_between_its_sides(shapes):
    x = 0.1 * np.arange(-2, 3)
    ridge = Shape("terrain", ground=HeightField(np.repeat(-np.abs(x)[:, None], 5, axis=1), 0.1))  # sides at 45 deg
    ball, r = Shape("ball", (0.05,)), 0.05
    for angle in (-0.7, -0.2, 0.0, 0.5):  # from the vertical: over the ridge itself
        n = np.array([np.sin(angle), 0, np.cos(angle)])
        X2 = Pose(np.eye(3), (r + 1e-4) * n + [0, 0.023, 0])
        (point,) = shapes.points(ridge, AT_ORIGIN, ball, X2, reach=0.001).points
        assert_allclose(point.normal(AT_ORIGIN, X2), n, atol=1e-12)
        assert_allclose(point.a, [0, 0.023, 0], atol=1e-12)
    valley = Shape("terrain", ground=HeightField(np.repeat(np.abs(x)[:, None], 5, axis=1), 0.1))
    X2 = Pose(np.eye(3), np.array([0, 0.023, (r + 1e-4) * 2**0.5]))
    found = shapes.points(valley, AT_ORIGIN, ball, X2, reach=0.001)
    assert_allclose(sorted(sides(found, AT_ORIGIN, X2)[:, 0]), [-(0.5**0.5), 0.5**0.5], atol=1e-12)


def test_what_lies_far_away_or_behind_a_mesh_does_not_touch_it(shapes):
    hull = Shape("hull", vertices=np.array([(x, y, z) for x in (0, 1.0) for y in (0, 1.0) for z in (0, 0.1)]))
    ball = Shape("ball", (0.02,))
    for p in ((0.5, 0.5, 0.05), (0.5, 0.5, 0.3), (3.0, 0.5, 0.1), (0.5, 0.5, 0.0201 + 0.1)):
        found = shapes.points(surface_of(hull), AT_ORIGIN, ball, Pose(np.eye(3), np.array(p)), reach=1e-3)
        assert (found is None) == (p[2] != 0.0201 + 0.1)
    rotated = random_pose(np.random.default_rng(4))
    assert shapes.points(surface_of(hull), rotated, surface_of(hull), rotated) is None  # terrain and terrain
