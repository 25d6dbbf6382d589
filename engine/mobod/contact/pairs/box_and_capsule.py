"""The distance of a capsule from a box, feature by feature, for rigid contacts. It can be recorded."""

# Decision: docs/decisions/211-box-and-capsule.md

from dataclasses import dataclass, replace
from itertools import product
from typing import final

import numpy as np

from mobod.contact.pairs.box_and_sphere import box_sphere_gaps
from mobod.contact.pairs.contact_pair import touching
from mobod.contact.pairs.spheres_and_capsules import PARALLEL
from mobod.contact.proximity import SINGULAR, Gap
from mobod.contact.shapes import Box, Capsule, Sphere
from mobod.scalar import Array, Scalar, clip, maximum, minimum, norm, where
from mobod.spatial import Transform

SIGNS = (-1.0, 1.0)
LEAST_SLOPE = 1e-12  # of an axis: below it the axis does not pass the planes of two opposite faces
NAMES_OF_BOX_AND_CAPSULE = (
    "end_0",
    "end_1",
    *(f"edge_{axis}_{i}" for axis in "xyz" for i in range(4)),
    *(f"corner_{i}" for i in range(8)),
)


@final
@dataclass(frozen=True)
class _CapsuleAxis:
    """The straight part of the capsule's axis, in the frame of the box.

    c, u      (3,)  m, 1  its middle, and a unit vector
    half, r         m     half of its length, and the radius of the capsule
    aligned   [3]   m     at least 0: it is parallel to an axis of the box
    pierces               whether it passes through the box
    """

    c: Array
    u: Array
    half: Scalar
    r: Scalar
    aligned: tuple[Scalar, ...]
    pierces: Scalar

    def nearest(self, foot: Scalar) -> tuple[Array, Scalar]:
        """(point at `foot` along the line, or the end that it is beyond; m, at least 0: it is not beyond)."""
        return self.c + clip(foot, -self.half, self.half) * self.u, self.half - _size(foot)

    def gap(self, touched: Array, p: Array, outward: Array, presence: Scalar) -> Gap:
        """From a point of the box to the ball about p; `outward` is the normal if they are the same point."""
        delta = p - touched
        length = norm(delta)
        is_regular = length > SINGULAR * self.r
        normal = where(is_regular, delta / where(is_regular, length, 1.0), outward)
        apart = where(is_regular, length, outward @ delta)
        distance = where(self.pierces, 0.0 - apart, apart) - self.r
        return Gap(distance, normal, touched + distance / 2 * normal, length / self.r, presence)


@touching(Box, Capsule, names=lambda *shapes: NAMES_OF_BOX_AND_CAPSULE, has_presences=True, is_rigid_only=True)
def box_capsule_gaps(box: Box, X_AB: Transform, capsule: Capsule, X_AC: Transform) -> list[Gap]:
    """The two ends, the 12 edges and the 8 corners, each where no other one has the same point.

    An end is there over a face. An edge and a corner are touched by the point of the axis, ends included, that is nearest to them: so their
    distances have continuous gradients where this point comes to an end. An edge is there between its corners, where the axis, or the end
    that is nearest, is beyond both faces that meet at it; a corner beyond its three edges. Each distance is that of a point of the box from
    the capsule, or of an end from the box: none is less than that of the shapes. Where the axis is parallel to an edge, the ends of the
    common part touch: ends of the capsule, or corners.
    """
    h, half, r = np.array(box.half_lengths), capsule.half_length, capsule.radius
    c, u = X_AB.R.T @ (X_AC.p - X_AB.p), X_AB.R.T @ X_AC.R[:, 2]
    squared_sines = [u[(k + 1) % 3] ** 2 + u[(k + 2) % 3] ** 2 for k in range(3)]
    aligned = tuple(r * (1 - each / PARALLEL) for each in squared_sines)
    axis = _CapsuleAxis(c, u, half, r, aligned, _pierces(h, c, u, half))

    gaps = [_end(sign, box, X_AB, capsule, X_AC, axis) for sign in SIGNS]
    others = [_edge(k, signs, h, squared_sines[k], axis) for k in range(3) for signs in product(SIGNS, SIGNS)]
    others += [_corner(np.array(signs), h, axis) for signs in product(SIGNS, SIGNS, SIGNS)]
    return gaps + [replace(each, normal=X_AB.R @ each.normal, point=X_AB.apply(each.point)) for each in others]


def _end(sign: float, box: Box, X_AB: Transform, capsule: Capsule, X_AC: Transform, axis: _CapsuleAxis) -> Gap:
    """The ball about an end, against the box."""
    center = Transform.of(X_AC.R, X_AC.p + sign * capsule.half_length * X_AC.R[:, 2])
    (gap,) = box_sphere_gaps(box, X_AB, Sphere(capsule.radius), center)
    c = axis.c + sign * axis.half * axis.u
    x, y, z = inside = [box.half_lengths[k] - _size(c[k]) for k in range(3)]
    presence = maximum(minimum(x, y), minimum(maximum(x, y), z))  # the second of the three: over a face
    for k in range(3):
        presence = maximum(presence, minimum(inside[k], axis.aligned[k]))
    return replace(gap, presence=presence)


def _edge(k: int, signs: tuple[float, ...], h: Array, squared_sine: Scalar, axis: _CapsuleAxis) -> Gap:
    """Along axis k of the box, at these signs of the next two."""
    others = ((k + 1) % 3, (k + 2) % 3)
    place, outward = np.zeros(3), np.zeros(3)
    for m, sign in zip(others, signs, strict=True):
        place = place + sign * h[m] * np.eye(3)[m]
        outward[m] = sign * np.sqrt(0.5)
    foot = sum((place[m] - axis.c[m]) * axis.u[m] for m in others) / maximum(squared_sine, PARALLEL)
    p, within = axis.nearest(foot)
    beyond = [maximum(sign * p[m] - h[m], within) for m, sign in zip(others, signs, strict=True)]
    presence = minimum(minimum(*beyond), minimum(h[k] - _size(p[k]), 0.0 - axis.aligned[k]))
    return axis.gap(place + p[k] * np.eye(3)[k], p, outward, presence)


def _corner(signs: np.ndarray, h: Array, axis: _CapsuleAxis) -> Gap:
    corner = signs * h
    p, within = axis.nearest((corner - axis.c) @ axis.u)
    x, y, z = (maximum(signs[k] * p[k] - h[k], minimum(within, axis.aligned[k])) for k in range(3))
    return axis.gap(corner, p, signs / np.sqrt(3.0), minimum(minimum(x, y), z))


def _pierces(h: Array, c: Array, u: Array, half: Scalar) -> Scalar:
    """Whether the straight part between c - half u and c + half u passes through the box."""
    first, last = 0.0 - half, half
    for k in range(3):
        slope = where(_size(u[k]) > LEAST_SLOPE, u[k], LEAST_SLOPE)
        one, other = (-h[k] - c[k]) / slope, (h[k] - c[k]) / slope
        first, last = maximum(first, minimum(one, other)), minimum(last, maximum(one, other))
    return first < last


def _size(x: Scalar) -> Scalar:
    return where(x < 0, 0.0 - x, x)
