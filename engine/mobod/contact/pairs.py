"""Pairs of shapes: how many features touch, and how near they are."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from mobod.contact.box_and_sphere import box_sphere_gaps
from mobod.contact.half_space import half_space_gaps, names_at_half_space
from mobod.contact.proximity import Gap, Proximity
from mobod.contact.shapes import Box, Capsule, Circle, ContactShape, ConvexMesh, Cylinder, Ellipsoid, HalfSpace, Sphere, Torus
from mobod.contact.spheres_and_capsules import NAMES_OF_TWO_CAPSULES, capsule_capsule_gaps, sphere_capsule_gaps, sphere_sphere_gaps
from mobod.contact.tangents import tangents_of
from mobod.errors import InputError, UnsupportedError
from mobod.scalar import Array, Scalar
from mobod.spatial import Transform

Gaps = Callable[[Any, Transform, Any, Transform], list[Gap]]
ONE_POINT = ("point",)
_AT_HALF_SPACE = (Sphere, Capsule, Cylinder, Box, Ellipsoid, ConvexMesh, Circle, Torus)
_GAPS: dict[tuple[type[ContactShape], type[ContactShape]], Gaps] = {
    **{(HalfSpace, each): half_space_gaps for each in _AT_HALF_SPACE},
    (Sphere, Sphere): sphere_sphere_gaps,
    (Sphere, Capsule): sphere_capsule_gaps,
    (Capsule, Capsule): capsule_capsule_gaps,
    (Box, Sphere): box_sphere_gaps,
}


@final
@dataclass(frozen=True)
class ContactPair:
    """How two kinds of shapes touch: a fixed number of features, each of which has a distance at every pose.

    names  of the features
    """

    names: tuple[str, ...]
    _gaps: Gaps
    _is_swapped: bool  # the function takes the shapes in the other order

    @property
    def n(self) -> int:
        """The number of features."""
        return len(self.names)

    @property
    def has_line(self) -> bool:
        """Whether the shapes can touch along a line: the last feature is the nearest points, the others are ends. None is always there."""
        return self._gaps is capsule_capsule_gaps

    def proximities(self, shape1: ContactShape, X_A1: Transform, shape2: ContactShape, X_A2: Transform) -> tuple[Proximity, ...]:
        """How near the features are to each other. Poses and shapes may be recorded.

        X_A1, X_A2  poses of the shapes' frames in any frame A
        returns     a Proximity for each feature, in A. Tangents of a half-space are the x and y axes of its frame (-y if it is shape 2);
                    others follow from the normal, expressed in the frame of shape 1 (see tangents_of).
        """
        if self._is_swapped:
            gaps = [gap.reversed() for gap in self._gaps(shape2, X_A2, shape1, X_A1)]
        else:
            gaps = self._gaps(shape1, X_A1, shape2, X_A2)
        return tuple(
            Proximity(
                gap=gap.distance,
                normal=gap.normal,
                point=gap.point,
                tangents=_tangents(gap.normal, shape1, X_A1, shape2, X_A2),
                regularity=gap.regularity,
                presences=_presences(gap),
            )
            for gap in gaps
        )


def pair_of(shape1: ContactShape, shape2: ContactShape) -> ContactPair:
    """How two shapes touch. Raises UnsupportedError if mobod has no distance of the two."""
    shapes: tuple[object, ...] = shape1, shape2
    for shape in shapes:
        if not isinstance(shape, ContactShape):
            given = f"{type(shape).__name__} of {type(shape).__module__}"
            raise InputError(f"A contact is between shapes of mobod.contact, such as mb.contact.Sphere(0.1), not {given}.")
    types = type(shape1), type(shape2)
    is_swapped = types not in _GAPS
    gaps = _GAPS.get(types[::-1] if is_swapped else types)
    if gaps is None:
        raise UnsupportedError(
            f"contact: there is no distance between {_article(types[0])} and {_article(types[1])}. A half-space touches all other "
            "shapes, and spheres touch spheres, capsules and boxes; capsules touch capsules too. Approximate a shape by several of these."
        )
    first, second = (shape2, shape1) if is_swapped else (shape1, shape2)
    if isinstance(first, HalfSpace):
        names = names_at_half_space(first, second)
    else:
        names = NAMES_OF_TWO_CAPSULES if gaps is capsule_capsule_gaps else ONE_POINT
    return ContactPair(names, gaps, is_swapped)


def _article(shape: type[ContactShape]) -> str:
    return f"{'an' if shape.__name__[0] in 'AEIOU' else 'a'} {shape.__name__}"


def _presences(gap: Gap) -> tuple[Scalar, Scalar] | None:
    if gap.presence is None:
        return None
    return gap.presence, gap.presence if gap.presence_in_steps is None else gap.presence_in_steps


def _tangents(normal: Array, shape1: ContactShape, X_A1: Transform, shape2: ContactShape, X_A2: Transform) -> Array:
    if isinstance(shape1, HalfSpace):
        return X_A1.R[:, :2].T
    if isinstance(shape2, HalfSpace):
        return np.array([X_A2.R[:, 0], -X_A2.R[:, 1]])
    return tangents_of(X_A1.R.T @ normal) @ X_A1.R.T
