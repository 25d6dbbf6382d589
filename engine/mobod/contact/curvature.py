"""Relative curvatures of two shapes where they touch, for Hertz's law. They can be recorded."""

from typing import Literal

from mobod.contact.shapes import ContactShape
from mobod.scalar import Array, Scalar
from mobod.spatial import Transform

Patch = Literal["circle", "ellipse", "sharp"]
Curvature = Literal["none", "true", "simbody"]  # what a law reads: nothing, relative_curvatures, or these as Simbody has them


def patch_of(shape1: ContactShape, shape2: ContactShape) -> Patch:
    """What the patch of contact is; 'sharp' where an edge or a corner touches, which has no curvature."""
    roundings = {shape1.rounding, shape2.rounding}
    if "ellipsoid" in roundings:
        return "ellipse"
    return "circle" if "ball" in roundings and "edge" not in roundings else "sharp"


def relative_curvatures(
    shape1: ContactShape, X_A1: Transform, shape2: ContactShape, X_A2: Transform, normal: Array, *, as_simbody: bool = False
) -> tuple[Scalar, Scalar]:
    """(largest, least), 1/m: the sum of both shapes' curvatures. A capsule counts as the ball about its nearest center.

    normal      (3,)  in A
    as_simbody  for ellipsoids, twice what Simbody's HuntCrossleyForce takes, which is the root of their product only for a sphere
    """
    one, other = (shape.curvatures(X.R.T @ normal, as_simbody=as_simbody) for shape, X in ((shape1, X_A1), (shape2, X_A2)))
    return one[0] + other[0], one[1] + other[1]  # not more than one of them depends on the direction
