"""Whether a point lies in a shape: the zone of a Touch."""

from functools import singledispatch

import numpy as np

from mobod.contact.shapes import Box, Capsule, ContactShape, Cylinder, Ellipsoid, Sphere
from mobod.errors import UnsupportedError
from mobod.scalar import Array, Scalar, maximum, minimum


@singledispatch
def inside(zone: ContactShape, p: Array) -> Scalar:
    """At least 0 where the point p (3,), in the frame of the shape, lies in it. Recorded.

    Raises UnsupportedError for shapes that are no zones.
    """
    raise UnsupportedError(
        f"Touch: {type(zone).__name__} is no zone. There are Box, Capsule, Cylinder, Ellipsoid and Sphere of mb.contact."
    )


@inside.register
def _of_sphere(zone: Sphere, p: Array) -> Scalar:
    return zone.radius**2 - p @ p


@inside.register
def _of_box(zone: Box, p: Array) -> Scalar:
    x, y, z = np.array(zone.half_lengths) - np.abs(p)
    return minimum(minimum(x, y), z)


@inside.register
def _of_capsule(zone: Capsule, p: Array) -> Scalar:
    beyond = maximum(np.abs(p[2]) - zone.half_length, 0.0)
    return zone.radius**2 - p[:2] @ p[:2] - beyond**2


@inside.register
def _of_cylinder(zone: Cylinder, p: Array) -> Scalar:
    return minimum(zone.radius**2 - p[:2] @ p[:2], zone.half_length - np.abs(p[2]))


@inside.register
def _of_ellipsoid(zone: Ellipsoid, p: Array) -> Scalar:
    scaled = p / np.array(zone.radii)
    return 1.0 - scaled @ scaled
