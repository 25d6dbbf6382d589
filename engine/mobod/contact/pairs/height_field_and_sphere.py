"""The distance of a ball from a smooth height field. It can be recorded."""

import numpy as np

from mobod.contact.pairs.contact_pair import touching
from mobod.contact.proximity import SINGULAR, Gap
from mobod.contact.shapes import HeightField, Sphere
from mobod.contact.shapes.smooth_heights import Jet
from mobod.scalar import Array, Scalar, norm, where
from mobod.spatial import Transform

SEARCHES = 8  # steps of Newton's method without derivatives, then with them
FINE = 2.0**40  # 1/m: the searched point is rounded to a part of it, so that it has no derivatives
UPRIGHT = 0.1  # of the determinant without curvature: below it the curvature is left out of a step


@touching(HeightField, Sphere)
def height_field_sphere_gaps(field: HeightField, X_AF: Transform, sphere: Sphere, X_AS: Transform) -> list[Gap]:
    """The gap between the surface and the ball, at the point of the surface that is nearest to the center of the ball.

    The search has no derivatives. Two more steps of Newton's method on the jet of the surface there give the point again, with its first
    three derivatives.
    """
    c, r, heights = X_AF.R.T @ (X_AS.p - X_AF.p), sphere.radius, field.smooth_heights
    place = c[:2]
    for _ in range(SEARCHES):
        place = place + _step(heights.at(*place), c, place)
    place = np.array([np.floor(each * FINE) / FINE for each in place])
    jet = heights.at(*place)
    step = np.zeros(2)
    for _ in range(2):
        step = step + _step(jet.moved(step), c, place + step)
    jet = jet.moved(step)

    surface = np.array([*(place + step), jet.height])
    outward = np.array([-jet.slopes[0], -jet.slopes[1], 1.0])
    n_F = outward / norm(outward)
    between = c - surface
    length = norm(between)
    is_regular = length > SINGULAR * r
    along = n_F @ between
    distance = where(is_regular, where(along < 0, -1.0, 1.0) * where(is_regular, length, 1.0), along) - r
    normal = X_AF.R @ n_F
    return [Gap(distance, normal, X_AS.p - (r + distance / 2) * normal, length / r)]


def _step(jet: Jet, c: Array, place: Array) -> Array:
    """(2,) m, the step of Newton's method for the least distance of the surface from a point c (3,)."""
    under = jet.height - c[2]
    gradient = place - c[:2] + under * jet.slopes
    (a, b), (_, d) = np.eye(2) + np.array([[p * q for q in jet.slopes] for p in jet.slopes])
    whole = np.array([a + under * jet.bends[0][0], b + under * jet.bends[0][1], d + under * jet.bends[1][1]])
    is_convex = (whole[0] > 0) & (_determinant(*whole) > UPRIGHT * _determinant(a, b, d))
    a, b, d = (where(is_convex, one, other) for one, other in zip(whole, (a, b, d), strict=True))
    return np.array([b * gradient[1] - d * gradient[0], b * gradient[0] - a * gradient[1]]) / _determinant(a, b, d)


def _determinant(a: Scalar, b: Scalar, d: Scalar) -> Scalar:
    return a * d - b * b
