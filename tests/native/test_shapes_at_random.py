"""Thousands of random pairs of convex shapes, against coal, against a search by SciPy, and from several builds."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from tests.native.convex_shapes import KINDS, Pose, Shape, Shapes, compiled
from tests.native.convex_supports import all_pairs, extent, nearly_touching, random_pose, random_shape, separation

KINDS_OF_PAIRS = tuple(all_pairs(tuple(kind for kind in KINDS if kind != "half_space")))
CURVED = frozenset({"cylinder", "cone", "ellipsoid"})
GAPS = (0.03, 1e-3, 1e-5, 1e-7, 1e-9, 0.0, -1e-9, -1e-7, -1e-5)  # m, of shapes of 0.1 to 0.5 m
N_OF_EACH = 7  # 7 * 36 * 9 = 2268 pairs

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def shapes() -> Shapes:
    return compiled()


@cache
def pairs_near_touch() -> list[tuple[float, tuple[Shape, Pose, Shape, Pose]]]:
    generator, library = np.random.default_rng(21), compiled()
    kinds = [pair for pair in KINDS_OF_PAIRS for _ in range(N_OF_EACH)]
    return [(gap, nearly_touching(library, generator, *pair, gap)) for gap in GAPS for pair in kinds]


def test_points_and_normals_prove_the_distances(shapes):
    worst = 0.0
    for gap, (shape1, X1, shape2, X2) in pairs_near_touch():
        found = shapes.points(shape1, X1, shape2, X2)
        nearest = found.nearest
        a, b, n = X1(nearest.a), X2(nearest.b), found.normal
        worst = max(
            worst,
            abs(separation(shape1, X1, shape2, X2, n) - found.d),
            abs(n @ X1.R @ nearest.a - extent(shape1, n @ X1.R)),
            abs(-n @ X2.R @ nearest.b - extent(shape2, -n @ X2.R)),
            np.linalg.norm(b - a) - found.d if gap > 0 else 0.0,
            abs(found.d - gap) if gap >= 0 else gap - found.d,  # of overlapping ones another direction may be better
        )
    assert worst < 1e-8


def test_every_last_normal_gives_the_cold_answer(shapes):
    pairs = [pair for _, pair in pairs_near_touch()]
    hints = np.zeros((len(pairs), 6))
    cold = shapes.many(pairs, hints=hints)
    for before, after in zip(cold, shapes.many(pairs, hints=hints), strict=True):
        assert_allclose(after.d, before.d, atol=1e-9)


def test_no_direction_separates_shapes_more_that_overlap_by_less_than_their_size(shapes):
    generator = np.random.default_rng(22)
    dense = generator.normal(size=(10_000, 3))
    dense /= np.linalg.norm(dense, axis=1)[:, None]
    missed, n_deep = [], 0
    for kind1, kind2 in KINDS_OF_PAIRS:
        for _ in range(6):
            shape1, X1 = random_shape(generator, kind1), random_pose(generator, 0.05)
            shape2, X2 = random_shape(generator, kind2), random_pose(generator, 0.05)
            d = shapes.points(shape1, X1, shape2, X2).d
            n_deep += d < -0.01
            start = dense[np.argmax(separation(shape1, X1, shape2, X2, dense))]
            searched = minimize(
                lambda x, pair=(shape1, X1, shape2, X2): -float(separation(*pair, x / np.linalg.norm(x))),
                start,
                method="Nelder-Mead",
                options={"xatol": 1e-10, "fatol": 1e-13, "maxiter": 2000},
            )
            # deeper ones have many maxima, of which a cold start may find another one
            size = min(extent(shape, dense).max() for shape in (shape1, shape2))
            if -searched.fun > d + 1e-9 and d > -size:
                missed.append((kind1, kind2, -searched.fun - d))
    assert n_deep > 150
    assert missed == [], missed


def test_coal_finds_the_same(shapes):
    coal = pytest.importorskip("coal", reason="coal, an optional peer of this test, is not installed: python -m pip install coal")
    request = coal.DistanceRequest()
    request.gjk_tolerance, request.gjk_max_iterations = 1e-12, 2000
    distances, normals, points = [], [], []
    for gap, (shape1, X1, shape2, X2) in pairs_near_touch():
        kinds = {shape1.kind, shape2.kind}
        # of curved shapes coal's own distances are off by up to 1e-6, of touching ones its normals by up to 1
        if kinds & {*CURVED, "rounded_box"} or gap < 1e-5:
            continue
        d, n, p = shapes.nearest(shape1, X1, shape2, X2)
        result = coal.DistanceResult()
        placed = [each for shape, X in ((shape1, X1), (shape2, X2)) for each in (_in_coal(coal, shape), coal.Transform3s(X.R, X.p))]
        distances.append(abs(coal.distance(*placed, request, result) - d))
        normals.append(np.abs(np.array(result.normal) - n).max())
        points.append(np.abs(np.array([result.getNearestPoint1(), result.getNearestPoint2()]) - p).max())
    assert len(distances) > 200
    assert max(distances) < 1e-8
    assert max(normals) < 1e-8
    assert max(points) < 1e-8


def _in_coal(coal, shape: Shape):
    match shape.kind:
        case "ball":
            return coal.Sphere(shape.numbers[0])
        case "capsule":
            return coal.Capsule(shape.numbers[0], 2 * shape.numbers[1])
        case "box":
            return coal.Box(*(2 * half for half in shape.numbers))
    tables = shape.tables
    vertices, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    for vertex in tables.vertices:
        vertices.append(vertex)
    for first, end in zip(tables.first_corner, tables.first_corner[1:], strict=False):
        corners = tables.corners[first:end].tolist()
        for i in range(1, len(corners) - 1):
            triangles.append(coal.Triangle(corners[0], corners[i], corners[i + 1]))
    return coal.Convex(vertices, triangles)


def test_every_optimisation_gives_the_same_bits(shapes):
    pairs = [pair for _, pair in pairs_near_touch()][::3]
    expected = [found.bits for found in shapes.many(pairs)]
    for flags in (["-O0"], ["-O3", "-funroll-loops"]):
        assert [found.bits for found in compiled(flags).many(pairs)] == expected


def test_stacks_keep_their_corners_under_noise(shapes):
    generator, brick, lower = np.random.default_rng(23), Shape("box", (0.1, 0.06, 0.04)), Shape("box", (0.5, 0.4, 0.1))
    for _ in range(500):
        noisy = [Pose(_nearly_unit(generator), np.array([0.02, 0.01, z]) + 1e-10 * generator.normal(size=3)) for z in (0.14, 0.22, 0.3)]
        poses = [(lower, Pose(np.eye(3), np.zeros(3))), *((brick, X) for X in noisy)]
        found = shapes.many([(*below, *above) for below, above in pairwise(poses)], reach=1e-3)
        assert [len(each.points) for each in found] == [4, 4, 4]


def _nearly_unit(generator: np.random.Generator) -> np.ndarray:
    x, y, z = 1e-10 * generator.normal(size=3)
    return np.eye(3) + np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
