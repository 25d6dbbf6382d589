"""The distance of a sphere from a box. It can be recorded."""

import numpy as np

from mobod.contact.pairs.contact_pair import touching
from mobod.contact.proximity import SINGULAR, Gap
from mobod.contact.shapes import Box, Sphere
from mobod.scalar import maximum, norm, where
from mobod.spatial import Transform


@touching(Box, Sphere)
def box_sphere_gaps(box: Box, X_AB: Transform, sphere: Sphere, X_AS: Transform) -> list[Gap]:
    """The gap between box B and sphere S. If the sphere's center is inside, the nearest face counts, and the regularity is 0."""
    c, h, r = X_AB.R.T @ (X_AS.p - X_AB.p), box.half_lengths, sphere.radius
    side = [where(c[i] < 0, -1.0, 1.0) for i in range(3)]
    beyond = [side[i] * c[i] - h[i] for i in range(3)]  # distance from the nearer face of each pair, negative inside of it
    outward = np.array([maximum(each, 0.0) for each in beyond])
    length = norm(outward)
    is_outside = length > SINGULAR * r
    safe_length = where(is_outside, length, 1.0)

    x_is_nearest = (beyond[0] >= beyond[1]) & (beyond[0] >= beyond[2])
    y_is_nearest = where(x_is_nearest, 0.0, where(beyond[1] >= beyond[2], 1.0, 0.0))
    of_face = [where(x_is_nearest, 1.0, 0.0), y_is_nearest, where(x_is_nearest, 0.0, 1.0 - y_is_nearest)]
    depth = where(x_is_nearest, beyond[0], where(beyond[1] >= beyond[2], beyond[1], beyond[2]))

    n_B = np.array([side[i] * where(is_outside, outward[i] / safe_length, of_face[i]) for i in range(3)])
    distance = where(is_outside, length, depth) - r
    normal = X_AB.R @ n_B
    return [Gap(distance, normal, X_AS.p - (r + distance / 2) * normal, where(is_outside, length / r, 0.0))]
