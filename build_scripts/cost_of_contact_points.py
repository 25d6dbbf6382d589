"""Processor time of the contact points of two convex shapes at rest, from the last normal and from a cold start.

    python build_scripts/cost_of_contact_points.py        # needs a compiler

Times depend on the machine: the ratio is to a box that lies flat on a box, measured at the same moment.
"""

import sys
from pathlib import Path
from time import thread_time

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # run as a script, this file's folder is on the path, not the checkout

from tests.native.convex_shapes import Pose, Shape, Shapes, compiled
from tests.native.convex_supports import extent, turned

N_BATCHES, N_CALLS, N_COLD = 8, 20_000, 500
REACH = 0.01  # m
FLAT = "box flat on a box"
X, Y, Z = np.eye(3)
TABLE, AT_ORIGIN = Shape("box", (0.5, 0.4, 0.1)), Pose(np.eye(3), np.zeros(3))
LYING = turned(Y, np.pi / 2)
Pair = tuple[Shape, Pose, Shape, Pose]


def resting(shape: Shape, R: np.ndarray, x: float = 0.05, above: float = 0.0) -> Pair:
    """A shape on the table, turned by R, at a height above it (m)."""
    return TABLE, AT_ORIGIN, shape, Pose(R, np.array([x, 0.03, 0.1 + above + float(extent(shape, -R[2]))]))


def over_the_edge(shape: Shape, radius: float) -> Pair:
    """What lies along x, leaning over the edge of the table."""
    lean = 0.3
    return TABLE, AT_ORIGIN, shape, Pose(turned(Y, lean) @ LYING, np.array([0.5 + radius * np.sin(lean), 0, 0.1 + radius * np.cos(lean)]))


def hull_on_a_face(n: int) -> Pair:
    """The hull of n random points of a sphere, on one of its faces."""
    points = np.random.default_rng(n).normal(size=(n, 3))
    hull = Shape("hull", (), 0.1 * points / np.linalg.norm(points, axis=1)[:, None])
    normal = hull.tables.normals[0]
    return resting(hull, turned(np.cross(normal, -Z), np.arccos(-normal[2])))


def pairs() -> dict[str, Pair]:
    """The pairs by their names; the first one is what the others are compared with."""
    small, turn = Shape("box", (0.1, 0.08, 0.05)), turned(Z, 0.3)
    capsule, cylinder, egg = Shape("capsule", (0.05, 0.1)), Shape("cylinder", (0.05, 0.1)), Shape("ellipsoid", (0.1, 0.07, 0.05))
    return {
        FLAT: resting(small, turn),
        "box over an edge": resting(small, turn, x=0.5),
        "box on its edge": resting(small, turned(Y, np.pi / 4)),
        "box 5 mm above, within reach": resting(small, turn, above=0.005),
        "box beyond reach": resting(small, turn, above=0.05),
        "box far away": resting(small, turn, above=5.0),
        "ball": resting(Shape("ball", (0.05,)), np.eye(3)),
        "capsule lying": resting(capsule, LYING),
        "cylinder upright": resting(cylinder, np.eye(3)),
        "cone upright": resting(Shape("cone", (0.05, 0.1)), np.eye(3)),
        "cylinder lying": resting(cylinder, LYING),
        "ellipsoid": resting(egg, np.eye(3)),
        "hull of 46 vertices": hull_on_a_face(46),
        "hull of 581 vertices": hull_on_a_face(581),
        "hull of 5000 vertices": hull_on_a_face(5000),
        "capsule over the edge": over_the_edge(capsule, 0.05),
        "cylinder over the edge": over_the_edge(cylinder, 0.05),
        "two ellipsoids": (egg, AT_ORIGIN, egg, Pose(np.eye(3), np.array([0.001, 0.002, 0.1]))),
        "two capsules, crossing": (capsule, Pose(LYING, np.zeros(3)), capsule, Pose(turned(X, 1.0), np.array([0, 0, 0.1]))),
    }


def least_times(shapes: Shapes, given: dict[str, Pair], n_calls: int, *, cold: bool) -> dict[str, float]:
    """us of one call each. Batches of all of them follow each other, so that they are measured at the same speed of the machine."""
    best = dict.fromkeys(given, float("inf"))
    hints = {name: np.zeros((1, 6)) for name in given}
    if not cold:
        for name, pair in given.items():
            shapes.many([pair], reach=REACH, hints=hints[name])
    for _ in range(N_BATCHES):
        for name, pair in given.items():
            start = thread_time()
            shapes.many([pair], reach=REACH, hints=hints[name].copy(), times=n_calls)
            best[name] = min(best[name], (thread_time() - start) / n_calls * 1e6)
    return best


def main() -> None:
    shapes, given = compiled(), pairs()
    warm, cold = least_times(shapes, given, N_CALLS, cold=False), least_times(shapes, given, N_COLD, cold=True)
    print(f"{'pair':32}{'points':>7}{'us':>8}{'ratio':>8}{'cold us':>9}")
    for name, pair in given.items():
        found = shapes.points(*pair, reach=REACH)
        n = 0 if found is None else len(found.points)
        print(f"{name:32}{n:7}{warm[name]:8.2f}{warm[name] / warm[FLAT]:8.2f}{cold[name]:9.2f}")


if __name__ == "__main__":
    main()
