"""Relative curvatures of two shapes where they touch, for Hertz's law. They can be recorded."""

from typing import Literal

import numpy as np

from mobod.contact.shapes import Box, Capsule, ContactShape, Ellipsoid, HalfSpace, Sphere, Torus
from mobod.contact.tangents import tangents_of
from mobod.forces.contact_laws import eigenvalues
from mobod.scalar import Array, Scalar, maximum, norm
from mobod.spatial import Transform

LEAST_RATIO = 1e-5  # of the least to the largest curvature: below it the patch counts as an ellipse of this ratio
Patch = Literal["circle", "ellipse", "sharp"]


def patch_of(shape1: ContactShape, shape2: ContactShape) -> Patch:
    """What the patch of contact is; 'sharp' where an edge or a corner touches, which has no curvature."""
    shapes = (shape1, shape2)
    if all(isinstance(each, (HalfSpace, Sphere, Capsule, Box)) for each in shapes):
        flat = [isinstance(each, (HalfSpace, Box)) for each in shapes]
        return "sharp" if all(flat) else "circle"
    return "ellipse" if any(isinstance(each, (Ellipsoid, Torus)) for each in shapes) else "sharp"


def relative_curvatures(
    shape1: ContactShape, X_A1: Transform, shape2: ContactShape, X_A2: Transform, normal: Array, *, as_simbody: bool = False
) -> tuple[Scalar, Scalar]:
    """(largest, least), 1/m: the sum of both shapes' curvatures. A capsule counts as the ball about its nearest center.

    normal      (3,)  in A
    as_simbody  for ellipsoids, twice what Simbody's HuntCrossleyForce takes, which is the root of their product only for a sphere
    """
    one, other = (_curvatures(shape, X.R.T @ normal, as_simbody) for shape, X in ((shape1, X_A1), (shape2, X_A2)))
    return one[0] + other[0], one[1] + other[1]  # not more than one of them depends on the direction


def _curvatures(shape: ContactShape, n: Array, as_simbody: bool) -> tuple[Scalar, Scalar]:
    """(largest, least) where the normal, in the frame of the shape, is n or -n."""
    match shape:
        case Sphere(radius=r) | Capsule(radius=r):
            return 1 / r, 1 / r
        case Torus():
            outward = norm(n[:2])
            most = 1 / shape.tube_radius
            return most, maximum(outward / (shape.radius + outward * shape.tube_radius), LEAST_RATIO * most)
        case Ellipsoid():
            radii = np.array(shape.radii)
            T = tangents_of(n)
            of_section = eigenvalues(T @ np.diag(1 / radii**2) @ T.T)  # of the section through the center, 1 / its radii^2
            if as_simbody:
                return np.sqrt(of_section[0]), np.sqrt(of_section[1])
            most, least = (each * norm(radii * n) for each in of_section)
            return most, maximum(least, LEAST_RATIO * most)
        case _:
            return 0.0, 0.0
