"""Convex shapes in NumPy: support functions, by which distances are proven; and random pairs that nearly touch."""

from collections.abc import Iterator

import numpy as np

from tests.native.convex_shapes import Pose, Shape, Shapes


def extent(shape: Shape, m: np.ndarray) -> np.ndarray:
    """The maximum of m . x over a shape, for directions m (..., 3) in its frame."""
    m = np.asarray(m, dtype=float)
    across, length = np.hypot(m[..., 0], m[..., 1]), np.linalg.norm(m, axis=-1)
    match shape.kind:
        case "ball":
            return shape.numbers[0] * length
        case "capsule":
            return shape.numbers[0] * length + shape.numbers[1] * np.abs(m[..., 2])
        case "box" | "rounded_box":
            return np.abs(m) @ np.array(shape.numbers[:3]) + (shape.numbers[3] * length if shape.kind == "rounded_box" else 0)
        case "cylinder":
            return shape.numbers[0] * across + shape.numbers[1] * np.abs(m[..., 2])
        case "cone":
            return np.maximum(shape.numbers[0] * across - shape.numbers[1] * m[..., 2], shape.numbers[1] * m[..., 2])
        case "ellipsoid":
            return np.linalg.norm(m * np.array(shape.numbers[:3]), axis=-1)
        case "hull":
            assert shape.vertices is not None
            return (m @ shape.vertices.T).max(axis=-1)
    raise ValueError(shape.kind)


def separation(shape1: Shape, X1: Pose, shape2: Shape, X2: Pose, n: np.ndarray) -> np.ndarray:
    """f(n) = min of n . x over shape 2 - max over shape 1, for unit n (..., 3): a lower bound of the signed distance."""
    n = np.asarray(n, dtype=float)
    return n @ (X2.p - X1.p) - extent(shape1, n @ X1.R) - extent(shape2, -n @ X2.R)


def excess(shape: Shape, X: Pose, x: np.ndarray, directions: np.ndarray) -> float:
    """How far a point x of Ground is outside of a shape along the worst of some directions (n, 3); negative inside."""
    m = directions @ X.R
    return float((m @ (X.R.T @ (x - X.p)) - extent(shape, m)).max())


def turned(axis: np.ndarray, angle: float) -> np.ndarray:
    """The rotation about an axis of any length."""
    x, y, z = axis / np.linalg.norm(axis)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def random_pose(generator: np.random.Generator, spread: float = 0.3) -> Pose:
    return Pose(turned(generator.normal(size=3), generator.uniform(0, np.pi)), generator.uniform(-spread, spread, 3))


def random_shape(generator: np.random.Generator, kind: str) -> Shape:
    a, b, c, d = generator.uniform(0.1, 0.3, 4)
    if kind == "hull":
        points = generator.normal(size=(generator.integers(8, 60), 3)) * [a, b, c]
        from mobod.contact.shapes.hull_tables import hull_tables

        return Shape("hull", (), hull_tables(points).vertices)
    numbers = {"ball": (a,), "capsule": (a, b), "box": (a, b, c), "rounded_box": (a, b, c, d / 3), "ellipsoid": (a, b, c)}
    return Shape(kind, numbers.get(kind, (a, b)))


def nearly_touching(shapes: Shapes, generator: np.random.Generator, kind1: str, kind2: str, gap: float) -> tuple[Shape, Pose, Shape, Pose]:
    """A random pair that is `gap` apart: apart in a random direction first, then moved along the vector between its nearest points."""
    shape1, shape2, X1, X2 = random_shape(generator, kind1), random_shape(generator, kind2), random_pose(generator), random_pose(generator)
    n = generator.normal(size=3)
    n /= np.linalg.norm(n)
    X2 = Pose(X2.R, X2.p + (0.1 - separation(shape1, X1, shape2, X2, n)) * n)
    d, normal, _ = shapes.nearest(shape1, X1, shape2, X2)
    return shape1, X1, shape2, Pose(X2.R, X2.p + (gap - d) * normal)


def all_pairs(kinds: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    return ((first, second) for i, first in enumerate(kinds) for second in kinds[i:])
